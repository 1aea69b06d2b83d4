#pragma once

#include <map>
#include <string>

#include "policy/breaker.h"

namespace s3tug::policy {

/// One breaker record with the world around it: clocks that only the test moves, and processes that live or die on its
/// word. Stores what the policy wants stored, as the engine does.
class BreakerWorld {
  public:
    explicit BreakerWorld(BreakerConfig c = {}) : config(c) {}

    [[nodiscard]] BreakerNow at() const {
        return {now, wall, boot_id, [this](const ProcessId& p) {
                    const auto known = liveness.find(p.pid);
                    if (p.boot_id != boot_id) return Liveness::dead;
                    return known == liveness.end() ? Liveness::alive : known->second;
                }};
    }
    [[nodiscard]] ProcessId process(int64_t pid) const { return {pid, 1000, boot_id, 1}; }

    Admission ask(int64_t pid = 1) {
        Admission a = policy::ask(config, record, at(), process(pid), next_permit_id++);
        if (a.changed) record = a.record;
        return a;
    }
    BreakerUpdate report(const Ticket& ticket, ItemResult result, std::string_view error = "503 SlowDown") {
        BreakerUpdate u = policy::report(config, record, at(), ticket, result, error);
        if (u.changed) record = u.record;
        return u;
    }
    BreakerUpdate renew(const Ticket& ticket) {
        BreakerUpdate u = policy::renew(config, record, at(), ticket);
        if (u.changed) record = u.record;
        return u;
    }
    void pass(Duration d) {
        now += d;
        wall += d;
    }
    /// Another boot: steady time starts again, all processes of the old one are gone.
    void reboot(Duration off) {
        boot_id += "'";
        now = Instant(seconds(20));
        wall += off;
    }

    void fail_items(unsigned n) {
        for (unsigned i = 0; i < n; ++i) report(ask().ticket.value(), ItemResult::failure);
    }
    void open() { fail_items(config.threshold); }
    /// Opens, waits out the break and takes the first trial.
    Ticket half_open(int64_t pid = 1) {
        open();
        pass(config.open_for);
        return ask(pid).ticket.value();
    }

    BreakerConfig config;
    BreakerRecord record;
    Instant now{hours(5)};
    WallTime wall = wall_from_unix_seconds(1'796'000'000);
    std::string boot_id = "boot-1";
    std::map<int64_t, Liveness> liveness;  ///< of pids; the others live
    uint64_t next_permit_id = 100;
};

}  // namespace s3tug::policy
