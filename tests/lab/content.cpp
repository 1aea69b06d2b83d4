#include "lab/content.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace s3tug::lab {

namespace {
constexpr size_t memory_limit = size_t{8} << 20U;

int nameless_file() {
    const char* folder = std::getenv("TMPDIR");
    std::string name = std::string(folder != nullptr ? folder : "/tmp") + "/s3tug-lab-XXXXXX";
    const int fd = mkstemp(name.data());
    if (fd < 0) throw std::system_error(errno, std::generic_category(), "lab: temporary file " + name);
    unlink(name.c_str());
    return fd;
}
}  // namespace

class Content::Blob {
  public:
    Blob() = default;
    Blob(const Blob&) = delete;
    Blob& operator=(const Blob&) = delete;
    ~Blob() {
        if (fd_ >= 0) close(fd_);
    }

    void append(std::string_view bytes) {
        if (fd_ < 0 && memory_.size() + bytes.size() > memory_limit) {
            fd_ = nameless_file();
            write_out(memory_);
            memory_ = std::string();
        }
        if (fd_ >= 0)
            write_out(bytes);
        else
            memory_ += bytes;
    }

    void read(uint64_t offset, std::string& into, size_t at, size_t length) const {
        if (fd_ < 0) {
            if (offset < memory_.size()) memory_.copy(into.data() + at, length, offset);
            return;
        }
        while (length > 0) {
            const ssize_t n = pread(fd_, into.data() + at, length, static_cast<off_t>(offset));
            if (n <= 0) return;
            at += static_cast<size_t>(n);
            offset += static_cast<uint64_t>(n);
            length -= static_cast<size_t>(n);
        }
    }

  private:
    void write_out(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t n = write(fd_, bytes.data(), bytes.size());
            if (n < 0) throw std::system_error(errno, std::generic_category(), "lab: write temporary file");
            bytes.remove_prefix(static_cast<size_t>(n));
        }
    }

    std::string memory_;
    int fd_ = -1;
};

std::string Content::read(uint64_t offset, uint64_t length) const {
    if (offset >= size_) return {};
    std::string out(static_cast<size_t>(std::min(length, size_ - offset)), '\0');
    size_t done = 0;
    for (const Piece& piece : pieces_) {
        if (done == out.size()) break;
        if (offset >= piece.length) {
            offset -= piece.length;
            continue;
        }
        const auto take = static_cast<size_t>(std::min<uint64_t>(piece.length - offset, out.size() - done));
        piece.blob->read(piece.offset + offset, out, done, take);
        done += take;
        offset = 0;
    }
    return out;
}

Content Content::range(uint64_t offset, uint64_t length) const {
    Content out;
    for (const Piece& piece : pieces_) {
        if (length == 0) break;
        if (offset >= piece.length) {
            offset -= piece.length;
            continue;
        }
        const uint64_t take = std::min(piece.length - offset, length);
        out.pieces_.push_back({piece.blob, piece.offset + offset, take});
        out.size_ += take;
        length -= take;
        offset = 0;
    }
    return out;
}

void Content::append(const Content& more) {
    pieces_.insert(pieces_.end(), more.pieces_.begin(), more.pieces_.end());
    size_ += more.size_;
}

Content Content::with_flipped_bit(uint64_t offset) const {
    if (offset >= size_) return *this;
    std::string byte = read(offset, 1);
    byte[0] = static_cast<char>(static_cast<unsigned char>(byte[0]) ^ 1U);
    Content out = range(0, offset);
    out.append(of(byte));
    out.append(range(offset + 1, size_ - offset - 1));
    return out;
}

Content Content::of(std::string_view bytes) {
    ContentWriter writer;
    writer.append(bytes);
    return writer.finish();
}

ContentWriter::ContentWriter(uint64_t keep) : blob_(std::make_unique<Content::Blob>()), keep_(keep) {}
ContentWriter::~ContentWriter() = default;

void ContentWriter::append(std::string_view bytes) {
    const uint64_t room = keep_ > size_ ? keep_ - size_ : 0;
    blob_->append(bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(room, bytes.size()))));
    size_ += bytes.size();
}

Content ContentWriter::finish() {
    Content out;
    if (size_ > 0) out.pieces_.push_back({std::move(blob_), 0, size_});
    out.size_ = size_;
    return out;
}

}  // namespace s3tug::lab
