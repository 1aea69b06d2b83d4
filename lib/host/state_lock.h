#pragma once

#include <cstdint>
#include <string>

#include "base/rng.h"
#include "base/time.h"
#include "host/unique_fd.h"

namespace s3tug::host {

/// How long we wait for other processes at the state file. One wait covers all locks of one call, so that a call never
/// takes longer than it. Polled, since neither flock nor SQLite can wait for a given time. The sleeps grow from 1 to
/// 20 ms, with jitter: a lock is held for some 20 us, so on a busy machine not the lock is short but the CPU, and a
/// crowd that polls often keeps the one who holds it from running.
class LockPatience {
  public:
    explicit LockPatience(uint64_t seed) : rng_(seed) {}

    void begin(Duration at_most);
    /// Sleeps, but not on the first try of a lock (it may be free by now). False: the time is over.
    [[nodiscard]] bool wait(int tries_so_far);

  private:
    Rng rng_;
    Duration end_{};  ///< CLOCK_MONOTONIC
};

/// Gives up the rest of our time slice, right before a lock is taken. A process that has just started has used most of
/// it, and if it is stopped while it holds the lock, all others wait until its turn comes again: with 200 processes on
/// two busy cores longer than they may. Measured there: a tenth of the time-outs. Costs nothing on an idle machine, up
/// to a slice (3 ms) on a busy one.
void begin_fresh_time_slice();

/// A flock on a file beside the state file. Who opens the state file holds it shared until SQLite has its descriptors;
/// who sets a damaged file aside holds it alone. Without it a process could open the old file and then the log of the
/// new one, and so damage the new one too (sqlite.org, "How To Corrupt An SQLite Database File", section 2.4).
/// Released by the kernel when the process dies; not inherited by children.
class StateFileLock {
  public:
    enum class Mode : uint8_t { shared, exclusive };
    enum class Outcome : uint8_t {
        held,
        timed_out,
        impossible,  ///< the lock file cannot be opened (read-only folder): then nobody can set anything aside either
    };
    [[nodiscard]] Outcome acquire(const std::string& path, Mode mode, LockPatience& patience);

  private:
    UniqueFd file_;
};

}  // namespace s3tug::host
