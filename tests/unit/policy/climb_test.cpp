#include "policy/climb.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

namespace s3tug::policy {
namespace {

/// A store whose rate in requests a second depends on how many are in flight.
struct Store {
    std::function<double(unsigned in_flight)> rate;
    uint64_t bytes = 4096;
    Instant now{hours(1)};
    bool full = true;

    unsigned run(Climb& climb, unsigned limit, unsigned most, Duration lasts) {
        const Instant end = now + lasts;
        highest = lowest = limit;
        while (now < end) {
            now += Duration(static_cast<int64_t>(1e9 / rate(limit)));
            limit = climb.on_success(limit, most, bytes, full, now);
            highest = std::max(highest, limit);
            lowest = std::min(lowest, limit);
        }
        return limit;
    }
    unsigned highest = 0;
    unsigned lowest = 0;
};

}  // namespace

TEST_SUITE("policy/climb") {
    TEST_CASE("the number goes to where more requests bring no more") {
        struct Row {
            const char* what;
            std::function<double(unsigned)> rate;
            unsigned least, most;
        };
        const Row rows[] = {
            {"latency only: the maximum", [](unsigned n) { return n * 10.0; }, 64, 64},
            {"saturated from the start: it stays", [](unsigned) { return 3000.0; }, 16, 16},
            {"worse with more: it stays", [](unsigned n) { return 3000.0 * 16 / n; }, 16, 16},
            {"saturated at 30: near it", [](unsigned n) { return std::min(n, 30U) * 50.0; }, 25, 38},
        };
        for (const Row& row : rows) {
            CAPTURE(row.what);
            Climb climb({});
            Store store{.rate = row.rate};
            const unsigned reached = store.run(climb, 16, 64, seconds(9));
            CHECK(reached >= row.least);
            CHECK(reached <= row.most);
        }
    }

    TEST_CASE("a step that brings nothing is taken back, and tried again only after a pause") {
        Climb climb({});
        Store store{.rate = [](unsigned) { return 2000.0; }};
        CHECK(store.run(climb, 16, 64, seconds(5)) == 16);
        CHECK(store.highest == 20);
        CHECK(store.run(climb, 16, 64, seconds(4)) == 16);
        CHECK(store.highest == 16);
        (void)store.run(climb, 16, 64, seconds(4));
        CHECK(store.highest == 20);
    }

    TEST_CASE("a store that becomes faster with more is found out after the pause") {
        Climb climb({});
        Store store{.rate = [](unsigned) { return 2000.0; }};
        REQUIRE(store.run(climb, 16, 64, seconds(5)) == 16);
        store.rate = [](unsigned n) { return n * 100.0; };
        CHECK(store.run(climb, 16, 64, seconds(15)) == 64);
    }

    TEST_CASE("the number never passes the maximum and never falls below where it began") {
        Climb climb({});
        Store store{.rate = [](unsigned n) { return n % 2 == 0 ? 1000.0 : 1500.0; }};
        (void)store.run(climb, 5, 7, minutes(5));
        CHECK(store.highest <= 7);
        CHECK(store.lowest >= 5);
    }

    TEST_CASE("times in which not all slots were in use say nothing") {
        Climb climb({});
        Store store{.rate = [](unsigned n) { return n * 10.0; }};
        store.full = false;
        CHECK(store.run(climb, 16, 64, seconds(20)) == 16);
        CHECK(store.highest == 16);
    }

    TEST_CASE("ten times the bytes in as many requests is growth too") {
        Climb climb({});
        Store store{.rate = [](unsigned) { return 100.0; }};
        store.bytes = 1 << 20;
        unsigned limit = 8;
        const Instant end = store.now + seconds(5);
        while (store.now < end) {
            store.now += milliseconds(10);
            limit = climb.on_success(limit, 64, store.bytes * limit, true, store.now);
        }
        CHECK(limit > 16);
    }
}

}  // namespace s3tug::policy
