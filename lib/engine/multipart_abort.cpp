#include <utility>

#include "base/limits.h"
#include "engine/multipart_flow.h"
#include "wire/list_requests.h"
#include "wire/multipart_requests.h"

/// How an upload ends that does not come to its Complete: kept for the next run, or aborted and made sure of.
namespace s3tug::engine {
namespace {

/// Going on later is of use: the trouble is temporary, or mended outside of the store and the source.
bool can_go_on_later(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::gave_up:
        case ErrorKind::outcome_unknown:
        case ErrorKind::breaker_open:
        case ErrorKind::deadline:
        case ErrorKind::interrupted:
        case ErrorKind::credentials_refused:
        case ErrorKind::no_credentials:
        case ErrorKind::clock_skew:
        case ErrorKind::wrong_region:
        case ErrorKind::tls_trust:
        case ErrorKind::cannot_read: return true;
        default: return false;
    }
}

}  // namespace

void MultipartFlow::stop(Desk& desk, Outcome outcome) {
    if (phase_ == Phase::tidying) return desk.finish(outcome_);
    fail(desk, std::move(outcome));
}

void MultipartFlow::fail(Desk& desk, Outcome outcome) {
    wants_turn_ = false;
    if (phase_ == Phase::failing && !restarting_) return;
    restarting_ = false;
    phase_ = Phase::failing;
    outcome_ = std::move(outcome);
    desk.cut();
    if (in_flight_.empty()) settle_failure(desk);
}

bool MultipartFlow::is_kept() const {
    if (outcome_.error->kind == ErrorKind::interrupted && services_.config.multipart.abort_on_interrupt) return false;
    return journal_.recorded() && job_.record && !job_.record->path.empty() && can_go_on_later(outcome_.error->kind);
}

void MultipartFlow::settle_failure(Desk& desk) {
    if (restarting_) {
        restarting_ = false;
        if (!std::exchange(abort_first_, false)) return start_new(desk);
        phase_ = Phase::starting;
        after_abort_ = [this](Desk& d) { start_new(d); };
        return send_abort(desk);
    }
    phase_ = Phase::tidying;
    if (upload_id_.empty()) {
        // Where Create may have been applied, the recorded intent leads the next run to what it left.
        if (create_lost_) {
            note("the answer of CreateMultipartUpload was lost: an upload without parts may be left");
            journal_.leave_lost();
        } else {
            journal_.forget();
        }
        return desk.finish(outcome_);
    }
    if (is_kept()) {
        journal_.leave();
        outcome_.error->message += "; the parts sent so far are kept, the same command goes on from there";
        return desk.finish(outcome_);
    }
    if (complete_unknown_) {
        // Never an Abort after a Complete of unknown outcome: it may be landing now.
        journal_.leave();
        outcome_.error->message += "; upload " + upload_id_ + " was not aborted, since it may be complete";
        return desk.finish(outcome_);
    }
    after_abort_ = [this](Desk& d) {
        after_sweep_ = [this](Desk& last) { last.finish(outcome_); };
        if (!create_lost_ || !sweep_orphans(d)) end_sweep(d);
    };
    send_abort(desk);
}

void MultipartFlow::send_abort(Desk& desk) {
    ++aborts_;
    OperationSpec spec;
    spec.op = wire::Op::abort_multipart_upload;
    spec.build = [this] { return wire::abort_multipart_upload({job_.target, upload_id_, job_.properties.extra}); };
    desk.send(multipart_tag::abort, std::move(spec));
}

void MultipartFlow::on_aborted(Desk& desk, const OperationResult& result) {
    const bool stopped = result.error && is_stop(result.error->kind);
    if (stopped && !outcome_.error) {
        // The upload of an earlier run was to go first; it stays in the records for the next one.
        outcome_ = failed(result);
        phase_ = Phase::tidying;
        journal_.leave();
        return desk.finish(outcome_);
    }
    if (result.error) return abort_ended(desk, result.error->message);
    OperationSpec spec;
    spec.op = wire::Op::list_parts;
    spec.build = [this] {
        wire::ListPartsInput input;
        input.target = job_.target;
        input.upload_id = upload_id_;
        input.max_parts = 1;
        input.extra = job_.properties.extra;
        return wire::list_parts(input);
    };
    desk.send(multipart_tag::abort_check, std::move(spec));
}

/// A part that was in flight can be stored after the Abort (facts/idempotency.md section 3), so the list is asked until
/// the upload is gone or empty. Where listing is not allowed the Abort's answer has to do.
void MultipartFlow::on_abort_checked(Desk& desk, const OperationResult& result) {
    if (result.error) return abort_ended(desk, "");
    wire::ListPartsInput asked;
    asked.target = job_.target;
    asked.upload_id = upload_id_;
    asked.max_parts = 1;
    const Result<wire::ListPartsPage> page = wire::parse_list_parts(result.answer, asked);
    if (!page || page->parts.empty()) return abort_ended(desk, "");
    if (aborts_ < limits::upload_aborts_max) return send_abort(desk);
    abort_ended(desk, "parts still show after " + std::to_string(aborts_) + " aborts");
}

void MultipartFlow::abort_ended(Desk& desk, std::string_view trouble) {
    aborts_ = 0;
    if (trouble.empty()) {
        if (!create_lost_) journal_.forget();
    } else {
        // This Abort was safe to send, and so is the next one.
        journal_.leave_to_abort(false);
        const std::string text = "could not abort upload " + upload_id_ + " (" + std::string(trouble) + ")";
        if (outcome_.error)
            outcome_.error->message += "; " + text;
        else
            services_.trace.warning(item_, text);
    }
    upload_id_.clear();
    const std::function<void(Desk&)> next = std::exchange(after_abort_, nullptr);
    next(desk);
}

}  // namespace s3tug::engine
