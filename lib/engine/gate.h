#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "base/error.h"
#include "base/rng.h"
#include "engine/trace.h"
#include "policy/breaker.h"
#include "port/clock.h"
#include "port/state_store.h"

namespace s3tug::engine {

enum class BreakerMode : uint8_t { on, off, wait };

struct GateConfig {
    BreakerMode mode = BreakerMode::on;
    policy::BreakerConfig breaker;
    Duration patience = limits::breaker_patience;  ///< how long a running command waits for a trial slot
};

/// What one run knows together: whether any of it was let in yet. A command that starts against an open breaker ends
/// at once; one that is under way parks its queue.
struct RunFacts {
    bool let_in = false;
    bool wait_told = false;  ///< that the run waits for a breaker
    bool parked = false;     ///< the last item that asked was told to wait
    /// By breaker key: a record that was closed and clean when it was read, and when that was. Believed for
    /// limits::breaker_reread, so that small items do not each read the state file; what this run reports ends it.
    struct Clean {
        policy::BreakerRecord record;
        Instant read_at;
    };
    std::map<std::string, Clean> clean;
    /// By breaker key: since when nobody was let through but for trials. Patience is the run's, not of each item anew.
    std::map<std::string, Instant> refused_since;
    std::optional<Instant> deadline;
};

/// The breaker as one item meets it: asks before the first request and again before each repeat, holds the permit of a
/// trial, reports exactly once. Reads are cheap; the record is only written when it changes.
class ItemGate {
  public:
    ItemGate(const GateConfig& config, std::string key, std::string item, port::StateStore& state, port::Clock& clock,
             port::Processes& processes, Rng rng, Trace& trace, RunFacts& run);
    ~ItemGate();
    ItemGate(const ItemGate&) = delete;
    ItemGate& operator=(const ItemGate&) = delete;

    struct Go {};
    struct WaitUntil {
        Instant when;
    };
    using Answer = std::variant<Go, WaitUntil, Error>;

    /// May the next request of this item be sent? `error` explains a refusal and says when to come back.
    [[nodiscard]] Answer check();

    [[nodiscard]] bool is_trial() const { return ticket_ && ticket_->permit.has_value(); }
    [[nodiscard]] bool parked() const { return parked_since_.has_value(); }  ///< the last request was told to wait
    [[nodiscard]] std::string state_name() const;

    /// Extends a trial's lease while it makes progress.
    void renew();

    /// The item's verdict; the first call counts. `error` is kept in the record for people ("503 SlowDown").
    void report(policy::ItemResult result, std::string_view error);

  private:
    [[nodiscard]] policy::BreakerNow world() const;
    [[nodiscard]] policy::BreakerRecord load() const;
    void let_through();
    [[nodiscard]] Answer refused(const policy::Admission& admission);
    void tell_wait(const policy::Admission& admission, Instant due, Duration waited);
    bool ticket_still_good(const policy::BreakerRecord& record) const;
    void tell(const std::optional<policy::BreakerChange>& change, std::string_view what);

    GateConfig config_;
    std::string key_;
    std::string item_;
    port::StateStore& state_;
    port::Clock& clock_;
    port::Processes& processes_;
    Rng rng_;
    Trace& trace_;
    RunFacts& run_;
    std::optional<policy::Ticket> ticket_;
    std::optional<Instant> parked_since_;
    policy::BreakerState seen_ = policy::BreakerState::closed;
    bool reported_ = false;
};

}  // namespace s3tug::engine
