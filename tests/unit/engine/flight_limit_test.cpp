#include "engine/flight_limit.h"

#include <doctest/doctest.h>

using namespace s3tug;
using engine::FlightLimit;

namespace {

/// A network that gives each connection `each` bytes a second and all together `most`.
unsigned settle(FlightLimit& flight, double each, double most, int parts) {
    constexpr uint64_t part_bytes = 1'000'000;
    Instant now{};
    for (int i = 0; i < parts; ++i) {
        const double rate = std::min(each * flight.limit(), most);
        now += std::chrono::duration_cast<Duration>(std::chrono::duration<double>(part_bytes / rate));
        flight.part_done(part_bytes, now);
    }
    return flight.limit();
}

}  // namespace

TEST_CASE("parts in flight double while that is faster, and stay where it was not") {
    struct Row {
        const char* what;
        unsigned least, most;
        double each, all;
        unsigned settles_at;
    };
    const Row rows[] = {
        {"four connections fill the way", 4, 16, 1e6, 4e6, 4},
        {"one connection does", 4, 16, 9e6, 9e6, 4},
        {"eight do", 4, 16, 1e6, 8e6, 8},
        {"a little more is not worth twice the connections", 4, 16, 1e6, 4.6e6, 4},
        {"each connection is slow, the way is wide", 4, 16, 1e6, 1e9, 16},
        {"the bound is not a power of two", 4, 6, 1e6, 1e9, 6},
        {"back from such a bound", 4, 6, 1e6, 4e6, 4},
        {"a bound below the first level", 4, 2, 1e6, 1e9, 2},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        FlightLimit flight(row.least, row.most);
        CHECK(flight.limit() == std::min(row.least, row.most));
        CHECK(settle(flight, row.each, row.all, 200) == row.settles_at);
    }
}

TEST_CASE("what was begun on the level before does not count") {
    FlightLimit flight(2, 4);
    Instant now{};
    const auto done = [&](Duration after) {
        now += after;
        flight.part_done(1000, now);
    };
    done(seconds(9));  // the way to full flight
    done(seconds(9));
    done(seconds(1));
    CHECK(flight.limit() == 2);
    done(seconds(1));
    CHECK(flight.limit() == 4);
    for (int i = 0; i < 4; ++i) done(seconds(9));
    CHECK(flight.limit() == 4);
    for (int i = 0; i < 4; ++i) done(milliseconds(500));
    CHECK(flight.limit() == 4);
}

TEST_CASE("parts that all end at one instant say nothing bad") {
    FlightLimit flight(1, 8);
    for (int i = 0; i < 50; ++i) flight.part_done(1000, Instant{});
    CHECK(flight.limit() == 8);
}
