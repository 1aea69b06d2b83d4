#include "policy/breaker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace s3tug::policy {

namespace {

unsigned threshold_of(const BreakerConfig& config) { return std::max(1U, config.threshold); }
unsigned trials_of(const BreakerConfig& config) { return std::clamp(config.trials, 1U, limits::breaker_trials_max); }

Duration break_length(const BreakerConfig& config, const BreakerRecord& record) {
    if (config.open_for <= Duration::zero()) return Duration::zero();
    const Duration longest = std::max(config.open_for, config.open_for_max);
    const double growth = std::pow(std::max(100U, config.growth_percent) / 100.0, record.failed_rounds);
    const double length = static_cast<double>(config.open_for.count()) * growth;
    if (length >= static_cast<double>(longest.count())) return longest;
    return Duration(static_cast<Duration::rep>(length));
}

/// Time since `then`, never negative: another process may have read its clock a moment after us.
Duration age(Instant then, const BreakerNow& at) { return std::max(Duration::zero(), at.now - then); }
Duration wall_age(WallTime then, const BreakerNow& at) { return std::max(Duration::zero(), at.wall - then); }

/// Was the record written by the clock that we read? Not so under another boot id, and not when its times lie ahead by
/// more than a whole break: another time namespace, or a value that nobody could have written.
bool same_clock(const BreakerConfig& config, const BreakerRecord& record, const BreakerNow& at) {
    const Duration slack = std::max(break_length(config, record), limits::state_lock_wait);
    return record.boot_id == at.boot_id && record.changed_at - at.now <= slack &&
           record.last_failure_at - at.now <= slack;
}

/// Moves a record of another clock to ours: its permits belong to nobody that lives, and the wall clock says how much
/// of the windows has passed, between nothing and all of it. What remains of a break is dropped by `ask`.
void take_over_clock(const BreakerConfig& config, BreakerRecord& record, const BreakerNow& at) {
    record.boot_id = at.boot_id;
    record.permits.clear();
    record.changed_at = at.now - std::min(wall_age(record.changed_wall, at), config.half_open_idle);
    if (wall_age(record.last_failure_wall, at) > config.failure_window) record.failures = 0;
    record.last_failure_at = at.now - std::min(wall_age(record.last_failure_wall, at), config.failure_window);
}

BreakerChange change_state(BreakerRecord& record, BreakerState to, const BreakerNow& at, std::string reason) {
    const BreakerState from = record.state;
    record.state = to;
    ++record.generation;
    if (to != BreakerState::open) record.failures = 0;  // an open one tells how many opened it
    record.successes = 0;
    if (to == BreakerState::closed) record.failed_rounds = 0;
    record.permits.clear();
    record.changed_at = at.now;
    record.changed_wall = at.wall;
    record.boot_id = at.boot_id;
    return {from, to, std::move(reason)};
}

void note_failure(BreakerRecord& record, const BreakerNow& at, std::string_view error) {
    record.last_failure_at = at.now;
    record.last_failure_wall = at.wall;
    record.boot_id = at.boot_id;
    record.last_error.assign(error.substr(0, limits::breaker_error_max_bytes));
    std::replace_if(
        record.last_error.begin(), record.last_error.end(), [](char c) { return c < 0x20 || c > 0x7E; }, '?');
}

BreakerChange fail_round(BreakerRecord& record, const BreakerNow& at, std::string_view error) {
    note_failure(record, at, error);
    record.failed_rounds = std::min(record.failed_rounds + 1, limits::breaker_count_max);
    return change_state(record, BreakerState::open, at, fmt::format("a trial failed: {}", record.last_error));
}

bool rested(const BreakerConfig& config, const BreakerRecord& record, const BreakerNow& at) {
    return age(record.changed_at, at) >= config.half_open_idle;
}

std::string rested_reason(const BreakerConfig& config) {
    return fmt::format("half-open for {} without a failure", format_duration(config.half_open_idle));
}

std::string trials_reason(const BreakerRecord& record) { return fmt::format("{} trials succeeded", record.successes); }

std::string state_reason(const BreakerRecord& record) {
    return fmt::format("circuit breaker is {}, last error: {}", to_string(record.state),
                       record.last_error.empty() ? "not known" : record.last_error);
}

enum class PermitFate : uint8_t { keep, give_back, failed };

PermitFate fate(const Permit& permit, const BreakerNow& at) {
    const Liveness owner = at.liveness ? at.liveness(permit.owner) : Liveness::unknown;
    if (owner == Liveness::dead || permit.lease_end - at.now > limits::breaker_lease_max) return PermitFate::give_back;
    if (at.now < permit.lease_end) return PermitFate::keep;
    return owner == Liveness::alive ? PermitFate::failed : PermitFate::give_back;
}

/// Takes back permits that nobody will report on. False when one of them is a failed trial.
bool reclaim(BreakerRecord& record, const BreakerNow& at) {
    bool failed = false;
    std::erase_if(record.permits, [&](const Permit& permit) {
        const PermitFate f = fate(permit, at);
        failed = failed || f == PermitFate::failed;
        return f != PermitFate::keep;
    });
    return !failed;
}

void admit(Admission& admission, std::optional<uint64_t> permit) {
    admission.ticket = Ticket{admission.record.generation, permit};
}

/// The half-open part of `ask`, on a record that is already under our clock.
void ask_half_open(const BreakerConfig& config, const BreakerNow& at, const ProcessId& self, uint64_t permit_id,
                   Admission& admission) {
    BreakerRecord& record = admission.record;
    const std::size_t before = record.permits.size();
    if (!reclaim(record, at)) {
        admission.transition = fail_round(record, at, "a trial did not end within its lease");
        admission.changed = true;
        admission.retry_in = break_length(config, record);
        admission.reason = state_reason(record);
        return;
    }
    admission.changed = admission.changed || record.permits.size() != before;
    const bool enough = record.successes >= trials_of(config);  // only when the number was lowered meanwhile
    if (enough || (record.successes > 0 && rested(config, record, at))) {
        admission.transition =
            change_state(record, BreakerState::closed, at, enough ? trials_reason(record) : rested_reason(config));
        admission.changed = true;
        admit(admission, std::nullopt);
        return;
    }
    if (record.permits.size() + record.successes >= trials_of(config)) {
        admission.reason = fmt::format("{}; {} of {} trials are under way", state_reason(record), record.permits.size(),
                                       trials_of(config));
        return;
    }
    record.permits.push_back({permit_id, self, at.now + config.lease});
    admission.changed = true;
    admit(admission, permit_id);
}

Permit* find_permit(BreakerRecord& record, const Ticket& ticket) {
    if (!ticket.permit) return nullptr;
    const auto found = std::find_if(record.permits.begin(), record.permits.end(),
                                    [&](const Permit& permit) { return permit.id == *ticket.permit; });
    return found == record.permits.end() ? nullptr : &*found;
}

/// Does this ticket still speak for the present state? An open breaker hears nobody.
bool is_current(BreakerRecord& record, const Ticket& ticket) {
    if (ticket.generation != record.generation) return false;
    switch (record.state) {
        case BreakerState::closed: return !ticket.permit;
        case BreakerState::open: break;
        case BreakerState::half_open: return find_permit(record, ticket) != nullptr;
    }
    return false;
}

void report_closed(const BreakerConfig& config, const BreakerNow& at, ItemResult result, std::string_view error,
                   BreakerUpdate& update) {
    BreakerRecord& record = update.record;
    if (result == ItemResult::success) {
        update.changed = record.failures > 0;
        record.failures = 0;
    }
    if (result != ItemResult::failure) return;
    const bool in_row = record.failures > 0 && age(record.last_failure_at, at) <= config.failure_window;
    record.failures = in_row ? std::min(record.failures + 1, limits::breaker_count_max) : 1;
    note_failure(record, at, error);
    update.changed = true;
    if (record.failures < threshold_of(config)) return;
    record.failed_rounds = 0;
    update.transition = change_state(record, BreakerState::open, at,
                                     fmt::format("{} failures in a row, last: {}", record.failures, record.last_error));
}

void report_trial(const BreakerConfig& config, const BreakerNow& at, const Ticket& ticket, ItemResult result,
                  std::string_view error, BreakerUpdate& update) {
    BreakerRecord& record = update.record;
    update.changed = true;
    std::erase_if(record.permits, [&](const Permit& permit) { return permit.id == *ticket.permit; });
    if (result == ItemResult::failure) update.transition = fail_round(record, at, error);
    if (result != ItemResult::success) return;
    ++record.successes;
    if (record.successes >= trials_of(config)) {
        update.transition = change_state(record, BreakerState::closed, at, trials_reason(record));
    } else if (rested(config, record, at)) {
        update.transition = change_state(record, BreakerState::closed, at, rested_reason(config));
    }
}

}  // namespace

