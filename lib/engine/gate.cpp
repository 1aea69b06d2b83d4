#include "engine/gate.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"

namespace s3tug::engine {
namespace {

constexpr Duration park_step = seconds(1);  // trials of others may end any time; reading the record is cheap

}  // namespace

ItemGate::ItemGate(const GateConfig& config, std::string key, std::string item, port::StateStore& state,
                   port::Clock& clock, port::Processes& processes, Rng rng, Trace& trace, RunFacts& run)
    : config_(config),
      key_(std::move(key)),
      item_(std::move(item)),
      state_(state),
      clock_(clock),
      processes_(processes),
      rng_(rng),
      trace_(trace),
      run_(run) {}

// Every path out of a trial must give its permit back (facts/breaker.md pitfall 1).
ItemGate::~ItemGate() { report(policy::ItemResult::released, ""); }

policy::BreakerNow ItemGate::world() const {
    return {clock_.now(), clock_.wall(), processes_.self().boot_id,
            [this](const ProcessId& id) { return processes_.liveness(id); }};
}

policy::BreakerRecord ItemGate::load() const {
    const Instant now = clock_.now();
    if (const auto known = run_.clean.find(key_); known != run_.clean.end()) {
        if (now < known->second.read_at + limits::breaker_reread) return known->second.record;
        run_.clean.erase(known);
    }
    const std::optional<std::string> text = state_.read(port::Table::breaker, key_);
    policy::BreakerRecord record =
        text ? policy::decode_breaker(*text).value_or(policy::BreakerRecord{}) : policy::BreakerRecord{};
    if (record.state == policy::BreakerState::closed && record.failures == 0)
        run_.clean.insert_or_assign(key_, RunFacts::Clean{record, now});
    return record;
}

bool ItemGate::ticket_still_good(const policy::BreakerRecord& record) const {
    if (!ticket_) return false;
    if (ticket_->generation != record.generation) return false;
    if (!ticket_->permit) return record.state == policy::BreakerState::closed;
    return std::any_of(record.permits.begin(), record.permits.end(),
                       [&](const policy::Permit& permit) { return permit.id == *ticket_->permit; });
}

ItemGate::Answer ItemGate::check() {
    if (config_.mode == BreakerMode::off) return Go{};
    const policy::BreakerRecord present = load();
    seen_ = present.state;
    if (ticket_still_good(present)) {
        if (!is_trial()) let_through();
        return Go{};
    }

    const uint64_t permit_id = rng_.next();
    policy::Admission admission = policy::ask(config_.breaker, present, world(), processes_.self(), permit_id);
    if (admission.changed) {
        state_.update(port::Table::breaker, key_, [&](const std::optional<std::string>& text) {
            const policy::BreakerRecord found =
                text ? policy::decode_breaker(*text).value_or(policy::BreakerRecord{}) : policy::BreakerRecord{};
            admission = policy::ask(config_.breaker, found, world(), processes_.self(), permit_id);
            return admission.changed ? std::optional(policy::encode(admission.record)) : std::nullopt;
        });
    }
    seen_ = admission.record.state;
    tell(admission.transition, "");
    if (!admission.ticket) return refused(admission);
    ticket_ = admission.ticket;
    parked_since_.reset();
    if (!is_trial()) let_through();
    // The items behind it wait for its end: this run is let in.
    run_.let_in = true;
    if (is_trial() && trace_.wants(port::EventKind::breaker)) { tell(std::nullopt, "trial permit taken"); }
    return Go{};
}

void ItemGate::let_through() {
    run_.parked = false;
    if (!run_.refused_since.empty()) run_.refused_since.erase(key_);
}

ItemGate::Answer ItemGate::refused(const policy::Admission& admission) {
    const Instant now = clock_.now();
    const bool starting = !run_.let_in;
    std::string when = admission.retry_in ? "try again in " + format_duration(*admission.retry_in)
                                          : std::string("trials are under way, try again soon");
    const Error error{ErrorKind::breaker_open, "nothing was sent to " + key_ + ": " + admission.reason + "; " + when};
    if (starting && config_.mode == BreakerMode::on) return error;

    if (!parked_since_) {
        parked_since_ = now;
        tell(std::nullopt, "parked: " + admission.reason + ", " + when);
    }
    // A command that waits from its start on was told to; a running one has its patience, and does not begin a wait
    // that would outlast it.
    const Instant refused_since = run_.refused_since.try_emplace(key_, now).first->second;
    run_.parked = true;
    const Duration by_then = now - refused_since + admission.retry_in.value_or(Duration::zero());
    if (config_.mode == BreakerMode::on && by_then >= config_.patience) return error;

    const Duration left = admission.retry_in.value_or(park_step);
    const auto spread = static_cast<uint64_t>(to_ms(config_.breaker.open_for) / 3);
    const Duration jitter = parked_since_ == now ? Duration(milliseconds(rng_.up_to(spread))) : Duration::zero();
    const Instant when_due = now + std::max(left + jitter, Duration(milliseconds(50)));
    if (run_.deadline && when_due >= *run_.deadline) {
        if (starting) return error;
        return Error{ErrorKind::deadline, "the deadline comes before the circuit breaker lets anything through (" +
                                              admission.reason + "; " + when + ")"};
    }
    tell_wait(admission, when_due, now - refused_since);
    return WaitUntil{when_due};
}

/// Whoever waits for long wonders why nothing moves: told once in a run, without being asked.
void ItemGate::tell_wait(const policy::Admission& admission, Instant due, Duration waited) {
    const Duration left = admission.retry_in ? due - clock_.now() : Duration::zero();
    if (run_.wait_told || std::max(left, waited) < limits::silent_wait_max) return;
    run_.wait_told = true;
    const std::string until = admission.retry_in
                                  ? "until " + format_utc(clock_.wall() + left) + " (" + format_duration(left) + ")"
                                  : "for trials that are under way";
    trace_.warning("", "waiting " + until + ", circuit breaker of " + key_ + ": " + admission.reason);
}

std::string ItemGate::state_name() const {
    if (config_.mode == BreakerMode::off) return "off";
    return std::string(policy::to_string(seen_));
}

void ItemGate::renew() {
    if (!is_trial() || reported_) return;
    state_.update(port::Table::breaker, key_, [&](const std::optional<std::string>& text) {
        const auto found = text ? policy::decode_breaker(*text) : std::nullopt;
        if (!found) return std::optional<std::string>();
        const policy::BreakerUpdate update = policy::renew(config_.breaker, *found, world(), *ticket_);
        return update.changed ? std::optional(policy::encode(update.record)) : std::nullopt;
    });
}

void ItemGate::report(policy::ItemResult result, std::string_view error) {
    if (reported_ || config_.mode == BreakerMode::off || !ticket_) return;
    reported_ = true;
    policy::BreakerUpdate update = policy::report(config_.breaker, load(), world(), *ticket_, result, error);
    if (update.changed) {
        run_.clean.erase(key_);
        state_.update(port::Table::breaker, key_, [&](const std::optional<std::string>& text) {
            const policy::BreakerRecord found =
                text ? policy::decode_breaker(*text).value_or(policy::BreakerRecord{}) : policy::BreakerRecord{};
            update = policy::report(config_.breaker, found, world(), *ticket_, result, error);
            return update.changed ? std::optional(policy::encode(update.record)) : std::nullopt;
        });
    }
    seen_ = update.record.state;
    if (update.dropped) tell(std::nullopt, "late result of an earlier state dropped");
    tell(update.transition, "");
}

void ItemGate::tell(const std::optional<policy::BreakerChange>& change, std::string_view what) {
    if ((!change && what.empty()) || !trace_.wants(port::EventKind::breaker)) return;
    port::TraceEvent event = trace_.event(port::EventKind::breaker, item_);
    event.breaker = policy::to_string(seen_);
    if (change) {
        event.next = std::string(policy::to_string(change->from)).append(" -> ").append(policy::to_string(change->to));
        event.why = change->reason;
    } else {
        event.why = what;
    }
    event.code = key_;
    trace_.emit(std::move(event));
}

}  // namespace s3tug::engine
