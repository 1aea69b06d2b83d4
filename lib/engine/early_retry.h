#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "engine/traffic.h"

namespace s3tug::engine {

/// A retry that waits by the formula, in a run that may learn meanwhile that its wait is for nothing. After an outage
/// each request would sleep on by itself for up to 16 s, though one of them may know that the store is back. So:
///
/// - when the run was failing as a whole and then an attempt is served, those that wait may go;
/// - while it fails, after it was served before, one of them goes every limits::probe_every to find out, alone. Such a
///   probe counts neither as one of the request's retries nor changes when the next is due, and is not paid from the
///   budget: its interval is its bound;
/// - while the store serves a good part of what the run asks, a long wait (limits::served_probe_waits) is that of a
///   request without luck so far, or of one whose key is in trouble. Probes tell which: the first after
///   limits::served_probe_first, each further one after twice the time;
/// - while it fails as a whole, those whose wait is over go one after the other, limits::hold_gap apart, each held for
///   limits::hold_max at most: the others would learn nothing that the first does not.
///
/// A run that was never served, such as a cron job begun during the outage, waits by the formula alone. Waits that the
/// store or the user asked for are kept. The states of the run are traffic's; this is asked now and then.
class EarlyRetry {
  public:
    enum class Answer : uint8_t {
        wait,   ///< ask again at look_at()
        go,     ///< the wait is over
        probe,  ///< it may be sent now, as one that does not count
    };

    /// A wait until `due` begins.
    void begin(Instant now, Instant due, bool may_shorten, const Traffic& traffic);
    void probed(Instant now);  ///< in vain; the wait goes on
    [[nodiscard]] Answer ask(const Traffic& traffic, Instant now) const;
    [[nodiscard]] Instant look_at(Instant now) const;
    [[nodiscard]] Instant due() const { return due_; }

  private:
    Instant due_{};
    Instant try_at_{};  ///< while the store serves others
    Duration try_after_{};
    uint64_t recoveries_ = 0;  ///< of the run, when the wait began
    bool may_shorten_ = false;
};

}  // namespace s3tug::engine
