#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "policy/pace.h"

namespace s3tug::engine {

/// How many parts of one object to have in flight, either way. More connections than the way can use cost CPU for
/// nothing (twice the kernel's, on the loopback) and are unkind to the store, so it begins with few and doubles as long
/// as that brings a fifth more bytes per second; the first doubling that does not is taken back, and the search ends.
/// Each level is measured over as many completions as it has parts, after as many that were begun on the level before.
class FlightLimit {
  public:
    /// 0 < `least`; `most` may be less than `least` and is then the limit.
    FlightLimit(unsigned least, unsigned most);

    [[nodiscard]] unsigned limit() const { return limit_; }
    /// A part is done. Times do not go backwards.
    /// @param bytes  of the body of that part, or all that came since the last one where parts are not told apart
    void part_done(uint64_t bytes, Instant now);

  private:
    void level_ended(double bytes_per_second);

    unsigned limit_;
    unsigned most_;
    bool searching_;
    unsigned limit_before_ = 0;
    std::optional<double> before_;  ///< bytes per second then
    unsigned seen_ = 0;             ///< completions on this level
    uint64_t bytes_ = 0;            ///< of those that count
    Instant since_{};
};

/// What to begin with: few, or the number that the user has pinned.
[[nodiscard]] unsigned first_parts_in_flight(const policy::PaceConfig& pace);

}  // namespace s3tug::engine
