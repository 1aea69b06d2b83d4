#include "base/limits.h"
#include "engine/get_flow.h"
#include "wire/object_requests.h"

/// The last step of a get: bytes that are all in a file, and a store that has only a checksum of their parts.
namespace s3tug::engine {

/// All bytes came, and match what they could be held against so far.
void GetFlow::all_there(Desk& desk) {
    const uint64_t size = ranged_ ? ranged_->pin().size : single_->received();
    if (!proof().composite || !target_->seekable() || size == 0) return end(desk);
    if (composite_)
        composite_->again();
    else
        composite_.emplace(*target_, *proof().composite, etag(), size);
    comparing_ = true;
    compare_parts(desk);
}

void GetFlow::compare_parts(Desk& desk) {
    if (composite_->busy()) {
        if (Status worked = composite_->work(); !worked) return fail(desk, failed(worked.error()));
    }
    while (looks_.size() < limits::part_looks_in_flight && (looks_.empty() || desk.room())) {
        const std::optional<unsigned> number = composite_->next_look();
        if (!number) break;
        ask_part(desk, *number);
    }
    const CompositeProof::State state = composite_->state();
    if (state == CompositeProof::State::asking || state == CompositeProof::State::hashing) return;
    comparing_ = false;
    if (!looks_.empty()) desk.abandon();
    looks_.clear();
    if (state != CompositeProof::State::damaged) return end(desk);
    if (ranged_ && !ranged_->doubted()) return doubt(composite_->why());
    const std::string why = composite_->why();  // goes with the comparison
    start_over(desk, true, why);
}

void GetFlow::ask_part(Desk& desk, unsigned number) {
    const unsigned tag = ++last_tag_;
    looks_.emplace(tag, number);
    OperationSpec head;
    head.op = wire::Op::head_object;
    head.of_part = number != CompositeProof::whole;
    head.build = [this, number, pinned = composite_->pins(number)] {
        wire::HeadObjectInput input;
        input.target = transfer_.source;
        input.version_id = ranged_ ? ranged_->pin().version_id : transfer_.version_id;
        input.extra = transfer_.properties.extra;
        input.part_number = number;
        if (pinned) input.if_match = etag();
        return wire::head_object(input);
    };
    desk.send(tag, std::move(head));
}

/// A store that does not tell sizes takes the comparison, not the object. What is temporary ends the get where bytes
/// are in doubt: a rerun can tell.
void GetFlow::on_part_told(Desk& desk, unsigned number, const OperationResult& result) {
    if (!result.error) {
        composite_->told(number, result.answer);
        return compare_parts(desk);
    }
    const ErrorKind kind = result.error->kind;
    const bool stopped = kind == ErrorKind::interrupted || kind == ErrorKind::deadline;
    if (stopped || (composite_->doubtful() && worth_keeping(kind))) return fail(desk, failed(result));
    if (kind == ErrorKind::precondition)
        composite_->pin_refused(number);
    else
        composite_->not_told(result.error->message);
    compare_parts(desk);
}

std::string GetFlow::why_not_compared() const {
    if (composite_) return composite_->why();
    if (proof().composite) return "only a checksum of parts is there, and a stream cannot be read again";
    return "the store has neither a checksum of the whole object nor an MD5 as ETag";
}

}  // namespace s3tug::engine
