#include "sim/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace s3tug::sim {

namespace {

constexpr std::size_t violations_kept = 10;

Duration bounded(double seconds_, Duration most) {
    return seconds_ >= static_cast<double>(most.count()) ? most : Duration(static_cast<int64_t>(seconds_));
}

}  // namespace

WaitBounds wait_bounds(const policy::BackoffConfig& config, unsigned n, Duration previous) {
    const auto base = static_cast<double>(config.base.count());
    const Duration doubled = bounded(base * std::exp2(n), config.max);
    switch (config.kind) {
        case policy::BackoffKind::exponential: return {doubled, doubled + config.base};
        case policy::BackoffKind::full_jitter: return {Duration::zero(), doubled};
        case policy::BackoffKind::equal_jitter: return {doubled / 2, doubled};
        case policy::BackoffKind::decorrelated:
            return {config.base,
                    bounded(3.0 * static_cast<double>(std::max(previous, config.base).count()), config.max)};
        case policy::BackoffKind::linear: {
            const Duration exact = bounded(base * (n + 1.0), config.max);
            return {exact, exact};
        }
        case policy::BackoffKind::fixed: return {config.base, config.base};
    }
    return {};
}

void Monitor::check(bool holds, std::string what) {
    if (!holds && violations_.size() < violations_kept) violations_.push_back(std::move(what));
}

void Monitor::trace(Instant when, std::string_view who, std::string_view what, uint64_t detail) {
    const std::string line =
        fmt::format("{} {} {} {}\n", when.time_since_epoch().count() / 1'000'000, who, what, detail);
    for (const char c : line) hash_ = (hash_ ^ static_cast<uint8_t>(c)) * 0x100000001B3ULL;
    if (out_ != nullptr) std::fputs(line.c_str(), out_);
}

void Monitor::sending(const policy::BreakerRecord& record, const policy::BreakerConfig& config,
                      const policy::Ticket& ticket) {
    check(record.permits.size() <= std::max(1U, config.trials), "more permits than trials");
    check(record.state != policy::BreakerState::open, "a request was sent while the breaker was open");
    if (record.state != policy::BreakerState::half_open) return;
    const bool permitted =
        ticket.permit && std::any_of(record.permits.begin(), record.permits.end(),
                                     [&](const policy::Permit& permit) { return permit.id == *ticket.permit; });
    check(permitted, "a request without a permit was sent while the breaker was half-open");
}

void Monitor::tokens(const policy::RetryBudget& budget, const policy::BudgetConfig& config, Instant now) {
    const int64_t held = budget.tokens(now);
    check(held <= config.capacity, "more tokens than the bucket holds");
    check(held >= -config.capacity, "more debt than the bucket holds");
}

void Monitor::retry(const policy::RetryConfig& config, const policy::History& history, const policy::Verdict& verdict,
                    const policy::Situation& situation, const policy::RetryBudget& budget,
                    const policy::RetryAt& decision) {
    WaitBounds bounds = wait_bounds(config.backoff, history.attempts - 1, history.previous_wait);
    if (verdict.hint && verdict.hint->unit == policy::ServerHint::Unit::retry_after) {
        const Duration asked = std::min(verdict.hint->value, limits::retry_after_max);
        bounds = {std::max(bounds.least, asked), std::max(bounds.most, asked) + config.backoff.base};
    } else if (verdict.hint) {
        bounds.most += limits::amz_retry_after_span;
    }
    const Duration paid = budget.affordable_at(verdict.cls, situation.now) - situation.now;
    check(decision.wait >= std::max(bounds.least, paid), "a wait shorter than its formula or the budget's");
    check(decision.wait <= std::max(bounds.most, paid), "a wait longer than its formula and the budget's");
    check(decision.when == situation.now + decision.wait, "a retry not due at the end of its wait");
    check(!situation.deadline || decision.when < *situation.deadline, "a wait that reaches the deadline");
    check(history.attempts <= config.retries, "a retry beyond the number of retries");
    check(!situation.trial, "a retry in a trial");
}

}  // namespace s3tug::sim
