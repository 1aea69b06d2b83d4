#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "base/limits.h"
#include "host/system_clock.h"
#include "support/manual_clock.h"
#include "support/sim_world.h"

/// What every port::Clock does: the steady time never goes back, the wall time is one that S3 can have, and both move
/// by as much as time does.
namespace s3tug::test {
namespace {

template <class Pass>
void run_contract(port::Clock& clock, Pass pass) {
    Instant last = clock.now();
    for (int i = 0; i < 1000; ++i) {
        const Instant now = clock.now();
        CHECK(now >= last);
        last = now;
    }
    CHECK(last.time_since_epoch() > Duration::zero());
    CHECK(last.time_since_epoch() < limits::instant_max);
    const WallTime wall = clock.wall();
    CHECK(to_unix_seconds(wall) > limits::server_time_min_s);
    CHECK(to_unix_seconds(wall) < limits::server_time_max_s);
    pass(milliseconds(20));
    CHECK(clock.now() - last >= milliseconds(20));
    CHECK(clock.now() - last < seconds(60));
    CHECK(clock.wall() - wall >= milliseconds(19));
    CHECK(clock.wall() - wall < seconds(60));
}

}  // namespace

TEST_SUITE("contract/clock") {
    TEST_CASE("system") {
        host::SystemClock clock;
        run_contract(clock, [](Duration d) { std::this_thread::sleep_for(d); });
    }
    TEST_CASE("manual") {
        ManualClock clock;
        run_contract(clock, [&](Duration d) { clock.advance(d); });
    }
    TEST_CASE("simulated") {
        sim::SimClock clock;
        run_contract(clock, [&](Duration d) { clock.passed += d; });
    }
}

}  // namespace s3tug::test
