#include "engine/stream_parts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/limits.h"
#include "base/text.h"

namespace s3tug::engine {
namespace {

/// What the parts that are alive hold; each gives its share back when it goes.
struct Held {
    BufferBudget& budget;  ///< of the run
    uint64_t memory = 0;
    unsigned spooled = 0;
    std::optional<Error> error;
};

class MemoryBody final : public port::BodySource {
  public:
    MemoryBody(std::shared_ptr<Held> held, uint64_t reserved) : held_(std::move(held)), reserved_(reserved) {
        held_->memory += reserved_;
        held_->budget.take(reserved_);
    }
    ~MemoryBody() override {
        held_->memory -= reserved_;
        held_->budget.give_back(reserved_);
    }
    MemoryBody(const MemoryBody&) = delete;
    MemoryBody& operator=(const MemoryBody&) = delete;

    std::vector<std::byte> bytes;

    Result<std::size_t> read(uint64_t offset, MutableByteSpan out) override {
        if (offset >= bytes.size()) return std::size_t{0};
        const std::size_t n = std::min<std::size_t>(out.size(), bytes.size() - static_cast<std::size_t>(offset));
        std::memcpy(out.data(), bytes.data() + offset, n);
        return n;
    }

  private:
    std::shared_ptr<Held> held_;
    uint64_t reserved_;
};

class SpoolBody final : public port::BodySource {
  public:
    SpoolBody(std::shared_ptr<Held> held, std::unique_ptr<port::SpoolFile> file)
        : held_(std::move(held)), file_(std::move(file)) {
        ++held_->spooled;
    }
    ~SpoolBody() override { --held_->spooled; }
    SpoolBody(const SpoolBody&) = delete;
    SpoolBody& operator=(const SpoolBody&) = delete;

    Status append(ByteSpan bytes) { return file_->append(bytes); }
    Result<std::size_t> read(uint64_t offset, MutableByteSpan out) override {
        Result<std::size_t> n = file_->read_at(offset, out);
        if (!n) held_->error = n.error();
        return n;
    }

  private:
    std::shared_ptr<Held> held_;
    std::unique_ptr<port::SpoolFile> file_;
};

class StreamParts final : public PartSupply {
  public:
    StreamParts(Services& services, StreamHead stream, PartStyle style, StreamExpectations expected)
        : services_(services),
          stream_(std::move(stream)),
          style_(std::move(style)),
          expected_(std::move(expected)),
          held_(std::make_shared<Held>(Held{.budget = services.buffers, .memory = 0, .spooled = 0, .error = {}})) {
        if (!expected_.sha256.empty()) sha256_.emplace(DigestKind::sha256);
    }

    Result<std::unique_ptr<Part>> next(bool busy) override;
    bool ended() const override { return ended_; }
    bool wants_turn() const override { return wants_turn_; }
    wire::Request request(const Part& part, const std::string& upload_id, bool with_checksum) const override {
        return part_request(style_, part, upload_id, with_checksum);
    }
    Status final_check() override;
    uint64_t object_size() const override { return size_; }
    std::optional<Error> error() const override { return held_->error; }
    bool repeatable() const override { return false; }
    void resend(unsigned) override {}

  private:
    Result<bool> begin_part();
    Result<bool> at_last_part();
    bool is_only_our_wait(const Error& error) const;
    Result<bool> fill(bool busy);
    Result<std::size_t> read_some(uint64_t wanted, bool busy);
    Result<std::unique_ptr<Part>> finish_part();
    const MultipartConfig& config() const { return services_.config.multipart; }

