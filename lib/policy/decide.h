#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "base/error.h"
#include "base/limits.h"
#include "base/rng.h"
#include "base/time.h"
#include "policy/backoff.h"
#include "policy/budget.h"
#include "policy/idempotency.h"
#include "policy/verdict.h"

namespace s3tug::policy {

struct RetryConfig {
    unsigned retries = limits::retries_default;  ///< beyond the first attempt
    BackoffConfig backoff;
    unsigned repairs_max = limits::repairs_per_request_max;
    unsigned resolve_tries = limits::resolve_tries_max;  ///< an unresolvable name is tried 3 times, not 7
};

/// What has happened to one request so far.
struct History {
    unsigned attempts = 0;  ///< sent or tried, the one just judged included; repairs do not count
    Duration previous_wait{};
    /// Some earlier attempt may have been applied and was not settled since. A look that found nothing settles nothing:
    /// the write may still land, and then answers the next attempt with 412.
    bool unknown_outcome = false;
    unsigned resolve_failures = 0;  ///< in a row, the one just judged included
    std::set<Repair> repairs{};     ///< done already
};

/// What can be done about this request at this moment.
struct Situation {
    Instant now{};
    std::optional<Instant> deadline;
    bool trial = false;  ///< half-open: single attempts
    bool credentials_refreshable = false;
    bool body_repeatable = true;
    bool aws_endpoint = false;
    std::string current_region;
    Served served = Served::few;      ///< of what this run sent of late
    std::optional<Instant> ahead_of;  ///< this attempt went before the retry that stays due then
    /// Of this request; never null. Once a HEAD was denied the engine asks for the row with Look::denied.
    const IdempotencyRow* rule = nullptr;
};

struct Done {};
struct RetryAt {
    Instant when;  ///< at the latest
    Duration wait;
    std::string why;       ///< "500ms*2^1 + U(0,500ms)", hint, budget: for the trace
    Instant backed_off{};  ///< formula and hint are over; until `when` only the empty budget is waited for
};
struct RepairAndRetry {
    Repair repair;
    std::string why;
};
/// Look before repeating: the first look at `when`.
struct VerifyFirst {
    Instant when;
    std::string why;
};
struct GiveUp {
    ErrorKind kind;
    std::string why;
    bool counts_for_breaker = false;  ///< one failure of the item; never for the caller's own deadline
};
using Decision = std::variant<Done, RetryAt, RepairAndRetry, VerifyFirst, GiveUp>;

/// Where all limits meet: retry rule, repairs, count, budget, hint, deadline, idempotency. Does not take from the
/// budget; the engine takes when the retry is begun. Draws from `rng` only for waits.
/// Order:
/// 1. success -> done.
/// 2. 412, 409 or 404 after an attempt of unknown outcome may describe our own success -> look, or end
///    `outcome_unknown` where no look can tell.
/// 3. Effect unknown, the failure not final and the row wants a look -> verify, also when no retries are left. `retry =
///    yes` (throttles, gateways that did not reach the store) is sent again without a look unless a second landing
///    cannot be undone; the caller's History keeps the doubt for step 2. Complete is sent again first and looked at
///    when it cannot be any more.
/// 4. A repair is named, possible and not yet done -> repair, free of count and budget; also in a trial.
/// 5. The failure is final -> give up. 412 without an unknown attempt is; 409 is a race and is sent again.
/// 6. A trial, a body that cannot be sent twice, or retries used up -> give up.
/// 7. An attempt that went ahead of its retry -> that retry, as it was.
/// 8. The wait (formula, hint, empty budget) would reach the deadline -> give up with `deadline` and the real error.
[[nodiscard]] Decision decide(const RetryConfig& config, const History& history, const Verdict& verdict,
                              const Situation& situation, const RetryBudget& budget, Rng& rng);

/// After a look of a verification: what now? `looks` counts the HEADs that were answered since the attempt, this one
/// included. A HEAD that failed for a passing reason is no look: the engine repeats it, and when it gives up on that
/// the finding is `undecidable`.
///
/// - applied: done.
/// - absent: look again after 150 ms and 300 ms, since a late commit may come, then as not applied: steps 4 to 8 above,
///   a retry that counts.
/// - undecidable: the row decides at once: send again (classes A and B), or `outcome_unknown` (class C).
/// - other: under a condition somebody else's object stands there: `precondition`. Without one it is either the object
///   of before, ours not having landed, or a newer one of another client on top of ours; these cannot be told apart for
///   certain. Last writer wins by S3's own rules, so it is taken like absent: sent again, which is what the user asked
///   for. Only where a second landing cannot be undone (object lock) it ends `outcome_unknown`.
[[nodiscard]] Decision decide_after_look(const RetryConfig& config, const History& history, const Verdict& verdict,
                                         Finding finding, unsigned looks, const Situation& situation,
                                         const RetryBudget& budget, Rng& rng);

}  // namespace s3tug::policy
