#include "engine/bodies.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/limits.h"
#include "base/text.h"

namespace s3tug::engine {
namespace {

class FileBody final : public UploadBody {
  public:
    FileBody(std::unique_ptr<port::SourceFile> file, std::string path, SourceChanged policy,
             std::function<Status()> may_go_on, std::function<void(std::string)> warn)
        : file_(std::move(file)),
          path_(std::move(path)),
          policy_(policy),
          may_go_on_(std::move(may_go_on)),
          warn_(policy == SourceChanged::warn ? std::move(warn) : nullptr),
          size_(file_->at_open().size) {}

    uint64_t size() const override { return size_; }
    const std::optional<Error>& error() const override { return error_; }

    Status unchanged() override {
        Result<port::FileFacts> now = file_->now();
        if (!now) return latch(std::move(now).error());
        const bool same = *now == file_->at_open();
        if (policy_ == SourceChanged::fail && !same) return latch(changed("changed while it was read"));
        if (now->size < size_) return latch(changed("became shorter while it was read"));
        if (!same) tell();
        return {};
    }

    bool touched() const override {
        const Result<port::FileFacts> now = file_->now();
        return !now || *now != file_->at_open();
    }

    bool takes_anew(bool possible) override {
        if (policy_ == SourceChanged::fail || !possible) {
            error_ = changed("changed while it was read");
            return false;
        }
        tell();
        return true;
    }

    Result<std::size_t> read(uint64_t offset, MutableByteSpan out) override {
        if (may_go_on_) {
            if (Status go = may_go_on_(); !go) return latch(std::move(go).error());
        }
        const uint64_t left = offset < size_ ? size_ - offset : 0;
        const MutableByteSpan wanted = out.first(static_cast<std::size_t>(std::min<uint64_t>(left, out.size())));
        if (!wanted.empty() && wanted.size() == left) {
            if (Status same = unchanged(); !same) return std::move(same).error();
        }
        std::size_t got = 0;
        while (got < wanted.size()) {
            Result<std::size_t> n = file_->read_at(offset + got, wanted.subspan(got));
            if (!n) return latch(std::move(n).error());
            if (*n == 0) return latch(changed("became shorter while it was read"));
            got += *n;
        }
        return got;
    }

  private:
    Error changed(std::string_view what) const {
        return {ErrorKind::source_changed, std::string(path_).append(" ").append(what).append(
                                               "; run again when it is quiet, or see --source-changed")};
    }
    void tell() {
        if (!warn_) return;
        std::exchange(warn_, nullptr)(path_ + " changed while it was read; the object gets its first " +
                                      std::to_string(size_) + " bytes, all it had when it was opened");
    }
    Error latch(Error error) {
        error_ = error;
        return error;
    }

    std::unique_ptr<port::SourceFile> file_;
    std::string path_;
    SourceChanged policy_;
    std::function<Status()> may_go_on_;
    std::function<void(std::string)> warn_;  ///< empty when it was told, or is not to be
    uint64_t size_;
    std::optional<Error> error_;
};

class SpooledBody final : public UploadBody {
  public:
    explicit SpooledBody(std::size_t memory_max) : memory_max_(memory_max) {}
    uint64_t size() const override { return memory_.size() + spooled_; }
    const std::optional<Error>& error() const override { return error_; }

    Result<std::size_t> read(uint64_t offset, MutableByteSpan out) override {
        if (offset < memory_.size()) {
            const auto n = static_cast<std::size_t>(std::min<uint64_t>(memory_.size() - offset, out.size()));
            std::memcpy(out.data(), memory_.data() + offset, n);
            return n;
        }
        const uint64_t left = size() - std::min<uint64_t>(offset, size());
        if (left == 0) return std::size_t{0};
        const MutableByteSpan wanted = out.first(static_cast<std::size_t>(std::min<uint64_t>(left, out.size())));
        Result<std::size_t> n = spool_->read_at(offset - memory_.size(), wanted);
        if (!n) error_ = n.error();
        return n;
    }

    Status append(ByteSpan bytes, port::Files& files, const std::string& folder) {
        const std::size_t room = memory_max_ - std::min(memory_max_, memory_.size());
        const ByteSpan head = bytes.first(std::min(room, bytes.size()));
        // All at once when it is no longer small: growing would copy, and hold twice as much meanwhile.
        if (memory_.size() >= limits::io_chunk_bytes) memory_.reserve(memory_max_);
        memory_.insert(memory_.end(), head.begin(), head.end());
        const ByteSpan rest = bytes.subspan(head.size());
        if (rest.empty()) return {};
        if (!spool_) {
            Result<std::unique_ptr<port::SpoolFile>> opened = files.open_spool(folder);
            if (!opened) return std::move(opened).error();
            spool_ = std::move(*opened);
        }
        if (Status written = spool_->append(rest); !written) return written;
        spooled_ += rest.size();
        return {};
    }

