#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "policy/breaker.h"
#include "policy/budget.h"
#include "policy/decide.h"

namespace s3tug::sim {

/// Watches a run from outside: what must hold at every step, and a hash over everything that happened. Its bounds are
/// computed here from the formulas of facts/backoff.md, not by the code under test.
class Monitor {
  public:
    void check(bool holds, std::string what);
    /// Every event of a run goes through here, so that equal hashes mean equal runs. `what` is a word for people.
    void trace(Instant when, std::string_view who, std::string_view what, uint64_t detail);
    void print_to(std::FILE* out) { out_ = out; }  ///< every event as a line, for the replay of one seed

    /// A request leaves: an open breaker lets nothing through, a half-open one only holders of a permit.
    void sending(const policy::BreakerRecord& record, const policy::BreakerConfig& config,
                 const policy::Ticket& ticket);
    void tokens(const policy::RetryBudget& budget, const policy::BudgetConfig& config, Instant now);
    /// A retry was decided: its wait is that of the formula, the hint or the budget, and ends before the deadline.
    void retry(const policy::RetryConfig& config, const policy::History& history, const policy::Verdict& verdict,
               const policy::Situation& situation, const policy::RetryBudget& budget, const policy::RetryAt& decision);

    [[nodiscard]] uint64_t hash() const { return hash_; }
    [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

  private:
    uint64_t hash_ = 0xCBF29CE484222325ULL;  // FNV-1a
    std::vector<std::string> violations_;
    std::FILE* out_ = nullptr;
};

struct WaitBounds {
    Duration least, most;
};
[[nodiscard]] WaitBounds wait_bounds(const policy::BackoffConfig& config, unsigned n, Duration previous);

}  // namespace s3tug::sim
