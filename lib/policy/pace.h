#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace s3tug::policy {

struct PaceConfig {
    unsigned concurrency_max = 64;
    unsigned concurrency_start = 16;
    bool pinned = false;           ///< --concurrency N: the number is not changed
    Duration memory = minutes(5);  ///< how long a learned pace is believed by later processes
    Duration interval_max = seconds(1);
};

/// How fast we send to one endpoint: AIMD on the number of requests in flight, and after a throttle a least interval
/// between sends, halved as successes come and kept in the state file for a while (design section 3, Backoff).
/// Throttles that come within one cut's settling time are one event: 64 refusals of one burst are not 64 cuts.
class Pace {
  public:
    Pace(const PaceConfig& config, Instant now);

    [[nodiscard]] unsigned concurrency() const;
    [[nodiscard]] Instant next_send(Instant now) const;  ///< when the next request may start
    void sent(Instant now);
    void on_throttle(Instant now);
    void on_success(Instant now);

    /// What later processes should know; empty when the pace is healthy. `wall` dates it.
    [[nodiscard]] std::string record(WallTime wall) const;
    /// Takes over what an earlier process learned if it is fresh; corrupt or old records change nothing.
    void adopt(std::string_view record, WallTime wall, Instant now);

  private:
    PaceConfig config_;
    unsigned limit_;
    unsigned successes_ = 0;
    Duration interval_{};
    Instant last_sent_{};
    std::optional<Instant> last_cut_;
};

}  // namespace s3tug::policy
