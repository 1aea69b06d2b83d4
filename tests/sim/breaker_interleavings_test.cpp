#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "policy/breaker.h"

namespace s3tug::policy {

namespace {

// Every order in which three processes can ask, report, renew, crash and let time pass, over one record. Times are a
// few ticks so that all that can be told apart is small; what lies further back than any window is one value. So the
// states are finite, and the search visits all of them, not only those up to some depth.

constexpr Duration tick = seconds(1);
constexpr int far = 5;  ///< ticks; beyond every window below
constexpr std::size_t process_count = 3;
constexpr Instant now{hours(1)};
constexpr WallTime wall = wall_from_unix_seconds(1'796'000'000);
constexpr uint64_t lost_permit = 999;

BreakerConfig small_config(unsigned trials) {
    BreakerConfig config;
    config.threshold = 2;
    config.trials = trials;
    config.open_for = 2 * tick;
    config.failure_window = 3 * tick;
    config.half_open_idle = 4 * tick;
    config.lease = 2 * tick;
    return config;
}

struct State {
    BreakerRecord record;
    std::array<std::optional<Ticket>, process_count> tickets;  ///< of items at work
    std::array<int64_t, process_count> pids{1, 2, 3};          ///< a new one after a crash
    // What the specification says, kept apart from the record.
    unsigned failures_in_row = 0;
    int since_failure = far;
    int since_opening = far;  ///< ticks since the last change to open
};

ProcessId process(int64_t pid) { return {pid, 1, "boot", 1}; }

BreakerNow world_of(const State& s, Duration later = {}) {
    return {now + later, wall + later, "boot", [pids = s.pids](const ProcessId& p) {
                const bool alive = p.boot_id == "boot" && std::find(pids.begin(), pids.end(), p.pid) != pids.end();
                return alive ? Liveness::alive : Liveness::dead;
            }};
}

int ticks_since(Instant then) { return static_cast<int>(std::clamp<int64_t>((now - then) / tick, -far, far)); }

/// Brings a state to the one name that it has: time is always `now`, generations are current or not, permits are in the
/// order of their leases, and processes, which are all alike, in that of their tickets.
void normalize(State& s) {
    BreakerRecord& r = s.record;
    for (Permit& permit : r.permits) permit.lease_end = now - std::min(0, ticks_since(permit.lease_end)) * tick;
    const auto is_dead = [&](const Permit& p) {
        return std::find(s.pids.begin(), s.pids.end(), p.owner.pid) == s.pids.end();
    };
    std::stable_sort(r.permits.begin(), r.permits.end(), [&](const Permit& a, const Permit& b) {
        return std::pair(a.lease_end, is_dead(a)) < std::pair(b.lease_end, is_dead(b));
    });
    for (auto& ticket : s.tickets) {
        if (!ticket) continue;
        const bool current = ticket->generation == r.generation;
        ticket->generation = current ? 100 : 50;
        if (!ticket->permit) continue;
        const auto listed = std::find_if(r.permits.begin(), r.permits.end(),
                                         [&](const Permit& permit) { return permit.id == *ticket->permit; });
        const bool alive = current && listed != r.permits.end();
        ticket->permit = alive ? static_cast<uint64_t>(listed - r.permits.begin()) + 1 : lost_permit;
    }
    std::array<std::size_t, process_count> order{0, 1, 2};
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t p) {
            return s.tickets[p] ? std::pair(s.tickets[p]->generation, s.tickets[p]->permit.value_or(0))
                                : std::pair(0UL, 0UL);
        };
        return key(a) < key(b);
    });
    const State before = s;
    for (std::size_t k = 0; k < r.permits.size(); ++k) {
        r.permits[k].id = k + 1;
        r.permits[k].owner.pid = 9;  // of nobody that lives
    }
    for (std::size_t i = 0; i < process_count; ++i) {
        s.tickets[i] = before.tickets[order[i]];
        s.pids[i] = static_cast<int64_t>(i) + 1;
        for (std::size_t k = 0; k < r.permits.size(); ++k) {
            if (before.record.permits[k].owner.pid == before.pids[order[i]]) r.permits[k].owner.pid = s.pids[i];
        }
    }
    r.generation = 100;
    r.failed_rounds = 0;
    const int changed = r.boot_id == "boot" ? ticks_since(r.changed_at)
                                            : static_cast<int>(std::min<int64_t>((wall - r.changed_wall) / tick, far));
    const int failed = r.boot_id == "boot"
                           ? ticks_since(r.last_failure_at)
                           : static_cast<int>(std::min<int64_t>((wall - r.last_failure_wall) / tick, far));
    r.changed_at = now - changed * tick;
    r.changed_wall = wall - changed * tick;
    r.last_failure_at = now - failed * tick;
    r.last_failure_wall = wall - failed * tick;
}

