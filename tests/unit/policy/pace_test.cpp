#include "policy/pace.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace s3tug::policy {

namespace {

Instant at(Duration since_start) { return Instant(hours(5)) + since_start; }
Instant at_ms(int64_t ms) { return at(milliseconds(ms)); }
const WallTime wall = wall_from_unix_seconds(1'795'986'090);

/// The interval that is in force, seen from outside.
Duration interval(Pace& pace, Instant now) {
    pace.sent(now);
    return pace.next_send(now) - now;
}

void succeed(Pace& pace, unsigned times, Instant now) {
    for (unsigned i = 0; i < times; ++i) pace.on_success(now);
}

}  // namespace

TEST_SUITE("policy/pace") {
    TEST_CASE("without throttles there is no interval, and successes alone do not add requests: throughput must grow") {
        Pace pace({.concurrency_max = 64, .concurrency_start = 16}, at_ms(0));
        CHECK(pace.concurrency() == 16);
        succeed(pace, 10'000, at_ms(1));
        CHECK(pace.concurrency() == 16);
        CHECK(interval(pace, at_ms(3)) == Duration::zero());
        CHECK(pace.record(wall).empty());
    }

    TEST_CASE("where each request takes its time whatever the others do, the number grows to the maximum") {
        Pace pace({.concurrency_max = 64, .concurrency_start = 16}, at_ms(0));
        int64_t now_us = 0;
        for (int i = 0; i < 5'000; ++i) {
            now_us += 100'000 / pace.concurrency();  // 100 ms each
            pace.on_success(at(microseconds(now_us)));
        }
        CHECK(pace.concurrency() == 64);
    }

    TEST_CASE("after a cut the number comes back to what throughput had allowed, by one for each run of successes") {
        Pace pace({.concurrency_max = 64, .concurrency_start = 8}, at_ms(0));
        pace.on_throttle(at_ms(0));
        REQUIRE(pace.concurrency() == 4);
        succeed(pace, 4, at_ms(1'000));
        CHECK(pace.concurrency() == 5);
        succeed(pace, 5 + 6 + 7, at_ms(1'000));
        CHECK(pace.concurrency() == 8);
        succeed(pace, 1'000, at_ms(1'000));
        CHECK(pace.concurrency() == 8);
    }

    TEST_CASE("64 refusals of one burst are one cut, and the burst's successes do not undo it") {
        Pace pace({.concurrency_start = 64}, at_ms(0));
        for (int i = 0; i < 64; ++i) pace.on_throttle(at_ms(i * 15));
        CHECK(pace.concurrency() == 32);
        CHECK(interval(pace, at_ms(960)) == milliseconds(20));
        succeed(pace, 500, at_ms(999));
        CHECK(pace.concurrency() == 32);
    }

    TEST_CASE("throttles that go on halve the number down to one and double the interval up to its maximum") {
        struct Row {
            unsigned concurrency;
            int64_t interval_ms;
        };
        Pace pace({}, at_ms(0));
        int64_t now = 0;
        for (const Row row : {Row{8, 20}, Row{4, 40}, Row{2, 80}, Row{1, 160}, Row{1, 320}, Row{1, 640}, Row{1, 1'000},
                              Row{1, 1'000}}) {
            pace.on_throttle(at_ms(now));
            CHECK(pace.concurrency() == row.concurrency);
            CHECK(interval(pace, at_ms(now)) == milliseconds(row.interval_ms));
            now += 2'000;
        }
    }

    TEST_CASE("the settling time grows with the interval: one request per second needs more than one second to show") {
        Pace pace({}, at_ms(0));
        for (int64_t i = 0; i < 8; ++i) pace.on_throttle(at_ms(2'000 * i));
        REQUIRE(interval(pace, at_ms(14'000)) == seconds(1));
        succeed(pace, 1, at_ms(15'999));
        CHECK(pace.concurrency() == 1);
        succeed(pace, 1, at_ms(16'000));
        CHECK(pace.concurrency() == 2);
    }

    TEST_CASE("runs of successes take the interval back to nothing while the number grows") {
        Pace pace({.concurrency_start = 2}, at_ms(0));
        pace.on_throttle(at_ms(0));
        REQUIRE(pace.concurrency() == 1);
        struct Row {
            unsigned successes, concurrency;
            int64_t interval_us;
        };
        for (const Row row : {Row{1, 2, 10'000}, Row{1, 2, 10'000}, Row{1, 2, 5'000}, Row{2, 2, 0}, Row{4, 2, 0}}) {
            succeed(pace, row.successes, at_ms(1'000));
            CHECK(pace.concurrency() == row.concurrency);
            CHECK(interval(pace, at_ms(1'000)) == microseconds(row.interval_us));
        }
    }

    TEST_CASE("after an outage the interval is an eighth at once, and the settling time of its last refusal is over") {
        Pace pace({}, at_ms(0));
        for (int64_t i = 0; i < 8; ++i) pace.on_throttle(at_ms(2'000 * i));
        REQUIRE(interval(pace, at_ms(14'000)) == seconds(1));
        REQUIRE(pace.concurrency() == 1);
        pace.on_recovery();
        CHECK(interval(pace, at_ms(14'000)) == milliseconds(125));
        CHECK(pace.concurrency() == 1);
        succeed(pace, 1, at_ms(14'000));
        CHECK(pace.concurrency() == 2);
        CHECK(interval(pace, at_ms(14'000)) == microseconds(62'500));
        pace.on_throttle(at_ms(14'001));
        CHECK(pace.concurrency() == 1);
        CHECK(interval(pace, at_ms(14'001)) == milliseconds(125));
    }

    TEST_CASE("a throttle starts the run of successes anew") {
        Pace pace({.concurrency_start = 4}, at_ms(0));
        succeed(pace, 3, at_ms(0));
        for (int i = 0; i < 3; ++i) pace.on_throttle(at_ms(1));
        REQUIRE(pace.concurrency() == 2);
        succeed(pace, 1, at_ms(5'000));
        CHECK(pace.concurrency() == 2);
        succeed(pace, 1, at_ms(5'000));
        CHECK(pace.concurrency() == 3);
    }

    TEST_CASE("throttles scattered among successes set no interval; the number is eased by half of their share") {
        struct Row {
            unsigned successes, concurrency;  ///< before the throttle; after it
        };
        for (const Row row : {Row{19, 16}, Row{7, 15}, Row{3, 14}, Row{2, 14}, Row{1, 8}}) {
            CAPTURE(row.successes);
            Pace pace({.concurrency_start = 16}, at_ms(0));
            succeed(pace, row.successes, at_ms(0));
            pace.on_throttle(at_ms(1));
            CHECK(pace.concurrency() == row.concurrency);
            CHECK(interval(pace, at_ms(1)) == (row.successes > 1 ? Duration::zero() : milliseconds(20)));
        }
    }

    TEST_CASE("where a fourth of all requests is refused for long, the number stays near what it was") {
        Pace pace({.concurrency_start = 16}, at_ms(0));
        for (int64_t answer = 1; answer <= 10'000; ++answer) {
            if (answer % 4 == 0)
                pace.on_throttle(at_ms(10 * answer));
            else
                pace.on_success(at_ms(10 * answer), 0, false);
            CHECK(pace.concurrency() >= 12);
            CHECK(pace.concurrency() <= 16);
        }
        CHECK(interval(pace, at_ms(100'000)) == Duration::zero());
        CHECK(pace.throttled_lately());
        succeed(pace, 1'000, at_ms(100'000));
        CHECK_FALSE(pace.throttled_lately());
    }

    TEST_CASE("a store that begins to refuse everything is noticed within the answers that are remembered") {
        Pace pace({.concurrency_start = 16}, at_ms(0));
        succeed(pace, 10'000, at_ms(0));
        for (int i = 0; i < 32; ++i) pace.on_throttle(at_ms(1));
        CHECK(pace.concurrency() <= 8);
        CHECK(interval(pace, at_ms(1)) == milliseconds(20));
    }

    TEST_CASE("a pinned number is not changed, the interval is") {
        Pace pace({.concurrency_max = 10, .concurrency_start = 10, .pinned = true}, at_ms(0));
        pace.on_throttle(at_ms(0));
        CHECK(pace.concurrency() == 10);
        CHECK(interval(pace, at_ms(0)) == milliseconds(20));
        succeed(pace, 1'000, at_ms(2'000));
        CHECK(pace.concurrency() == 10);
        CHECK(pace.record(wall).empty());
    }

    TEST_CASE("the next request may start one interval after the last, or at once when that has passed") {
        Pace pace({}, at_ms(0));
        CHECK(pace.next_send(at_ms(0)) == at_ms(0));
        pace.on_throttle(at_ms(0));
        CHECK(pace.next_send(at_ms(5)) == at_ms(5));  // nothing sent yet
        pace.sent(at_ms(10));
        CHECK(pace.next_send(at_ms(12)) == at_ms(30));
        CHECK(pace.next_send(at_ms(30)) == at_ms(30));
        CHECK(pace.next_send(at_ms(99)) == at_ms(99));
    }

    TEST_CASE("what was learned is taken over by the next process while it is fresh") {
        Pace first({}, at_ms(0));
        first.on_throttle(at_ms(0));
        first.on_throttle(at_ms(1'000));
        const std::string record = first.record(wall);
        REQUIRE_FALSE(record.empty());

        struct Row {
            Duration later;
            bool believed;
        };
        for (const Row row : {Row{seconds(0), true}, Row{minutes(5), true}, Row{minutes(5) + milliseconds(1), false},
                              Row{hours(24), false}, Row{-milliseconds(1), false}, Row{-hours(24), false}}) {
            CAPTURE(row.later.count());
            Pace next({}, at_ms(0));
            next.adopt(record, wall + row.later, at_ms(0));
            CHECK(next.concurrency() == (row.believed ? 4 : 16));
            CHECK(interval(next, at_ms(0)) == (row.believed ? milliseconds(40) : milliseconds(0)));
        }
    }

    TEST_CASE("a taken-over pace stays within this process's own bounds") {
        Pace slow({.concurrency_start = 40}, at_ms(0));
        for (int64_t i = 0; i < 8; ++i) slow.on_throttle(at_ms(2'000 * i));
        Pace quick({.concurrency_start = 40}, at_ms(0));
        quick.on_throttle(at_ms(0));

        Pace narrow({.concurrency_max = 8, .concurrency_start = 4, .interval_max = milliseconds(100)}, at_ms(0));
        narrow.adopt(quick.record(wall), wall, at_ms(0));
        CHECK(narrow.concurrency() == 8);
        narrow.adopt(slow.record(wall), wall, at_ms(0));
        CHECK(narrow.concurrency() == 1);
        CHECK(interval(narrow, at_ms(0)) == milliseconds(100));

        Pace pinned({.concurrency_max = 10, .concurrency_start = 10, .pinned = true}, at_ms(0));
        pinned.adopt(slow.record(wall), wall, at_ms(0));
        CHECK(pinned.concurrency() == 10);
        CHECK(interval(pinned, at_ms(0)) == seconds(1));
    }

    TEST_CASE("a corrupt record changes nothing") {
        const std::string good = "at_unix_ms=1795986090000\nconcurrency=4\ninterval_us=40000\n";
        Pace check({}, at_ms(0));
        check.adopt(good, wall, at_ms(0));
        REQUIRE(check.concurrency() == 4);

        for (const std::string& record : std::vector<std::string>{
                 "",
                 "garbage",
                 "concurrency=4\ninterval_us=40000\n",
                 "at_unix_ms=1795986090000\ninterval_us=40000\n",
                 "at_unix_ms=1795986090000\nconcurrency=4\n",
                 "at_unix_ms=x\nconcurrency=4\ninterval_us=40000\n",
                 "at_unix_ms=-9223372036854775808\nconcurrency=4\ninterval_us=40000\n",
                 "at_unix_ms=1795986090000\nconcurrency=0\ninterval_us=40000\n",
                 "at_unix_ms=1795986090000\nconcurrency=-4\ninterval_us=40000\n",
                 "at_unix_ms=1795986090000\nconcurrency=4\ninterval_us=-1\n",
                 std::string(70'000, '\0'),
             }) {
            CAPTURE(record.substr(0, 80));
            Pace pace({}, at_ms(0));
            pace.adopt(record, wall, at_ms(0));
            CHECK(pace.concurrency() == 16);
            CHECK(interval(pace, at_ms(0)) == Duration::zero());
        }
    }

    TEST_CASE("absurd numbers in a record are brought within bounds") {
        Pace pace({}, at_ms(0));
        pace.adopt("at_unix_ms=1795986090000\nconcurrency=9223372036854775807\ninterval_us=9223372036854775807\n", wall,
                   at_ms(0));
        CHECK(pace.concurrency() == 64);
        CHECK(interval(pace, at_ms(0)) == seconds(1));
    }

}  // TEST_SUITE

}  // namespace s3tug::policy