    Services& services_;
    StreamHead stream_;
    PartStyle style_;
    StreamExpectations expected_;
    std::shared_ptr<Held> held_;
    std::optional<Digest> sha256_;
    std::unique_ptr<Part> filling_;
    MemoryBody* memory_ = nullptr;  ///< the body of `filling_`: one of the two
    SpoolBody* spool_ = nullptr;
    uint64_t part_wanted_ = 0;
    unsigned last_number_ = 0;
    uint64_t size_ = 0;
    bool ended_ = false;
    bool wants_turn_ = false;
    std::vector<std::byte> chunk_;
};

/// There must be nothing after the last part that fits.
Result<bool> StreamParts::at_last_part() {
    std::array<std::byte, 1> one{};
    const Result<std::size_t> got = stream_.read(one, services_.now() + limits::stream_wait_busy);
    if (!got && !is_only_our_wait(got.error())) return got.error();
    if (got.ok() && *got > 0) {
        return Error{ErrorKind::unsupported, "the stream is longer than the " + format_size(size_) + " that " +
                                                 std::to_string(config().parts_max) + " parts hold"};
    }
    ended_ = got.ok();
    wants_turn_ = !ended_;
    return false;
}

bool StreamParts::is_only_our_wait(const Error& error) const {
    const std::optional<Instant> deadline = services_.run.deadline;
    return error.kind == ErrorKind::deadline && (!deadline || services_.now() < *deadline);
}

/// False when what is held has to go first.
Result<bool> StreamParts::begin_part() {
    if (last_number_ >= config().parts_max) return at_last_part();
    part_wanted_ = stream_part_size(last_number_ + 1, config());
    const uint64_t held = held_->memory + stream_.held_bytes();
    std::unique_ptr<port::BodySource> body;
    memory_ = nullptr;
    spool_ = nullptr;
    if (part_wanted_ <= config().stream_memory / 2) {
        const bool room = held + part_wanted_ <= config().stream_memory && held_->budget.may_take(part_wanted_);
        if (held_->memory > 0 && !room) return false;
        auto memory = std::make_unique<MemoryBody>(held_, part_wanted_);
        memory_ = memory.get();
        body = std::move(memory);
    } else {
        if (held_->spooled >= limits::stream_spooled_parts) return false;
        Result<std::unique_ptr<port::SpoolFile>> file = services_.ports.files.open_spool(services_.config.spool_folder);
        if (!file) return std::move(file).error();
        auto spool = std::make_unique<SpoolBody>(held_, std::move(*file));
        spool_ = spool.get();
        body = std::move(spool);
        chunk_.resize(limits::io_chunk_bytes);
    }
    filling_ = std::make_unique<Part>();
    filling_->number = ++last_number_;
    filling_->offset = size_;
    filling_->body = std::move(body);
    return true;
}

/// Reads into the part; the span given to the stream is the part's own memory where it has one.
Result<std::size_t> StreamParts::read_some(uint64_t wanted, bool busy) {
    const Instant until = services_.now() + (busy ? limits::stream_wait_busy : limits::stream_wait_idle);
    const auto step = static_cast<std::size_t>(std::min<uint64_t>(wanted, limits::io_chunk_bytes));
    MutableByteSpan place;
    if (memory_ != nullptr) {
        memory_->bytes.reserve(static_cast<std::size_t>(part_wanted_));
        memory_->bytes.resize(static_cast<std::size_t>(filling_->size) + step);
        place = MutableByteSpan(memory_->bytes).subspan(static_cast<std::size_t>(filling_->size), step);
    } else {
        place = MutableByteSpan(chunk_).first(step);
    }
    Result<std::size_t> got = stream_.read(place, until);
    const std::size_t count = got.ok() ? *got : 0;
    if (sha256_) sha256_->update(place.first(count));
    if (memory_ != nullptr)
        memory_->bytes.resize(static_cast<std::size_t>(filling_->size) + count);
    else if (Status kept = spool_->append(place.first(count)); count > 0 && !kept)
        return std::move(kept).error();
    filling_->size += count;
    size_ += count;
    return got;
}

/// True when the part is complete, or the stream at its end.
Result<bool> StreamParts::fill(bool busy) {
    uint64_t this_turn = 0;
    while (filling_->size < part_wanted_) {
        if (this_turn >= limits::turn_bytes) return false;
        const Result<std::size_t> got = read_some(part_wanted_ - filling_->size, busy);
        if (!got) {
            if (is_only_our_wait(got.error())) return false;
            return got.error();
        }
        if (*got == 0) {
            ended_ = true;
            return true;
        }
        this_turn += *got;
    }
    return true;
}

Result<std::unique_ptr<Part>> StreamParts::finish_part() {
    std::unique_ptr<Part> part = std::move(filling_);
    if (Status digested = digest_part(*part, style_); !digested) return std::move(digested).error();
    return part;
}

Result<std::unique_ptr<Part>> StreamParts::next(bool busy) {
    wants_turn_ = false;
    if (ended_) return std::unique_ptr<Part>();
    if (!filling_) {
        const Result<bool> begun = begin_part();
        if (!begun) return begun.error();
        if (!*begun) return std::unique_ptr<Part>();
    }
    const Result<bool> full = fill(busy);
    if (!full) return full.error();
    if (!*full) {
        wants_turn_ = true;
        return std::unique_ptr<Part>();
    }
    if (filling_->size == 0 && last_number_ > 1) {
        filling_.reset();
        return std::unique_ptr<Part>();
    }
    return finish_part();
}

Status StreamParts::final_check() {
    if (expected_.size && *expected_.size != size_) {
        return Error{ErrorKind::integrity, "the source has " + std::to_string(size_) + " bytes, not the " +
                                               std::to_string(*expected_.size) + " of --expect-size"};
    }
    if (!sha256_) return {};
    const std::string digest = to_hex(sha256_->finish());
    if (digest == expected_.sha256) return {};
    return Error{ErrorKind::integrity,
                 "the SHA-256 of the source is " + digest + ", not the " + expected_.sha256 + " of --expect-sha256"};
}

}  // namespace

Result<std::size_t> StreamHead::read(MutableByteSpan out, std::optional<Instant> until) {
    if (!head_) return stream_->read_next(out, until);
    Result<std::size_t> got = head_->read(head_read_, out);
    if (!got) return got;
    head_read_ += *got;
    if (head_read_ == head_->size()) head_.reset();
    return got;
}

std::unique_ptr<PartSupply> stream_parts(Services& services, StreamHead stream, PartStyle style,
                                         StreamExpectations expected) {
    return std::make_unique<StreamParts>(services, std::move(stream), std::move(style), std::move(expected));
}

}  // namespace s3tug::engine