std::string name_of(const State& s) {
    std::string name = encode(s.record);
    for (const auto& ticket : s.tickets) {
        name += ticket ? std::to_string(ticket->generation) + "/" + std::to_string(ticket->permit.value_or(0)) : "-";
        name += ' ';
    }
    return name + std::to_string(s.failures_in_row) + ' ' + std::to_string(s.since_failure) + ' ' +
           std::to_string(s.since_opening);
}

class Explorer {
  public:
    explicit Explorer(unsigned trials) : config_(small_config(trials)) {}

    /// Visits every state that can be reached; gives their number.
    std::size_t run(std::size_t most) {
        State begin;
        begin.record.boot_id = "boot";
        visit(begin);
        while (!todo_.empty() && seen_.size() < most && violations_.empty()) {
            const State s = std::move(todo_.front());
            todo_.pop_front();
            for (std::size_t p = 0; p < process_count; ++p) act(s, p);
            pass_time(s);
            reboot(s);
        }
        return seen_.size();
    }
    [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
    [[nodiscard]] bool complete() const { return todo_.empty(); }

  private:
    void act(const State& s, std::size_t p) {
        if (!s.tickets[p]) return ask_for(s, p);
        for (const ItemResult result : {ItemResult::success, ItemResult::failure, ItemResult::released}) {
            report_for(s, p, result);
        }
        State renewed = s;
        const BreakerUpdate update = renew(config_, s.record, world_of(s), *s.tickets[p]);
        if (update.changed) {
            follow(renewed, update.record, update.transition);
            visit(std::move(renewed));
        }
        State crashed = s;
        crashed.tickets[p].reset();
        crashed.pids[p] += 10;
        visit(std::move(crashed));
    }

    void ask_for(const State& s, std::size_t p) {
        State next = s;
        const Admission a = ask(config_, s.record, world_of(s), process(s.pids[p]), 77);
        const bool break_over = s.since_opening >= config_.open_for / tick || s.record.boot_id != "boot";
        const bool was_open = s.record.state == BreakerState::open;
        check(!(a.ticket && was_open && !break_over), s, "admitted before the break was over");
        check(!(was_open && break_over && !a.ticket), s, "refused after the break was over");
        check(a.ticket.has_value() || !a.reason.empty(), s, "refused without a reason");
        if (a.changed) follow(next, a.record, a.transition);
        const bool half_open = next.record.state == BreakerState::half_open;
        check(!a.ticket || a.ticket->permit.has_value() == half_open, s, "a ticket of the wrong kind");
        next.tickets[p] = a.ticket;
        visit(std::move(next));
    }

    void report_for(const State& s, std::size_t p, ItemResult result) {
        State next = s;
        next.tickets[p].reset();
        const BreakerUpdate u = report(config_, s.record, world_of(s), *s.tickets[p], result, "503 SlowDown");
        const bool closed = s.record.state == BreakerState::closed;
        if (!u.dropped && closed && result == ItemResult::success) next.failures_in_row = 0;
        if (!u.dropped && closed && result == ItemResult::failure) {
            const bool in_row = s.failures_in_row > 0 && s.since_failure <= config_.failure_window / tick;
            next.failures_in_row = in_row ? s.failures_in_row + 1 : 1;
            next.since_failure = 0;
            const bool opened = u.transition && u.transition->to == BreakerState::open;
            check(opened == (next.failures_in_row == config_.threshold), s,
                  "opened at another count than the threshold");
        }
        check(!u.dropped || !u.changed, s, "a dropped result changed the record");
        check(u.dropped == !is_current(s, p), s, "heard a stale result or dropped a good one");
        if (u.changed) follow(next, u.record, u.transition);
        visit(std::move(next));
    }

    /// By the names that normalize() gives.
    static bool is_current(const State& s, std::size_t p) {
        if (s.tickets[p]->generation != s.record.generation) return false;
        if (s.record.state == BreakerState::closed) return !s.tickets[p]->permit;
        return s.record.state == BreakerState::half_open && s.tickets[p]->permit.value_or(lost_permit) != lost_permit;
    }

    void follow(State& s, const BreakerRecord& record, const std::optional<BreakerChange>& transition) {
        check(transition.has_value() == (record.generation != s.record.generation), s,
              "a generation changes with the state and only with it");
        s.record = record;
        if (!transition) return;
        s.failures_in_row = 0;
        s.since_failure = far;
        if (transition->to == BreakerState::open) s.since_opening = 0;
    }

    void pass_time(const State& s) {
        State next = s;
        for (Instant* t : {&next.record.changed_at, &next.record.last_failure_at}) *t -= tick;
        for (WallTime* t : {&next.record.changed_wall, &next.record.last_failure_wall}) *t -= tick;
        for (Permit& permit : next.record.permits) permit.lease_end -= tick;
        next.since_failure = std::min(far, s.since_failure + 1);
        next.since_opening = std::min(far, s.since_opening + 1);
        visit(std::move(next));
    }

    void reboot(const State& s) {
        State next = s;
        next.tickets = {};
        for (int64_t& pid : next.pids) pid += 10;
        for (Permit& permit : next.record.permits) permit.owner.boot_id = "before";
        next.record.boot_id = "before";
        visit(std::move(next));
    }

    void visit(State s) {
        normalize(s);
        if (!seen_.insert(name_of(s)).second) return;
        check(s.record.permits.size() <= config_.trials, s, "more permits than trials");
        check(s.record.permits.size() + s.record.successes <= config_.trials, s, "more trials than allowed in a round");
        check(s.record.permits.empty() || s.record.state == BreakerState::half_open, s, "permits outside half-open");
        check(decode_breaker(encode(s.record)).has_value(), s, "a record that cannot be read back");
        check(recovers(s), s, "a permit lost for ever: it never closes again");
        todo_.push_back(std::move(s));
    }

    /// Whatever happened: when all items at work fall silent, an outsider whose requests succeed closes it.
    [[nodiscard]] bool recovers(const State& s) const {
        BreakerRecord record = s.record;
        Duration later{};
        for (unsigned round = 0; round < config_.trials + 4; ++round) {
            const Admission a = ask(config_, record, world_of(s, later), process(3), 5000 + round);
            if (a.changed) record = a.record;
            if (!a.ticket) {
                later += std::max(config_.open_for, config_.lease);
                continue;
            }
            const BreakerUpdate u = report(config_, record, world_of(s, later), *a.ticket, ItemResult::success, "");
            if (u.changed) record = u.record;
            if (record.state == BreakerState::closed) return true;
        }
        return false;
    }

    void check(bool holds, const State& s, std::string_view what) {
        if (!holds) violations_.push_back(std::string(what) + " in\n" + name_of(s));
    }

    BreakerConfig config_;
    std::set<std::string> seen_;
    std::deque<State> todo_;
    std::vector<std::string> violations_;
};

}  // namespace

TEST_SUITE("breaker: every order of three processes") {
    TEST_CASE("invariants hold in every state that can be reached") {
        for (const unsigned trials : {1U, 2U, 3U}) {
            CAPTURE(trials);
            Explorer explorer(trials);
            const std::size_t states = explorer.run(400'000);
            MESSAGE(trials << " trials: " << states << " states");
            for (const std::string& violation : explorer.violations()) FAIL_CHECK(violation);
            CHECK(explorer.complete());
            CHECK(states > 1000);  // the search found its way into all three states
        }
    }
}

}  // namespace s3tug::policy
