#pragma once

#include "port/clock.h"

namespace s3tug::test {

/// Moves only when told to. Starts at 2026-11-29T12:00:00Z, one hour after boot.
class ManualClock final : public port::Clock {
  public:
    [[nodiscard]] Instant now() override { return now_; }
    [[nodiscard]] WallTime wall() override { return wall_; }

    void advance(Duration d) {
        now_ += d;
        wall_ += d;
    }
    void step_wall(Duration d) { wall_ += d; }  ///< as an NTP step or a person does

  private:
    Instant now_{hours(1)};
    WallTime wall_ = wall_from_unix_seconds(1'795'953'600);
};

}  // namespace s3tug::test
