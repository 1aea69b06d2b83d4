#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "engine/operation.h"
#include "policy/backoff.h"

/// The verification half of an operation: a HEAD after an attempt of unknown outcome, and what follows from it.
namespace s3tug::engine {
namespace {

bool is_temporary(const policy::Verdict& verdict) {
    return verdict.retry == policy::RetryRule::yes || verdict.retry == policy::RetryRule::verify_first;
}

/// The store did not know or believe who asked, which says nothing of what they may do.
bool is_about_signature(const policy::Verdict& verdict) {
    return verdict.repair == policy::Repair::clock_offset || verdict.repair == policy::Repair::region ||
           verdict.repair == policy::Repair::credentials;
}

std::string_view finding_text(policy::Finding finding, bool gone_is_done) {
    switch (finding) {
        case policy::Finding::applied: return gone_is_done ? "it is gone" : "ours is there";
        case policy::Finding::absent: return gone_is_done ? "it is still there" : "nothing there";
        case policy::Finding::other: return "another object is there";
        case policy::Finding::undecidable: break;
    }
    return "the look decides nothing";
}

}  // namespace

policy::Finding Operation::judge(const wire::Reply& reply, const policy::Verdict& verdict) {
    policy::Expected expected = spec_.look->expected;
    if (verdict.success()) {
        const wire::ObjectFacts found = wire::parse_object_facts(*reply.answer());
        const std::optional<WallTime> since = spec_.look->since ? spec_.look->since : first_unknown_sent_;
        if (since && found.server_date) {
            // The attempt's start on the server's clock: this answer carries both clocks at one moment.
            const Duration server_minus_local = *found.server_date - reply.received_at;
            WallTime began = *since + server_minus_local;
            // The local clock may have been set since; a machine that slept has no other clock than that one.
            if (!spec_.look->since)
                began = std::min(began, *found.server_date - (services_.now() - first_unknown_began_));
            expected.not_before = std::chrono::floor<seconds>(began) - seconds(1);
        }
        result_.found = found;
        return policy::judge_look(expected, found);
    }
    // Asked for by its version, a delete marker answers 405, whose class is not_found: it stands there, and is unread.
    const bool unread = verdict.cls == policy::FailureClass::not_found && verdict.status == 405;
    if (unread && !spec_.look->version_id.empty()) return policy::Finding::absent;
    if (verdict.cls == policy::FailureClass::not_found) return policy::judge_look(expected, std::nullopt);
    return policy::Finding::undecidable;
}

/// Proven ours, and yet not what was sent.
std::optional<std::string> Operation::damage_found(policy::Finding finding) const {
    if (finding != policy::Finding::applied || !result_.found || !spec_.look->damage) return std::nullopt;
    return spec_.look->damage(*result_.found);
}

/// What an attempt would have mended is mended for a look too: its answer says nothing of the object.
bool Operation::mend_look(const policy::Verdict& seen) {
    if (!is_about_signature(seen)) return false;
    const bool redirected = seen.status >= 300 && seen.status < 400;
    if (seen.success() || (redirected && !services_.config.endpoint.aws)) return false;
    if (!history_.repairs.insert(seen.repair).second) return false;
    policy::Verdict of_attempt = std::exchange(verdict_, seen);
    const bool mended = apply_repair(seen.repair);
    verdict_ = std::move(of_attempt);
    return mended;
}

/// After a look on behalf of an earlier process: no attempt of this one has failed yet, so there is no verdict from
/// which to decide about a repeat.
bool Operation::may_send_first(policy::Finding finding) const {
    switch (finding) {
        case policy::Finding::applied: break;
        case policy::Finding::undecidable: return rule_->repeat != policy::RepeatClass::verify_first;
        case policy::Finding::other:
            if (rule_->after == policy::AfterUnknown::look_or_give_up) return false;
            [[fallthrough]];
        case policy::Finding::absent: return looks_ >= limits::verifications_max;
    }
    return false;
}

/// A look that failed for a passing reason is no look: it is repeated after a wait.
void Operation::look_later(const policy::Verdict& seen, const wire::Reply& reply) {
    const policy::RetryConfig& retry = services_.config.retry;
    const bool throttled = seen.cls == policy::FailureClass::throttling;
    const policy::BackoffStep step = policy::backoff_step(retry.backoff, look_failures_in_row_,
                                                          {retry.retries, throttled, services_.traffic.served()});
    ++look_failures_;
    ++look_failures_in_row_;
    const Duration wait = policy::backoff_wait(step.config, step.n, history_.previous_wait, services_.rng);
    const Instant when = services_.now() + wait;
    if (services_.run.deadline && when >= *services_.run.deadline) {
        return give_up({ErrorKind::outcome_unknown, "the deadline comes before another look", false});
    }
    services_.budget.take(seen.cls, services_.now());
    tell(port::EventKind::verify, &reply, seen, "look again", "the look failed: " + seen.code, wait);
    state_ = State::to_look;
    due_ = when;
}

void Operation::on_look(wire::Reply reply) {
    const policy::Verdict seen = policy::classify(context_, reply);
    note_throttle(seen);
    if (stopping_ && !seen.success()) return give_up({*stopping_, stopped_text(*stopping_), false});
    if (!seen.success() && is_temporary(seen) && look_failures_ < services_.config.retry.retries && !gate_.is_trial()) {
        return look_later(seen, reply);
    }
    look_failures_in_row_ = 0;
    if (mend_look(seen)) {
        state_ = State::to_look;
        due_ = services_.now();
        return;
    }
    policy::Finding finding = judge(reply, seen);
    ++looks_;
    if (std::optional<std::string> damage = damage_found(finding)) {
        if (std::optional<Error> local = spec_.local_error())
            return fail(*std::move(local), policy::ItemResult::released);
        if (spec_.condition != policy::Conditional::none) {
            // It stands in the way of what would mend it.
            call_damaged(verdict_, std::move(*damage));
            history_.unknown_outcome = false;
            return give_up({ErrorKind::integrity, "", false});
        }
        finding = policy::Finding::absent;
    }
    if (!seen.success() && is_about_signature(seen)) {
        return give_up({ErrorKind::outcome_unknown,
                        "the look whether it was applied is refused for our clock, region or credentials, which were "
                        "mended as far as they can be",
                        false});
    }
    if (finding == policy::Finding::undecidable && is_temporary(seen)) {
        verdict_ = seen;  // this look failed; the next may not
    } else if (finding == policy::Finding::undecidable && !seen.success()) {
        rule_ =
            &policy::idempotency_rule(spec_.op, spec_.condition, spec_.bucket, policy::Look::denied, spec_.token_sent);
    }
    if (history_.attempts == 0 && may_send_first(finding)) {
        state_ = State::to_send;
        due_ = services_.now();
        return;
    }
    const policy::Decision decision = policy::decide_after_look(services_.config.retry, history_, verdict_, finding,
                                                                looks_, situation(), services_.budget, services_.rng);
    tell(port::EventKind::verify, &reply, seen, std::holds_alternative<policy::Done>(decision) ? "done" : "",
         "look " + std::to_string(looks_) + ": " +
             std::string(finding_text(finding, spec_.op == wire::Op::delete_object)),
         std::nullopt);
    if (std::holds_alternative<policy::Done>(decision)) {
        verdict_ = {};
        std::optional<wire::ObjectFacts> found = std::move(result_.found);
        return succeed({}, std::move(found));
    }
    act(decision, &reply);
}

}  // namespace s3tug::engine