Admission ask(const BreakerConfig& config, const BreakerRecord& record, const BreakerNow& at, const ProcessId& self,
              uint64_t permit_id) {
    Admission admission;
    admission.record = record;
    if (record.state == BreakerState::closed) {
        admit(admission, std::nullopt);
        return admission;
    }
    const bool clock_changed = !same_clock(config, record, at);
    if (clock_changed) {
        take_over_clock(config, admission.record, at);
        admission.changed = true;
    }
    if (record.state == BreakerState::open) {
        const Duration length = break_length(config, record);
        const Duration passed = age(record.changed_at, at);
        if (!clock_changed && passed < length) {
            admission.retry_in = length - passed;
            admission.reason = state_reason(record);
            return admission;
        }
        admission.transition =
            change_state(admission.record, BreakerState::half_open, at,
                         clock_changed ? std::string("the break was timed by another boot")
                                       : fmt::format("the break of {} is over", format_duration(length)));
    }
    ask_half_open(config, at, self, permit_id, admission);
    return admission;
}

BreakerUpdate report(const BreakerConfig& config, const BreakerRecord& record, const BreakerNow& at,
                     const Ticket& ticket, ItemResult result, std::string_view error) {
    BreakerUpdate update;
    update.record = record;
    if (!same_clock(config, record, at)) take_over_clock(config, update.record, at);
    if (!is_current(update.record, ticket)) {
        update.record = record;
        update.dropped = true;
        return update;
    }
    if (update.record.state == BreakerState::closed) {
        report_closed(config, at, result, error, update);
    } else {
        report_trial(config, at, ticket, result, error, update);
    }
    return update;
}

BreakerUpdate renew(const BreakerConfig& config, const BreakerRecord& record, const BreakerNow& at,
                    const Ticket& ticket) {
    BreakerUpdate update;
    update.record = record;
    Permit* const permit = same_clock(config, record, at) && is_current(update.record, ticket)
                               ? find_permit(update.record, ticket)
                               : nullptr;
    if (permit == nullptr) {
        update.dropped =
            record.state != BreakerState::closed || ticket.permit.has_value() || ticket.generation != record.generation;
        return update;
    }
    if (rested(config, record, at)) {
        update.transition = change_state(update.record, BreakerState::closed, at, rested_reason(config));
        update.changed = true;
        return update;
    }
    if (permit->lease_end - at.now > config.lease / 4 * 3) return update;
    permit->lease_end = at.now + config.lease;
    update.changed = true;
    return update;
}

}  // namespace s3tug::policy
