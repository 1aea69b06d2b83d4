#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/process_id.h"
#include "base/time.h"

namespace s3tug::policy {

/// Circuit breaker over one record of the state file, shared by all processes of the user on this machine. Pure: each
/// function takes the record and the time and gives the record that should be stored. Rules: design section 3, Circuit
/// breaker; hazards: facts/breaker.md sections 3 and 4. Loading never writes; a healthy success writes nothing.

enum class BreakerState : uint8_t { closed, open, half_open };
[[nodiscard]] std::string_view to_string(BreakerState s);

/// Numbers as the user set them. A threshold or number of trials of 0 counts as 1; a growth below 100 as 100; a longest
/// break below `open_for` as `open_for`.
struct BreakerConfig {
    unsigned threshold = limits::breaker_threshold;
    unsigned trials = limits::breaker_trials;
    Duration open_for = limits::breaker_open_for;
    Duration open_for_max = limits::breaker_open_for_max;
    unsigned growth_percent = 100;  ///< of the break after each failed half-open round; 200 doubles it
    Duration failure_window = limits::breaker_failure_window;
    Duration half_open_idle = limits::breaker_half_open_idle;
    Duration lease = limits::breaker_lease;
};

struct Permit {
    uint64_t id = 0;
    ProcessId owner;
    Instant lease_end{};
};

struct BreakerRecord {
    BreakerState state = BreakerState::closed;
    uint64_t generation = 0;     ///< grows at each change of state; results of an earlier one are dropped
    unsigned failures = 0;       ///< in a row: while closed, and those that opened it; 0 after failed trials
    unsigned successes = 0;      ///< of trials, half-open only
    unsigned failed_rounds = 0;  ///< half-open rounds that failed since last closed
    Instant changed_at{};        ///< of the state; valid under boot_id
    Instant last_failure_at{};
    WallTime changed_wall{};  ///< for people, and across boots
    WallTime last_failure_wall{};
    std::string boot_id;
    std::string last_error;       ///< "503 SlowDown", bounded; no key names, no secrets
    std::vector<Permit> permits;  ///< trials in flight, half-open only; at most config.trials
};

[[nodiscard]] std::string encode(const BreakerRecord& record);
/// nullopt for corrupt or absurd records (facts/breaker.md, Corruption): the caller starts closed and says so once.
[[nodiscard]] std::optional<BreakerRecord> decode_breaker(std::string_view text);

/// The world as the caller sees it at one moment.
struct BreakerNow {
    Instant now{};
    WallTime wall{};
    std::string boot_id;
    std::function<Liveness(const ProcessId&)> liveness;  ///< of permit owners
};

/// Leave to send for one item. Carried until the item ends; covers all its requests.
struct Ticket {
    uint64_t generation = 0;
    std::optional<uint64_t> permit;  ///< set for a trial: single attempts, lease to renew
};

struct BreakerChange {
    BreakerState from, to;
    std::string reason;
};

struct Admission {
    std::optional<Ticket> ticket;      ///< empty = refused
    std::optional<Duration> retry_in;  ///< when refused: time left of the break; empty = trials are under way
    std::string reason;                ///< when refused: state, last error
    BreakerRecord record;              ///< to be stored if `changed`
    bool changed = false;
    std::optional<BreakerChange> transition;  ///< for the trace
};

/// May an item start now? In half-open hands out a permit with `permit_id`, which the caller drew at random; trials in
/// flight and trials that succeeded are never more than `trials` together. Permits whose owner is dead are given back
/// without a verdict, also those whose lease is over under an owner that cannot be asked (another container). A lease
/// that is over under a live owner is a failed trial: it made no progress for that long.
[[nodiscard]] Admission ask(const BreakerConfig& config, const BreakerRecord& record, const BreakerNow& at,
                            const ProcessId& self, uint64_t permit_id);

enum class ItemResult : uint8_t {
    success,   ///< the host answered: done, or a failure that is the client's fault
    failure,   ///< retries used up on a failure that counts
    released,  ///< no verdict: local error, abort, the caller's deadline
};

struct BreakerUpdate {
    BreakerRecord record;
    bool changed = false;
    bool dropped = false;  ///< late result of an earlier generation, or of a permit that was taken back
    std::optional<BreakerChange> transition;
};
[[nodiscard]] BreakerUpdate report(const BreakerConfig& config, const BreakerRecord& record, const BreakerNow& at,
                                   const Ticket& ticket, ItemResult result, std::string_view error);

/// Extends a trial's lease on progress. Writes nothing while most of the lease is left. A trial that has made progress
/// for `half_open_idle` closes the breaker: the host lives, and an hour-long upload must not keep others out.
[[nodiscard]] BreakerUpdate renew(const BreakerConfig& config, const BreakerRecord& record, const BreakerNow& at,
                                  const Ticket& ticket);

}  // namespace s3tug::policy
