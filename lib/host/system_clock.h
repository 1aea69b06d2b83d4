#pragma once

#include "port/clock.h"

namespace s3tug::host {

/// CLOCK_BOOTTIME, which counts suspend (CLOCK_MONOTONIC does not, so a break of 30 s could last a night), and
/// CLOCK_REALTIME. Both are read through the vDSO or one system call; nothing is cached.
class SystemClock final : public port::Clock {
  public:
    [[nodiscard]] Instant now() override;
    [[nodiscard]] WallTime wall() override;
};

}  // namespace s3tug::host
