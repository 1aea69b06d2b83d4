#pragma once

#include <memory>
#include <string>

#include "host/posix_io.h"
#include "port/files.h"

namespace s3tug::host {

/// A regular file: read by offset from any thread, or in order.
class RegularSource final : public port::SourceFile {
  public:
    RegularSource(UniqueFd fd, std::string path, const port::FileFacts& at_open);

    [[nodiscard]] const port::FileFacts& at_open() const override { return at_open_; }
    [[nodiscard]] Result<port::FileFacts> now() const override;
    [[nodiscard]] Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override;
    [[nodiscard]] Result<std::size_t> read_next(MutableByteSpan out, std::optional<Instant> until) override;

  private:
    UniqueFd fd_;
    std::string path_;
    port::FileFacts at_open_;
    uint64_t next_ = 0;
};

/// All that can only be read in order.
class StreamSource final : public port::SourceFile {
  public:
    StreamSource(Stream stream, const port::FileFacts& at_open) : stream_(std::move(stream)), at_open_(at_open) {}

    [[nodiscard]] const port::FileFacts& at_open() const override { return at_open_; }
    [[nodiscard]] Result<port::FileFacts> now() const override { return at_open_; }
    /// A bug of the caller: `cannot_read`.
    [[nodiscard]] Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override;
    [[nodiscard]] Result<std::size_t> read_next(MutableByteSpan out, std::optional<Instant> until) override {
        return stream_.read(out, until);
    }

  private:
    Stream stream_;
    port::FileFacts at_open_;
};

}  // namespace s3tug::host
