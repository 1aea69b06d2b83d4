#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "policy/climb.h"
#include "policy/fading_share.h"

namespace s3tug::policy {

/// Valid when 1 <= concurrency_start <= concurrency_max and 0 < interval_first <= interval_max and recovery_divisor >
/// 0.
struct PaceConfig {
    unsigned concurrency_max = 64;
    unsigned concurrency_start = 16;
    bool pinned = false;           ///< --concurrency N: the number is not changed
    Duration memory = minutes(5);  ///< how long a learned pace is believed by later processes
    Duration interval_max = seconds(1);
    Duration interval_first = milliseconds(20);  ///< after the first throttle; doubled by each further one
    Duration settling = seconds(1);              ///< after a cut; two intervals when that is longer
    unsigned recovery_divisor = 8;
    unsigned remembered = 32;  ///< answers that say how many of them are throttles; older ones count half
    ClimbConfig climb{};
};

/// How fast we send to one endpoint: AIMD on the number of requests in flight, and after a throttle a least interval
/// between sends, halved as successes come and kept in the state file for a while (design section 3, Backoff).
/// What a throttle does depends on its share of the latest answers. From a half on the store is refusing us: a cut.
/// Below that it serves most of what it is sent, and one request per interval would cost us much and help it little:
/// the number is eased by half of the share (a fourth refused: an eighth fewer), at most once per settling time and
/// while successes go on counting, and no interval is set. A cut halves the number (not below 1) and doubles the
/// interval; a run of as many successes as may be in flight adds one and halves the interval, which ends below a
/// quarter of interval_first. So the number comes back to where it was before the cut; beyond that it grows only while
/// throughput grows with it (policy/climb). What comes within one cut's settling time answers requests sent at the old
/// pace: 64 refusals of one burst are not 64 cuts, and the burst's successes do not undo the cut. A run in which
/// everything failed and that is then served has met an outage, not a limit: what its refusals did to the interval is
/// taken back by a factor of recovery_divisor at once, while the number comes back as after any cut. Not thread-safe.
class Pace {
  public:
    Pace(const PaceConfig& config, Instant now);

    [[nodiscard]] unsigned concurrency() const;
    [[nodiscard]] Instant next_send(Instant now) const;  ///< when the next request may start
    void sent(Instant now);
    void on_throttle(Instant now);
    void on_recovery();  ///< before on_success
    /// @param bytes  of body, either way
    /// @param full   as many requests were in flight as may be: else nothing is learned about more of them
    void on_success(Instant now, uint64_t bytes = 0, bool full = true);

    /// Some of the latest answers were throttles: a large body is better announced than sent for nothing.
    [[nodiscard]] bool throttled_lately() const { return throttles_.hits() > 0; }

    /// What later processes should know; empty when the pace is healthy: no interval, and as many requests in flight
    /// as a new process would begin with. `wall` dates it.
    [[nodiscard]] std::string record(WallTime wall) const;
    /// Takes over what an earlier process learned if it is fresh. Corrupt, old and future-dated records (the clock was
    /// set back) change nothing; values beyond this process's own bounds are brought within them.
    void adopt(std::string_view record, WallTime wall, Instant now);

  private:
    [[nodiscard]] bool settling(Instant now) const;
    [[nodiscard]] bool healthy() const;
    void ease(Instant now);

    PaceConfig config_;
    unsigned limit_;
    unsigned reached_;  ///< without a throttle; where a cut is to come back to
    Climb climb_;
    unsigned successes_ = 0;
    Duration interval_{};
    std::optional<Instant> last_sent_;
    std::optional<Instant> last_cut_;
    std::optional<Instant> last_eased_;
    FadingShare throttles_;  ///< among throttles and successes
};

}  // namespace s3tug::policy
