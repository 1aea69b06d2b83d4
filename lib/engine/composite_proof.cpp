#include "engine/composite_proof.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace s3tug::engine {

CompositeProof::CompositeProof(const port::TargetFile& file, wire::StoredChecksum expected, const std::string& etag,
                               uint64_t size)
    : file_(file),
      expected_(std::move(expected)),
      etag_(etag),
      layout_(size, expected_.parts),
      of_part_(expected_.value.algorithm),
      of_all_(expected_.value.algorithm) {
    if (layout_.known()) begin_hashing();  // one part
}

std::optional<unsigned> CompositeProof::next_look() {
    if (state_ != State::asking) return std::nullopt;
    if (asked_ < wanted_) return ++asked_;
    const bool all = answers_ == layout_.parts();
    if (!all || !parts_differ_ || std::exchange(whole_asked_, true)) return std::nullopt;
    return whole;
}

void CompositeProof::told(unsigned number, const wire::HttpAnswer& head) {
    if (state_ != State::asking) return;
    const wire::ObjectFacts facts = wire::parse_object_facts(head);
    if (number == whole) {
        if (facts.etag != etag_ || facts.size != layout_.size()) return give_up("it is another object's by now");
        return all_told();
    }
    if (!layout_.learn(number, head)) return give_up("the store does not tell the sizes of its parts");
    parts_differ_ = parts_differ_ || facts.etag != etag_;
    if (++answers_ < wanted_) return;
    if (wanted_ == 1) {
        wanted_ = layout_.parts();
        if (layout_.looks_uniform()) begin_hashing();
        return;
    }
    if (!layout_.known()) return give_up("what the store tells of its parts does not make up the object");
    if (!parts_differ_) all_told();
}

void CompositeProof::pin_refused(unsigned number) {
    if (number != 1 || !pins(number)) return not_told("the object has changed");
    parts_differ_ = true;
    asked_ = 0;
}

void CompositeProof::all_told() {
    if (!doubtful_ || !layout_.is_uniform()) return begin_hashing();
    state_ = State::damaged;  // hashed with these very sizes
}

void CompositeProof::not_told(const std::string& why) {
    if (state_ == State::asking) give_up("the store does not tell the sizes of its parts (" + why + ")");
}

void CompositeProof::give_up(std::string why) {
    state_ = State::unknown;
    why_ = "only a checksum of parts is there, and " + std::move(why);
}

void CompositeProof::again() { begin_hashing(); }

void CompositeProof::begin_hashing() {
    state_ = State::hashing;
    of_part_ = Checksummer(expected_.value.algorithm);
    of_all_ = Checksummer(expected_.value.algorithm);
    offset_ = 0;
    part_ = 0;
    left_ = layout_.bytes(0);
}

Status CompositeProof::work() {
    std::vector<std::byte> chunk(limits::io_chunk_bytes);  // of this turn: there may be very many downloads
    for (uint64_t budget = limits::hash_step_bytes; busy() && budget > 0;) {
        const uint64_t most = std::min<uint64_t>({budget, left_, chunk.size()});
        Result<std::size_t> n = file_.read_at(offset_, MutableByteSpan(chunk).first(static_cast<std::size_t>(most)));
        if (!n) return std::move(n).error();
        of_part_.update(ByteSpan(chunk).first(*n));
        offset_ += *n;
        left_ -= *n;
        budget -= *n;
        // A file that somebody cut short has a value too, only not the right one.
        if (left_ == 0 || *n == 0) end_part();
    }
    return {};
}

void CompositeProof::end_part() {
    if (const auto raw = from_base64(of_part_.finish().base64)) of_all_.update(*raw);
    if (++part_ == layout_.parts()) return end_hashing();
    left_ = layout_.bytes(part_);
}

void CompositeProof::end_hashing() {
    const wire::StoredChecksum have{of_all_.finish(), wire::ChecksumScope::composite, layout_.parts()};
    doubtful_ = have != expected_;
    if (!doubtful_) {
        state_ = State::matches;
        return;
    }
    why_ = "checksum of the parts is " + wire::to_text(have) + ", the store says " + wire::to_text(expected_);
    state_ = layout_.known() ? State::damaged : State::asking;
}

}  // namespace s3tug::engine
