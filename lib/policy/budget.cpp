#include "policy/budget.h"

#include <algorithm>

namespace s3tug::policy {

namespace {

constexpr int64_t milli = 1000;
constexpr int64_t ns_per_second = Duration(seconds(1)).count();
/// One millitoken at one token per second.
constexpr int64_t ns_per_millitoken = ns_per_second / milli;

/// How long the refill takes, rounded up. The rate is positive.
Duration time_for(int64_t millitokens, const BudgetConfig& config) {
    return Duration((millitokens * ns_per_millitoken + config.refill_per_second - 1) / config.refill_per_second);
}

struct Level {
    int64_t millitokens;
    Instant as_of;
};

/// Counts whole millitokens only and moves `as_of` by just the time that they took, so that thousands of updates in a
/// millisecond do not lose the refill to rounding.
Level refilled(const BudgetConfig& config, int64_t millitokens, Instant updated, Instant now) {
    const int64_t full = config.capacity * milli;
    if (now <= updated) return {millitokens, updated};
    if (millitokens >= full) return {full, now};
    if (config.refill_per_second <= 0) return {millitokens, now};
    const int64_t missing = full - millitokens;
    const int64_t elapsed_ns = (now - updated).count();
    if (elapsed_ns / ns_per_millitoken >= missing / config.refill_per_second + 1) return {full, now};
    const int64_t gained = std::min(missing, elapsed_ns * config.refill_per_second / ns_per_millitoken);
    return {millitokens + gained, updated + time_for(gained, config)};
}

}  // namespace

RetryBudget::RetryBudget(const BudgetConfig& config, Instant now)
    : config_(config), millitokens_(config.capacity * milli), updated_(now) {}

int64_t RetryBudget::cost(FailureClass cls) const {
    return cls == FailureClass::throttling ? config_.cost_throttle : config_.cost_transient;
}

int64_t RetryBudget::tokens(Instant now) const {
    const int64_t held = refilled(config_, millitokens_, updated_, now).millitokens;
    return held >= 0 ? held / milli : -((-held + milli - 1) / milli);
}

Instant RetryBudget::affordable_at(FailureClass cls, Instant now) const {
    const Level level = refilled(config_, millitokens_, updated_, now);
    const int64_t missing = std::min(cost(cls), config_.capacity) * milli - level.millitokens;
    if (missing <= 0) return now;
    if (config_.refill_per_second <= 0) return Instant::max();
    return std::max(now, level.as_of + time_for(missing, config_));
}

void RetryBudget::take(FailureClass cls, Instant now) {
    const Level level = refilled(config_, millitokens_, updated_, now);
    millitokens_ = std::max(level.millitokens - cost(cls) * milli, -config_.capacity * milli);
    updated_ = level.as_of;
}

void RetryBudget::drain(Instant now) {
    const Level level = refilled(config_, millitokens_, updated_, now);
    millitokens_ = std::min<int64_t>(level.millitokens, 0);
    updated_ = level.as_of;
}

void RetryBudget::on_success(bool was_retry, FailureClass retried_for, Instant now) {
    const Level level = refilled(config_, millitokens_, updated_, now);
    const int64_t earned = was_retry ? cost(retried_for) : 1;
    millitokens_ = std::min(level.millitokens + earned * milli, config_.capacity * milli);
    updated_ = level.as_of;
}

}  // namespace s3tug::policy
