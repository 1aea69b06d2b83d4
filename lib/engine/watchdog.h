#pragma once

#include <optional>

#include "base/limits.h"
#include "base/time.h"
#include "port/transport.h"
#include "wire/reply.h"

namespace s3tug::engine {

struct Timeouts {
    Duration connect = limits::connect_timeout;
    Duration answer = limits::answer_timeout;
    Duration slow_answer = limits::slow_answer_timeout;
    Duration stall_window = limits::stall_window;
    uint64_t stall_bytes_per_second = limits::stall_bytes_per_second;
};

/// Bounds on one attempt (design section 4, "Bounds on waiting"). Ours and not libcurl's low-speed option, which also
/// kills paused and waiting transfers. Pure: fed with progress, says what to do and when to look again.
class Watchdog {
  public:
    /// @param slow_answer  the store may take minutes before the first answer byte (Complete, copy)
    Watchdog(const Timeouts& timeouts, bool slow_answer, Instant started);

    /// The reason to end the attempt, or nothing. A transfer stalls when it moves fewer than
    /// stall_bytes_per_second * stall_window bytes in a whole window while it sends or receives. Time in which nobody
    /// called, more than limits::watch_gap at once, does not count.
    [[nodiscard]] std::optional<wire::TransportCode> judge(const port::Progress& progress, Instant now);

    /// All attempts are to be looked at so often: phases change between looks, and a new phase may have a nearer bound.
    [[nodiscard]] static Duration look_every(const Timeouts& timeouts);

    /// When judge() should be called again if nothing else happens; not later than look_every() from now.
    [[nodiscard]] Instant next_look(Instant now) const;

  private:
    Timeouts timeouts_;
    Duration answer_bound_;
    port::Phase phase_ = port::Phase::queued;
    Instant phase_since_;
    Instant window_began_;
    Instant last_look_;
    uint64_t bytes_at_window_ = 0;
};

}  // namespace s3tug::engine
