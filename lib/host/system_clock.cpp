#include "host/system_clock.h"

#include <time.h>

namespace s3tug::host {

namespace {

Duration read_clock(clockid_t id) {
    timespec time{};
    clock_gettime(id, &time);
    return seconds(time.tv_sec) + Duration(time.tv_nsec);
}

}  // namespace

Instant SystemClock::now() { return Instant(read_clock(CLOCK_BOOTTIME)); }

WallTime SystemClock::wall() { return WallTime(read_clock(CLOCK_REALTIME)); }

}  // namespace s3tug::host
