#include "engine/range_sink.h"

#include <algorithm>

#include "wire/content_range.h"

namespace s3tug::engine {

RangeSink::RangeSink(PartTable& parts, port::TargetFile& target, const ObjectPin& pin, std::size_t part,
                     std::size_t behind)
    : parts_(parts), target_(target), pin_(pin), first_(part), part_(part), last_(part + behind) {}

void RangeSink::fail(Error error) {
    end_ = End::local;
    error_ = std::move(error);
}

Status RangeSink::stop(End end, std::string why) {
    end_ = end;
    why_ = why;
    return Error{ErrorKind::refused, std::move(why)};
}

bool RangeSink::begin(const wire::HttpAnswer& head) {
    if ((head.status != 200 && head.status != 206) || !head.headers.find("etag")) return false;
    end_ = End::open;
    whole_answer_ = false;
    const wire::ObjectFacts facts = wire::parse_object_facts(head);
    // The body is ours to refuse: write() ends the attempt, and review() says what that means.
    if ((!facts.etag.empty() && !pin_.etag.empty() && facts.etag != pin_.etag) ||
        (facts.size && *facts.size != pin_.size)) {
        static_cast<void>(stop(End::object_changed, "the object changed while it was read"));
    } else if (head.status == 200) {
        static_cast<void>(stop(End::range_ignored, "the store ignores ranges"));
    } else {
        const auto range = wire::parse_content_range(head.headers.find("content-range").value_or(""));
        if (!range || range->first != next_byte() || range->last != last_byte()) {
            static_cast<void>(stop(End::other_range, "the store answered another range than the one asked for"));
        }
    }
    return true;
}

bool RangeSink::next_part() {
    if (part_ < last_) {
        ++part_;
        return true;
    }
    if (!whole_answer_ || part_ + 1 >= parts_.count()) return false;
    // Only a part that is empty: the bytes that come are its first.
    if (parts_.part(part_ + 1).reached > 0 || parts_.part(part_ + 1).state != PartTable::State::free) return false;
    if ((may_take_ && !may_take_(part_ + 1)) || !parts_.claim(part_ + 1)) return false;
    last_ = ++part_;
    return true;
}

Status RangeSink::write(ByteSpan bytes) {
    if (end_ == End::local) return *error_;
    if (end_ != End::open) return Error{ErrorKind::refused, why_};
    while (!bytes.empty()) {
        const auto n = static_cast<std::size_t>(std::min<uint64_t>(bytes.size(), parts_.missing(part_)));
        if (n == 0) return stop(End::enough, "more bytes came than were asked for");
        if (Status written = target_.write_at(next_byte(), bytes.first(n)); !written) {
            fail(written.error());
            return written;
        }
        parts_.add(part_, bytes.first(n));
        bytes = bytes.subspan(n);
        if (parts_.missing(part_) > 0 || next_part()) continue;
        if (whole_answer_ && part_ + 1 < parts_.count()) return stop(End::enough, "the rest comes by other ways");
    }
    return {};
}

void RangeSink::review(const wire::Reply&, policy::Verdict& verdict) {
    const bool complete = part_ == last_ && parts_.missing(part_) == 0;
    if (complete && (end_ == End::enough || end_ == End::open)) {
        policy::Verdict fine;
        fine.host_answered = true;
        fine.status = verdict.status;
        fine.request_id = std::move(verdict.request_id);
        verdict = std::move(fine);
        return;
    }
    if (end_ == End::open && (verdict.status == 412 || verdict.status == 416)) end_ = End::object_changed;
    if (end_ == End::open && verdict.success()) {
        verdict.cls = policy::FailureClass::transient_network;
        verdict.retry = policy::RetryRule::yes;
        verdict.effect = policy::Effect::not_applied;
        verdict.message = "the answer ended before its range did";
    } else if (end_ == End::object_changed) {
        verdict.cls = policy::FailureClass::precondition;
        verdict.retry = policy::RetryRule::no;
        verdict.repair = policy::Repair::none;
    } else if (end_ == End::range_ignored) {
        verdict.cls = policy::FailureClass::unsupported;
        verdict.retry = policy::RetryRule::no;
        verdict.repair = policy::Repair::none;
        verdict.code = "RangeIgnored";
        verdict.message = why_;
    } else if (end_ == End::other_range) {
        verdict.cls = policy::FailureClass::integrity;
        verdict.retry = policy::RetryRule::once_after_fix;
        verdict.repair = policy::Repair::restart;
        verdict.code = "OtherRange";
        verdict.message = why_;
    }
}

}  // namespace s3tug::engine
