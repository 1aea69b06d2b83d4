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
    bool unknown_outcome = false;  ///< some attempt may have been applied and was not settled since
    unsigned resolve_failures = 0;
    std::set<Repair> repairs;  ///< done already
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
    bool store_answers_others = true;      ///< for the wording only
    const IdempotencyRow* rule = nullptr;  ///< of this request; never null
};

struct Done {};
struct RetryAt {
    Instant when;
    Duration wait;
    std::string why;  ///< "500ms*2^1 + U(0,500ms)", hint, budget: for the trace
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
    bool counts_for_breaker = false;  ///< one failure of the item
};
using Decision = std::variant<Done, RetryAt, RepairAndRetry, VerifyFirst, GiveUp>;

/// Where all limits meet: retry rule, repairs, count, budget, hint, deadline, idempotency. Does not take from the
/// budget; the engine takes when the retry is begun. Draws from `rng` only for waits.
/// Order: success -> done; repair possible and not yet done -> repair (free of count and budget); rule `no` -> give up;
/// effect unknown (now or earlier, for answers that may describe our own success) and the row wants a look -> verify;
/// retries used up -> give up; the wait would pass the deadline -> give up with `deadline` and the real error.
[[nodiscard]] Decision decide(const RetryConfig& config, const History& history, const Verdict& verdict,
                              const Situation& situation, const RetryBudget& budget, Rng& rng);

/// After the looks of a verification: what now? `looks` counts HEADs done for this unknown outcome.
[[nodiscard]] Decision decide_after_look(const RetryConfig& config, const History& history, const Verdict& verdict,
                                         Finding finding, unsigned looks, const Situation& situation,
                                         const RetryBudget& budget, Rng& rng);

}  // namespace s3tug::policy
