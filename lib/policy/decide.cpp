#include "policy/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "policy/decide_text.h"

namespace s3tug::policy {

namespace {

/// Everything a decision is made from.
struct Case {
    const RetryConfig& config;
    const History& history;
    const Verdict& verdict;
    const Situation& situation;
    const RetryBudget& budget;
    Rng& rng;

    [[nodiscard]] const IdempotencyRow& rule() const { return *situation.rule; }
    [[nodiscard]] bool reaches_deadline(Instant when) const {
        return situation.deadline && when >= *situation.deadline;
    }
};

GiveUp give_up(const Case& c, ErrorKind kind, std::string why) {
    return {kind, std::move(why), c.verdict.counts_for_breaker};
}

/// The caller's own limit says nothing about the store.
GiveUp give_up_at_deadline(const Case& c, std::string_view what) {
    std::string why = fmt::format("{} would pass the deadline; last error: {}", what, failure_text(c.verdict));
    const Duration left = c.situation.deadline.value_or(c.situation.now) - c.situation.now;
    if (c.verdict.hint && c.verdict.hint->value >= left) {
        why += fmt::format("; the server asked for {}", format_duration(c.verdict.hint->value));
    }
    return {ErrorKind::deadline, std::move(why), false};
}

/// Can this answer be the echo of an earlier attempt of ours that worked?
bool may_describe_our_success(const Case& c) {
    if (!c.history.unknown_outcome || c.rule().after == AfterUnknown::send_again) return false;
    switch (c.verdict.cls) {
        case FailureClass::precondition:
        case FailureClass::conflict: return true;
        case FailureClass::not_found: return c.verdict.code != "NoSuchBucket";
        default: return false;
    }
}

bool repair_possible(const Case& c) {
    const Verdict& v = c.verdict;
    if (v.repair == Repair::none || c.history.repairs.contains(v.repair)) return false;
    if (c.history.repairs.size() >= c.config.repairs_max || !c.situation.body_repeatable) return false;
    switch (v.repair) {
        case Repair::clock_offset: return v.clock_offset.has_value();
        case Repair::credentials: return c.situation.credentials_refreshable;
        case Repair::region: {
            const bool redirected = v.status >= 300 && v.status < 400;  // another host, which only AWS's names give
            return !v.region.empty() && v.region != c.situation.current_region &&
                   (c.situation.aws_endpoint || !redirected);
        }
        default: return true;
    }
}

std::string repair_text(const Verdict& v) {
    switch (v.repair) {
        case Repair::clock_offset:
            return fmt::format("sign with the server's time, {} from ours", format_duration(*v.clock_offset));
        case Repair::region: return fmt::format("sign for region {}", v.region);
        case Repair::credentials: return "read the credentials again";
        case Repair::checksum_style: return "leave out the checksum that this store refuses";
        case Repair::fresh_connection: return "use a fresh connection";
        case Repair::reread_source: return "read the source again";
        case Repair::drop_expect: return "send without Expect";
        case Repair::restart: return "begin again from byte 0";
        case Repair::list_parts: return "compare the parts and send those that are missing";
        case Repair::none: break;  // no repair is decided then
    }
    return {};
}

/// Does this kind of failure go away by itself? Repairs are dealt with before.
bool temporary(const Verdict& v) {
    switch (v.retry) {
        case RetryRule::yes: return true;
        case RetryRule::no:
        case RetryRule::once_after_fix: return false;
        case RetryRule::verify_first: break;
    }
    return v.cls != FailureClass::precondition && v.cls != FailureClass::not_found && v.cls != FailureClass::client_bug;
}

bool is_resolve_failure(const Verdict& v) { return v.code.starts_with("CURLE_COULDNT_RESOLVE"); }

/// What the user must know when an attempt before the last error may have worked.
std::string_view doubt_text(const Case& c) {
    const bool doubt =
        !wire::only_reads(c.rule().op) && (c.history.unknown_outcome || c.verdict.effect == Effect::unknown);
    return doubt ? "; an attempt may have been applied" : "";
}

/// Why no further attempt may be made, or nothing.
std::optional<std::string> exhausted(const Case& c) {
    const std::string error = failure_text(c.verdict);
    if (!c.situation.body_repeatable) return fmt::format("{}, and the body cannot be sent a second time", error);
    if (c.situation.trial) {
        return fmt::format("{} in a trial of the circuit breaker, which is a single attempt{}", error, doubt_text(c));
    }
    if (is_resolve_failure(c.verdict) && c.history.resolve_failures >= c.config.resolve_tries) {
        return fmt::format("{} {} times in a row; is the host name right?", error, c.history.resolve_failures);
    }
    if (c.history.attempts <= c.config.retries) return std::nullopt;
    return fmt::format("{} after {} attempts{}", error, c.history.attempts, doubt_text(c));
}

bool wants_look(const Case& c) {
    const IdempotencyRow& rule = c.rule();
    if (wire::only_reads(rule.op) || rule.after == AfterUnknown::send_again) return false;
    if (rule.after == AfterUnknown::send_again_then_look) {
        const bool doubt = c.history.unknown_outcome || c.verdict.effect == Effect::unknown;
        return doubt && exhausted(c);
    }
    if (c.verdict.effect != Effect::unknown) return false;
    if (c.verdict.retry != RetryRule::yes) return true;
    return rule.repeat == RepeatClass::verify_first && rule.condition == Conditional::none;
}

/// Steps 6 to 8: sent again after a wait, unless a limit says no.
Decision retry_or_give_up(const Case& c) {
    if (auto why = exhausted(c)) return give_up(c, error_kind_of(c.verdict), *std::move(why));
    const Instant now = c.situation.now;
    if (const auto& due = c.situation.ahead_of) return RetryAt{*due, *due - now, "a probe; the wait goes on", *due};

    const unsigned retry = std::max(1U, c.history.attempts) - 1;
    const bool throttled = c.verdict.cls == FailureClass::throttling;
    const BackoffStep step = backoff_step(c.config.backoff, retry, {c.config.retries, throttled, c.situation.served});
    std::string why = formula_text(step.config, step.n, c.history.previous_wait);
    if (step.eased) why += ", eased: the store serves others";
    Duration wait = backoff_wait(step.config, step.n, c.history.previous_wait, c.rng);
    if (c.verdict.hint) {
        wait = apply_hint(step.config, wait, *c.verdict.hint, c.rng);
        why += ", " + hint_text(*c.verdict.hint);
    }
    const Instant backed_off = now + wait;
    const Instant paid = std::min(c.budget.affordable_at(c.verdict.cls, now), now + limits::backoff_max);
    if (paid > now + wait) {
        wait = paid - now;
        why += fmt::format("; retry budget is empty until +{} unless the store serves others", format_duration(wait));
    }
    if (c.reaches_deadline(now + wait)) {
        return give_up_at_deadline(c, fmt::format("the next wait of {}", format_duration(wait)));
    }
    return RetryAt{now + wait, wait, std::move(why), backed_off};
}

/// Steps 4 and 5, for an attempt that was not applied as far as we know.
std::optional<Decision> repair_or_end(const Case& c) {
    if (repair_possible(c)) {
        if (c.reaches_deadline(c.situation.now)) return give_up_at_deadline(c, "a repair");
        return RepairAndRetry{c.verdict.repair, repair_text(c.verdict)};
    }
    if (temporary(c.verdict)) return std::nullopt;
    return give_up(c, error_kind_of(c.verdict), fmt::format("{} is final{}", failure_text(c.verdict), doubt_text(c)));
}

GiveUp outcome_unknown(const Case& c, std::string_view because) {
    return give_up(c, ErrorKind::outcome_unknown,
                   fmt::format("{}: it may have been applied, and {}; running the command again settles it",
                               failure_text(c.verdict), because));
}

Decision look_at(const Case& c, Instant when, std::string why) {
    if (c.reaches_deadline(when)) return give_up_at_deadline(c, "looking whether it was applied");
    return VerifyFirst{when, std::move(why)};
}

Decision verify(const Case& c) {
    if (c.rule().proof == Proof::none) return outcome_unknown(c, "we are not allowed to look");
    return look_at(c, c.situation.now, fmt::format("may have left {}", c.rule().residue));
}

Decision after_absent(const Case& c, unsigned looks) {
    if (looks < limits::verifications_max) {
        const Duration pause = looks <= 1 ? limits::verify_pause_first : limits::verify_pause_second;
        return look_at(c, c.situation.now + pause, "not seen yet; it may land late");
    }
    // What made the condition fail is gone, so the store is asked again; a failed pin of a copy's source is final.
    const bool ask_again = c.verdict.cls == FailureClass::precondition && c.rule().condition != Conditional::none;
    if (!ask_again) {
        if (auto decision = repair_or_end(c)) return *std::move(decision);
    }
    return retry_or_give_up(c);
}

/// Not ours. Under a condition that is the end; else it is the object of before or that of a later writer.
Decision after_other(const Case& c, unsigned looks) {
    if (c.rule().condition != Conditional::none) {
        return GiveUp{ErrorKind::precondition, "an object that is not ours stands there", false};
    }
    if (c.rule().after == AfterUnknown::look_or_give_up && looks >= limits::verifications_max) {
        return outcome_unknown(c, "an object that is not ours stands there, perhaps on top of ours");
    }
    return after_absent(c, looks);
}

Decision after_undecidable(const Case& c) {
    if (c.rule().repeat == RepeatClass::verify_first) return outcome_unknown(c, "looking decided nothing");
    if (auto decision = repair_or_end(c)) return *std::move(decision);
    return retry_or_give_up(c);
}

}  // namespace

Decision decide(const RetryConfig& config, const History& history, const Verdict& verdict, const Situation& situation,
                const RetryBudget& budget, Rng& rng) {
    if (verdict.success()) return Done{};
    const Case c{config, history, verdict, situation, budget, rng};
    if (may_describe_our_success(c)) return verify(c);
    const bool look = wants_look(c);
    const bool final = !temporary(verdict) && verdict.retry != RetryRule::once_after_fix;
    if (look && !final) return verify(c);
    if (auto decision = repair_or_end(c)) return *std::move(decision);
    return retry_or_give_up(c);
}

Decision decide_after_look(const RetryConfig& config, const History& history, const Verdict& verdict, Finding finding,
                           unsigned looks, const Situation& situation, const RetryBudget& budget, Rng& rng) {
    const Case c{config, history, verdict, situation, budget, rng};
    switch (finding) {
        case Finding::applied: return Done{};
        case Finding::absent: return after_absent(c, looks);
        case Finding::other: return after_other(c, looks);
        case Finding::undecidable: break;
    }
    return after_undecidable(c);
}

}  // namespace s3tug::policy
