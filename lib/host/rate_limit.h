#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/time.h"

namespace s3tug::host {

/// Token bucket over bytes. May go into debt by one piece, so that the mean holds whatever the size of the pieces;
/// holds at most an eighth of a second's worth, so that there are no bursts. Pure: the caller brings the time.
class RateBucket {
  public:
    /// @param rate  bytes per second, at least 1
    RateBucket(uint64_t rate, Instant now) : rate_(std::max<uint64_t>(rate, 1)), empty_at_(now) {}

    [[nodiscard]] bool open(Instant now) const { return now >= empty_at_; }
    [[nodiscard]] Instant opens_at() const { return empty_at_; }

    void take(uint64_t bytes, Instant now) {
        const double cost_seconds = static_cast<double>(bytes) / static_cast<double>(rate_);
        const auto cost = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(cost_seconds));
        empty_at_ = std::max(empty_at_, now - milliseconds(125)) + cost;
    }

  private:
    uint64_t rate_;
    Instant empty_at_;
};

/// One limit each way for all attempts of a transport, and who waits for it, in order of coming. libcurl's own limit
/// counts per transfer and lets the first hundred buffers through unlimited (7.88), so that small objects are not
/// limited at all.
struct RateLimits {
    RateBucket up;
    RateBucket down;
    std::deque<uint64_t> waiting_up;  ///< attempt ids
    std::deque<uint64_t> waiting_down;

    RateLimits(uint64_t rate, Instant now) : up(rate, now), down(rate, now) {}

    /// When the next one that waits can go on.
    [[nodiscard]] std::optional<Instant> next() const {
        std::optional<Instant> at;
        if (!waiting_up.empty()) at = up.opens_at();
        if (!waiting_down.empty()) at = std::min(at.value_or(Instant::max()), down.opens_at());
        return at;
    }

    /// Takes one that can go on out of its line.
    [[nodiscard]] std::optional<uint64_t> resume(Instant now) {
        for (auto [line, bucket] : {std::pair{&waiting_up, &up}, std::pair{&waiting_down, &down}}) {
            if (line->empty() || !bucket->open(now)) continue;
            const uint64_t id = line->front();
            line->pop_front();
            return id;
        }
        return std::nullopt;
    }
};

}  // namespace s3tug::host
