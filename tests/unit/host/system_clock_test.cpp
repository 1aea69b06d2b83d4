#include "host/system_clock.h"

#include <doctest/doctest.h>
#include <time.h>

#include "host/entropy.h"

namespace s3tug::host {

TEST_SUITE("host/system_clock") {
    TEST_CASE("both clocks lie between two readings of the kernel's own") {
        SystemClock clock;
        const auto kernel = [](clockid_t id) {
            timespec t{};
            ::clock_gettime(id, &t);
            return seconds(t.tv_sec) + Duration(t.tv_nsec);
        };
        const Duration boot = kernel(CLOCK_BOOTTIME);
        const Instant now = clock.now();
        CHECK(now.time_since_epoch() >= boot);
        CHECK(now.time_since_epoch() <= kernel(CLOCK_BOOTTIME));
        const Duration real = kernel(CLOCK_REALTIME);
        const WallTime wall = clock.wall();
        CHECK(wall.time_since_epoch() >= real);
        CHECK(wall.time_since_epoch() <= kernel(CLOCK_REALTIME));
    }

    TEST_CASE("two seeds differ") { CHECK(random_seed() != random_seed()); }
}

}  // namespace s3tug::host
