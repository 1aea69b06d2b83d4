#include "engine/watchdog.h"

#include <algorithm>

namespace s3tug::engine {

Watchdog::Watchdog(const Timeouts& timeouts, bool slow_answer, Instant started)
    : timeouts_(timeouts),
      answer_bound_(slow_answer ? timeouts.slow_answer : timeouts.answer),
      phase_since_(started),
      window_began_(started),
      last_look_(started) {}

std::optional<wire::TransportCode> Watchdog::judge(const port::Progress& progress, Instant now) {
    // Nobody looked, though it was due each second: this thread waited for a slow reader or writer of a pipe, or the
    // machine slept. What did not move meanwhile is not to blame.
    if (const Duration unseen = now - last_look_; unseen > limits::watch_gap) {
        phase_since_ += unseen;
        window_began_ += unseen;
    }
    last_look_ = now;
    const uint64_t bytes = progress.body_bytes_sent + progress.body_bytes_received;
    if (progress.phase != phase_) {
        // queued and connecting share one bound: a pool that never gives a connection is as bad as a dead host.
        const bool still_connecting = phase_ == port::Phase::queued && progress.phase == port::Phase::connecting;
        phase_ = progress.phase;
        if (!still_connecting) phase_since_ = now;
        window_began_ = now;
        bytes_at_window_ = bytes;
    }
    switch (phase_) {
        case port::Phase::queued:
        case port::Phase::connecting:
            if (now - phase_since_ >= timeouts_.connect) return wire::TransportCode::connect_timeout;
            return std::nullopt;
        case port::Phase::waiting:
            if (now - phase_since_ >= answer_bound_) return wire::TransportCode::answer_timeout;
            return std::nullopt;
        case port::Phase::sending:
        case port::Phase::receiving: break;
    }
    if (now - window_began_ < timeouts_.stall_window) return std::nullopt;
    const auto window_s = static_cast<uint64_t>(
        std::max<int64_t>(1, std::chrono::duration_cast<seconds>(timeouts_.stall_window).count()));
    if (bytes - bytes_at_window_ < timeouts_.stall_bytes_per_second * window_s) return wire::TransportCode::stalled;
    window_began_ = now;
    bytes_at_window_ = bytes;
    return std::nullopt;
}

Instant Watchdog::next_look(Instant now) const {
    Instant bound = window_began_ + timeouts_.stall_window;
    if (phase_ == port::Phase::queued || phase_ == port::Phase::connecting) bound = phase_since_ + timeouts_.connect;
    if (phase_ == port::Phase::waiting) bound = phase_since_ + answer_bound_;
    return std::min(bound, now + look_every(timeouts_));
}

Duration Watchdog::look_every(const Timeouts& timeouts) {
    const Duration nearest = std::min({timeouts.connect, timeouts.answer, timeouts.stall_window, Duration(seconds(1))});
    return std::max(nearest, Duration(milliseconds(10)));
}

}  // namespace s3tug::engine
