#pragma once

#include <cstdint>

#include "base/limits.h"
#include "base/time.h"
#include "policy/verdict.h"

namespace s3tug::policy {

struct BudgetConfig {
    int64_t capacity = limits::budget_tokens;
    int64_t cost_transient = limits::budget_cost_transient;
    int64_t cost_throttle = limits::budget_cost_throttle;
    int64_t refill_per_second = 2;  ///< by time, so that an empty bucket delays and never ends a run
};

/// Retry budget of one process and endpoint: a token bucket (facts/backoff.md section 4). A retry costs tokens, time
/// and success bring them back; a run that was served and then fails as a whole has none left. An empty bucket delays
/// retries; it never fails an item. Asking never changes it. Debt ends at -capacity, so that however many items fail at
/// once, each has its turn within (capacity + cost) / refill_per_second (smithy-rs#4632 is what happens without that
/// bound). Not thread-safe.
class RetryBudget {
  public:
    RetryBudget(const BudgetConfig& config, Instant now);

    [[nodiscard]] int64_t cost(FailureClass cls) const;
    [[nodiscard]] int64_t tokens(Instant now) const;
    /// Earliest time at which a retry of this class can be paid: `now` when it can be at once.
    [[nodiscard]] Instant affordable_at(FailureClass cls, Instant now) const;

    void take(FailureClass cls, Instant now);  ///< pays for one retry; may owe (the wait was decided before)
    void drain(Instant now);                   ///< an outage: from now on only time pays for retries
    void on_success(bool was_retry, FailureClass retried_for, Instant now);  ///< first try +1, a retry its cost back

  private:
    BudgetConfig config_;
    int64_t millitokens_;
    Instant updated_;
};

}  // namespace s3tug::policy
