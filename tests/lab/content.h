#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace s3tug::lab {

/// The bytes of an object, immutable and shared: one or more pieces of blobs, so that completing a multipart upload or
/// copying a range copies nothing. A blob lives in memory up to 8 MiB, above in a file that has no name any more.
class Content {
  public:
    Content() = default;

    [[nodiscard]] uint64_t size() const { return size_; }
    /// Up to `length` bytes from `offset`; shorter only at the end.
    [[nodiscard]] std::string read(uint64_t offset, uint64_t length) const;
    [[nodiscard]] std::string all() const { return read(0, size_); }
    [[nodiscard]] Content range(uint64_t offset, uint64_t length) const;
    void append(const Content& more);
    /// The same bytes with the lowest bit of one of them flipped; nothing happens beyond the end.
    [[nodiscard]] Content with_flipped_bit(uint64_t offset) const;

    [[nodiscard]] static Content of(std::string_view bytes);

  private:
    friend class ContentWriter;
    class Blob;
    struct Piece {
        std::shared_ptr<const Blob> blob;
        uint64_t offset;
        uint64_t length;
    };
    std::vector<Piece> pieces_;
    uint64_t size_ = 0;
};

/// Collects the bytes of one body.
class ContentWriter {
  public:
    /// Bytes beyond `keep` are counted but not kept, and read back as zeros: for load tests with bodies that nobody
    /// will look at.
    explicit ContentWriter(uint64_t keep = UINT64_MAX);
    ~ContentWriter();

    void append(std::string_view bytes);
    [[nodiscard]] Content finish();

  private:
    std::unique_ptr<Content::Blob> blob_;
    uint64_t keep_;
    uint64_t size_ = 0;
};

}  // namespace s3tug::lab
