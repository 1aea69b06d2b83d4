#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace s3tug::policy {

struct ClimbConfig {
    Duration window = milliseconds(250);  ///< the shortest time that is measured
    Duration pause = seconds(10);         ///< after a step that brought nothing, before the next is tried
    unsigned step_percent = 25;           ///< of the requests in flight
    unsigned gain_percent = 10;           ///< of throughput: less is noise
};

/// Are more requests in flight worth it? A hill climb on measured throughput: a step up is kept when it brought
/// gain_percent or more, else taken back and not tried again for a pause. Bytes and requests both count, so that small
/// objects and large ones can be measured alike. Only times in which all slots were in use say anything. Pure: fed with
/// successes, gives the number to go to.
class Climb {
  public:
    explicit Climb(const ClimbConfig& config) : config_(config) {}

    /// One more success with `bytes` of body either way.
    /// @param limit  requests that may be in flight
    /// @param full   as many were
    /// @param most   not to be passed
    /// @return the number that may be in flight from now on: `limit`, a step more, or the last one that was good
    [[nodiscard]] unsigned on_success(unsigned limit, unsigned most, uint64_t bytes, bool full, Instant now);

    /// The number was changed by somebody else: what was measured says nothing any more.
    void forget();

  private:
    void begin_window();
    [[nodiscard]] unsigned judge(unsigned limit, unsigned most, double rate, Instant now);

    ClimbConfig config_;
    unsigned settling_ = 0;  ///< successes still to come that were sent before the last step
    bool fresh_ = true;      ///< nothing was counted since the last change
    std::optional<Instant> began_;
    unsigned successes_ = 0;
    unsigned full_ = 0;
    uint64_t work_ = 0;
    std::optional<double> good_rate_;  ///< measured at good_limit_
    unsigned good_limit_ = 0;
    std::optional<Instant> paused_until_;
};

}  // namespace s3tug::policy
