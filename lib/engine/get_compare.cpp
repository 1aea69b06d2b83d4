#include "base/limits.h"
#include "engine/get_flow.h"
#include "wire/object_requests.h"

/// A store that has only a checksum of the parts: the last step of a get to a file, and the first and the last of one
/// to a stream.
namespace s3tug::engine {

/// A stream takes what has a checksum of parts through the window, whatever its size: there it can wait.
bool GetFlow::waits_for_sizes(const wire::ObjectFacts& facts) const {
    return !target_->seekable() && transfer_.checksum && proof_of(facts).composite;
}

/// A stream is hashed as it leaves. Where its parts end must be known before.
void GetFlow::begin_passing() {
    ranged_->hash_as_they_pass();
    if (!proof().composite) return;
    composite_.emplace(*target_, *proof().composite, etag(), ranged_->pin().size);
    if (composite_->state() == CompositeProof::State::asking) window_->hold();
}

void GetFlow::has_left(ByteSpan bytes) {
    ranged_->passed(bytes);
    if (composite_) composite_->passed(bytes);
}

/// All bytes came, and match what they could be held against so far.
void GetFlow::all_there(Desk& desk) {
    const uint64_t size = ranged_ ? ranged_->pin().size : single_->received();
    const bool file = target_->seekable();
    if (!proof().composite || !(file || composite_) || size == 0) return end(desk);
    if (!composite_)
        composite_.emplace(*target_, *proof().composite, etag(), size);
    else if (file)
        composite_->again();
    comparing_ = true;
    compare_parts(desk);
}

void GetFlow::compare_parts(Desk& desk) {
    if (composite_->busy()) {
        if (Status worked = composite_->work(); !worked) return fail(desk, failed(worked.error()));
    }
    ask_parts(desk);
    const CompositeProof::State state = composite_->state();
    if (state == CompositeProof::State::asking || state == CompositeProof::State::hashing) return;
    comparing_ = false;
    drop_looks(desk);
    if (state != CompositeProof::State::damaged) return end(desk);
    if (ranged_ && !window_ && !ranged_->doubted()) return doubt(composite_->why());
    const std::string why = composite_->why();  // goes with the comparison
    start_over(desk, true, why);
}

void GetFlow::ask_parts(Desk& desk) {
    while (composite_ && looks_.size() < limits::part_looks_in_flight && (looks_.empty() || desk.room())) {
        const std::optional<unsigned> number = composite_->next_look();
        if (!number) break;
        ask_part(desk, *number);
    }
}

void GetFlow::drop_looks(Desk& desk) {
    for (const auto& [tag, number] : looks_) desk.abandon(tag);
    looks_.clear();
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

/// A store that does not tell sizes takes the comparison, not the object. What is temporary, or no store's answer, ends
/// the get: a rerun can tell, and success without a comparison is only for what cannot be compared.
void GetFlow::on_part_told(Desk& desk, unsigned number, const OperationResult& result) {
    if (!result.error) {
        composite_->told(number, result.answer);
        return part_told(desk);
    }
    const ErrorKind kind = result.error->kind;
    const bool refused =
        result.verdict.status >= 400 &&
        (kind == ErrorKind::refused || kind == ErrorKind::unsupported || kind == ErrorKind::access_denied);
    // A HEAD is refused without a word: that may be about partNumber, a session that expired, or a clock.
    const bool session = kind == ErrorKind::credentials_refused && number != CompositeProof::whole;
    const bool odd = session || kind == ErrorKind::access_denied;
    if (result.verdict.status == 412)
        composite_->pin_refused(number);
    else if (kind == ErrorKind::not_found)
        composite_->gone();
    else if (refused || session)
        composite_->not_told(number, result.error->message, odd);
    else
        return fail(desk, failed(result));
    part_told(desk);
}

void GetFlow::part_told(Desk& desk) {
    if (composite_->state() == CompositeProof::State::changed)
        return start_over(desk, true, "the object changed while it was read");
    if (comparing_) return compare_parts(desk);
    if (composite_->state() == CompositeProof::State::asking) return;
    drop_looks(desk);
    if (Status passed = window_->release(); !passed) fail(desk, failed(std::move(passed).error()));
}

std::string GetFlow::why_not_compared() const {
    if (composite_) return composite_->why();
    if (proof().composite)
        return "only a checksum of parts is there, and a stream without ranges cannot wait for their sizes";
    return "the store has neither a checksum of the whole object nor an MD5 as ETag";
}

}  // namespace s3tug::engine