  private:
    std::size_t memory_max_;
    std::vector<std::byte> memory_;
    std::unique_ptr<port::SpoolFile> spool_;
    uint64_t spooled_ = 0;
    std::optional<Error> error_;
};

}  // namespace

std::unique_ptr<UploadBody> file_body(std::unique_ptr<port::SourceFile> file, std::string path, SourceChanged policy,
                                      std::function<Status()> may_go_on, std::function<void(std::string)> warn) {
    return std::make_unique<FileBody>(std::move(file), std::move(path), policy, std::move(may_go_on), std::move(warn));
}

Result<StreamBeginning> spool_beginning(port::SourceFile& stream, port::Files& files, const std::string& spool_folder,
                                        uint64_t enough, std::optional<Instant> until) {
    // The one byte that shows that there is more shall not cost a file.
    const std::size_t memory_max = limits::spool_memory_bytes + (enough == limits::spool_memory_bytes ? 1 : 0);
    auto body = std::make_unique<SpooledBody>(memory_max);
    std::vector<std::byte> chunk(limits::io_chunk_bytes);
    while (body->size() <= enough) {
        // Not much more than enough: what is read here is in memory beside the parts that are made of it.
        const auto step = static_cast<std::size_t>(std::min<uint64_t>(chunk.size(), enough - body->size() + 1));
        Result<std::size_t> n = stream.read_next(MutableByteSpan(chunk).first(step), until);
        if (!n) return std::move(n).error();
        if (*n == 0) return StreamBeginning{std::move(body), true};
        if (Status kept = body->append(ByteSpan(chunk).first(*n), files, spool_folder); !kept)
            return std::move(kept).error();
    }
    return StreamBeginning{std::move(body), false};
}

Result<std::unique_ptr<UploadBody>> spool_stream(port::SourceFile& stream, port::Files& files,
                                                 const std::string& spool_folder, uint64_t size_max,
                                                 std::optional<Instant> until) {
    Result<StreamBeginning> read = spool_beginning(stream, files, spool_folder, size_max, until);
    if (!read) return std::move(read).error();
    if (!read->ended) {
        return Error{ErrorKind::unsupported, "the stream is longer than " + format_size(size_max) +
                                                 ", the most that can be kept to give it an idempotency key"};
    }
    return std::move(read->body);
}

Result<BodyDigests> digest_body(UploadBody& body, const DigestWish& wish) {
    return digest_bytes(body, body.size(), wish);
}

Result<BodyDigests> digest_bytes(port::BodySource& body, uint64_t size, const DigestWish& wish) {
    BodyDigests digests;
    if (!wish.sha256 && !wish.md5 && !wish.checksum) return digests;
    std::optional<Digest> sha, md;
    std::optional<Checksummer> sum;
    if (wish.sha256) sha.emplace(DigestKind::sha256);
    if (wish.md5) md.emplace(DigestKind::md5);
    if (wish.checksum) sum.emplace(*wish.checksum);
    std::vector<std::byte> chunk(
        static_cast<std::size_t>(std::min<uint64_t>(limits::io_chunk_bytes, std::max<uint64_t>(size, 1))));
    for (uint64_t offset = 0; offset < size;) {
        Result<std::size_t> n = body.read(offset, chunk);
        if (!n) return std::move(n).error();
        if (*n == 0) return Error{ErrorKind::bug, "a body ended before its size"};
        const ByteSpan bytes = ByteSpan(chunk).first(*n);
        if (sha) sha->update(bytes);
        if (md) md->update(bytes);
        if (sum) sum->update(bytes);
        offset += *n;
    }
    if (sha) digests.sha256_hex = to_hex(sha->finish());
    if (md) digests.md5_hex = to_hex(md->finish());
    if (sum) digests.checksum = sum->finish();
    return digests;
}

Result<std::string> md5_of(port::BodySource& body, uint64_t size) {
    Result<BodyDigests> digests = digest_bytes(body, size, {.sha256 = false, .md5 = true, .checksum = {}});
    if (!digests) return std::move(digests).error();
    return std::move(digests->md5_hex);
}

std::string checksum_differs(const Checksum& sent, const Checksum& stored) {
    return "sent " + sent.base64 + ", the store has " + stored.base64;
}

std::string md5_differs(const std::string& sent, const std::string& etag) {
    return "the MD5 sent is " + sent + ", the ETag is " + etag + "; where ETags are no MD5s, use --checksum none";
}

}  // namespace s3tug::engine
