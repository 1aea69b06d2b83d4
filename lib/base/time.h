#pragma once

#include <chrono>
#include <cstdint>

namespace s3tug {

/// Three distinct types so that a steady reading can never be compared with a wall reading.
/// There is no now() here: clocks are ports (port/clock.h) and only lib/host reads one.
using Duration = std::chrono::nanoseconds;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

namespace detail {
struct BootClock {
    using duration = Duration;
    using rep = Duration::rep;
    using period = Duration::period;
    static constexpr bool is_steady = true;
};
struct UnixClock {
    using duration = Duration;
    using rep = Duration::rep;
    using period = Duration::period;
    static constexpr bool is_steady = false;
};
}  // namespace detail

/// Time since boot, suspend included (CLOCK_BOOTTIME). Means nothing under another boot id.
using Instant = std::chrono::time_point<detail::BootClock, Duration>;

/// Time since the Unix epoch. May step; used for signing, dates and people, never to measure a wait.
using WallTime = std::chrono::time_point<detail::UnixClock, Duration>;

[[nodiscard]] constexpr int64_t to_ms(Duration d) { return std::chrono::duration_cast<milliseconds>(d).count(); }
[[nodiscard]] constexpr int64_t to_unix_seconds(WallTime t) {
    return std::chrono::floor<seconds>(t.time_since_epoch()).count();
}
[[nodiscard]] constexpr WallTime wall_from_unix_seconds(int64_t s) { return WallTime(seconds(s)); }

/// a + b without overflow: stops at the largest Duration.
[[nodiscard]] constexpr Duration saturating_add(Duration a, Duration b) {
    if (b > Duration::zero() && a > Duration::max() - b) return Duration::max();
    if (b < Duration::zero() && a < Duration::min() - b) return Duration::min();
    return a + b;
}

}  // namespace s3tug
