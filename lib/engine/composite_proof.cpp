#include "engine/composite_proof.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace s3tug::engine {

CompositeProof::CompositeProof(const port::TargetFile& target, wire::StoredChecksum expected, const std::string& etag,
                               uint64_t size)
    : target_(target),
      in_passing_(!target.seekable()),
      expected_(std::move(expected)),
      etag_(etag),
      layout_(size, expected_.parts),
      of_part_(expected_.value.algorithm),
      of_all_(expected_.value.algorithm) {
    if (layout_.known()) begin_hashing();  // one part
}

std::optional<unsigned> CompositeProof::next_look() {
    if (state_ != State::asking) return std::nullopt;
    if (giving_up_) return std::exchange(whole_asked_, true) ? std::nullopt : std::optional(whole);
    // After the first part from the last one down: that one is the likeliest to be another than presumed.
    while (asked_ < wanted_) {
        const unsigned number = asked_++ == 0 ? 1 : layout_.parts() + 2 - asked_;
        if (!layout_.told(number)) return number;
    }
    const bool all = answers_ == layout_.parts();
    if (!all || !parts_differ_ || std::exchange(whole_asked_, true)) return std::nullopt;
    return whole;
}

void CompositeProof::told(unsigned number, const wire::HttpAnswer& head) {
    if (state_ != State::asking || (giving_up_ && number != whole)) return;
    const wire::ObjectFacts facts = wire::parse_object_facts(head);
    if (number == whole) {
        if (differs(facts.etag) || facts.size != layout_.size()) return gone();
        if (!giving_up_) return all_told();
        if (odd_) return ask_again();
        state_ = State::unknown;
        return;
    }
    parts_differ_ = parts_differ_ || differs(facts.etag);
    const bool told_before = layout_.told(number);
    if (!layout_.learn(number, head)) return give_up("the store does not tell the sizes of its parts");
    uneven_ = uneven_ || !(number == 1 ? layout_.looks_uniform() : layout_.as_presumed(number - 1));
    if (told_before) return;
    ++answers_;
    consider();
}

/// What to do with the sizes told so far: ask for more, presume the others, or go by them.
void CompositeProof::consider() {
    const unsigned parts = layout_.parts();
    if (uneven_ && parts > limits::uneven_parts_max)
        return give_up(std::to_string(parts) + " parts of uneven size are too many to ask for");
    if (uneven_ && doubtful_ && in_passing_) return give_up("its parts turned out to be of uneven size too late");
    if (answers_ < wanted_) return;
    if (wanted_ < parts) {
        const bool last_too = in_passing_ && wanted_ == 1 && parts > 2 && !uneven_;
        wanted_ = last_too ? 2 : parts;
        if (!last_too && !uneven_) begin_hashing();
        return;
    }
    if (!layout_.known()) return give_up("what the store tells of its parts does not make up the object");
    if (!parts_differ_) all_told();
}

void CompositeProof::pin_refused(unsigned number) {
    if (!pins(number)) return not_told(number, "412 without a condition");
    if (number != 1) return gone();
    parts_differ_ = true;
    asked_ = 0;
}

void CompositeProof::gone() {
    if (state_ == State::asking) state_ = State::changed;
}

void CompositeProof::all_told() {
    if (!doubtful_ || uneven_) return begin_hashing();
    state_ = State::damaged;  // hashed with these very sizes
}

void CompositeProof::not_told(unsigned number, const std::string& why, bool odd) {
    if (state_ != State::asking) return;
    if (giving_up_) {
        if (number == whole) state_ = State::unknown;
        return;
    }
    const bool strange = odd || answers_ > 0;  // the store has told of others
    odd_ = strange && !std::exchange(odd_before_, true);
    give_up("the store does not tell the sizes of its parts (" + why + ")", strange);
}

void CompositeProof::give_up(std::string why, bool ask_whole) {
    why_ = "only a checksum of parts is there, and " + std::move(why);
    giving_up_ = (parts_differ_ || ask_whole) && !whole_asked_;
    if (!giving_up_) state_ = State::unknown;
}

void CompositeProof::ask_again() {
    odd_ = giving_up_ = whole_asked_ = false;
    asked_ = 0;
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
        const uint64_t most = std::min<uint64_t>({budget, layout_.size() - offset_, chunk.size()});
        Result<std::size_t> n = target_.read_at(offset_, MutableByteSpan(chunk).first(static_cast<std::size_t>(most)));
        if (!n) return std::move(n).error();
        offset_ += *n;
        budget -= *n;
        digest(ByteSpan(chunk).first(*n));
        // A file that somebody cut short has a value too, only not the right one.
        if (*n == 0) end_hashing();
    }
    return {};
}

void CompositeProof::digest(ByteSpan bytes) {
    while (state_ == State::hashing) {
        const ByteSpan of_part = bytes.first(static_cast<std::size_t>(std::min<uint64_t>(left_, bytes.size())));
        of_part_.update(of_part);
        left_ -= of_part.size();
        bytes = bytes.subspan(of_part.size());
        if (left_ > 0) return;
        end_part();
    }
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
