#pragma once

#include <string>

#include "base/process_id.h"
#include "base/time.h"

namespace s3tug::port {

/// The only source of time. Host: CLOCK_BOOTTIME and CLOCK_REALTIME; simulator: moves only when the transport polls.
class Clock {
  public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual Instant now() = 0;
    [[nodiscard]] virtual WallTime wall() = 0;
};

/// Who we are, and whether another process still is.
class Processes {
  public:
    virtual ~Processes() = default;
    [[nodiscard]] virtual const ProcessId& self() = 0;
    [[nodiscard]] virtual Liveness liveness(const ProcessId& other) = 0;
};

}  // namespace s3tug::port
