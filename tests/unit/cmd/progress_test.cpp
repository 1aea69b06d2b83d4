#include "cmd/progress.h"

#include <doctest/doctest.h>

#include <vector>

#include "unit/cmd/captured_output.h"

namespace s3tug::cmd {

namespace {

ProgressFacts half_way() {
    ProgressFacts facts;
    facts.items_ended = 12;
    facts.items_total = 20;
    facts.bytes = 512ULL << 20;
    facts.bytes_total = 1ULL << 30;
    facts.retries = 3;
    facts.rate = 64ULL << 20;
    facts.elapsed = seconds(8);
    return facts;
}

engine::RunCounters moved(Instant now, uint64_t bytes) {
    engine::RunCounters counters;
    counters.now = now;
    counters.items_open = 1;
    counters.items_left = 0;
    counters.bytes_moved = bytes;
    counters.bytes_open = 1000;
    counters.in_flight = 1;
    return counters;
}

const Instant start = Instant(seconds(1000));

}  // namespace

TEST_SUITE("cmd/progress") {
    TEST_CASE("the line leaves out the least important first, and the bar takes what is left") {
        struct Row {
            std::size_t width;
            const char* line;
        };
        for (const Row& row : {
                 Row{110,
                     " 50% [===============>              ] 512.0 MiB of 1.0 GiB, 64.0 MiB/s, ETA 8s, 12 of 20 items, "
                     "3 retries"},
                 Row{78, " 50% 512.0 MiB of 1.0 GiB, 64.0 MiB/s, ETA 8s, 12 of 20 items, 3 retries"},
                 Row{65, " 50% 512.0 MiB of 1.0 GiB, 64.0 MiB/s, ETA 8s, 12 of 20 items"},
                 Row{50, " 50% 512.0 MiB of 1.0 GiB, 64.0 MiB/s, ETA 8s"},
                 Row{40, " 50% 512.0 MiB of 1.0 GiB, 64.0 MiB/s"},
                 Row{30, " 50% 512.0 MiB of 1.0 GiB"},
                 Row{10, " 50% 512.0"},
             }) {
            CAPTURE(row.width);
            CHECK(progress_bar(half_way(), row.width) == row.line);
        }
        for (std::size_t width = 1; width < 200; ++width) CHECK(progress_bar(half_way(), width).size() <= width);
    }

    TEST_CASE("what is waited for is the last to go") {
        ProgressFacts facts = half_way();
        facts.waiting = milliseconds(11'800);
        facts.waiting_for = "503 SlowDown";
        CHECK(progress_bar(facts, 35) == " 50% waiting 12s: 503 SlowDown");
        CHECK(progress_log(facts) ==
              "s3tug: 50%, 512.0 MiB of 1.0 GiB, 64.0 MiB/s, ETA 8s, 12 of 20 items, 3 retries, "
              "waiting 12s: 503 SlowDown");
    }

    TEST_CASE("the share goes by bytes, else by items, and is 100 only when all is done") {
        ProgressFacts facts = half_way();
        CHECK(percent(facts) == 50U);
        facts.bytes = (1ULL << 30) - 1;
        CHECK(percent(facts) == 99U);
        facts.bytes_total.reset();
        CHECK(percent(facts) == 60U);
        CHECK(to_ms(time_left(facts).value()) == 5333);
        facts.items_total.reset();
        CHECK_FALSE(percent(facts).has_value());
        CHECK_FALSE(time_left(facts).has_value());
        CHECK(progress_bar(facts, 80) == "1.0 GiB, 64.0 MiB/s, 12 items, 3 retries");
    }

    TEST_CASE("the rate is that of the last seconds, and takes back what a failed attempt had moved") {
        RateMeter meter;
        CHECK_FALSE(meter.rate().has_value());
        meter.add(start, 0);
        meter.add(start + milliseconds(200), 100);
        CHECK_FALSE(meter.rate().has_value());
        meter.add(start + seconds(1), 1000);
        CHECK(meter.rate() == 1000U);
        meter.add(start + seconds(2), 400);
        CHECK(meter.rate() == 200U);
        for (int i = 3; i <= 60; ++i) meter.add(start + seconds(i), 400);
        CHECK(meter.rate() == 0U);
    }

    TEST_CASE("a bar is for people: which style is taken where") {
        struct Row {
            ProgressMode mode;
            bool quiet;
            ProgressPlace place;
            ProgressStyle style;
        };
        const ProgressPlace tty{.terminal = true};
        for (const Row& row : {
                 Row{ProgressMode::automatic, false, tty, ProgressStyle::bar},
                 Row{ProgressMode::automatic, true, tty, ProgressStyle::none},
                 Row{ProgressMode::automatic, false, {}, ProgressStyle::none},
                 Row{ProgressMode::automatic, false, {.terminal = true, .dumb = true}, ProgressStyle::none},
                 Row{ProgressMode::automatic, false, {.terminal = true, .ci = true}, ProgressStyle::none},
                 Row{ProgressMode::automatic, false, {.terminal = true, .shared_with_data = true}, ProgressStyle::none},
                 Row{ProgressMode::bar, false, {.terminal = true, .ci = true}, ProgressStyle::bar},
                 Row{ProgressMode::bar, false, {.terminal = true, .dumb = true}, ProgressStyle::log},
                 Row{ProgressMode::bar, false, {}, ProgressStyle::log},
                 Row{ProgressMode::log, false, tty, ProgressStyle::log},
                 Row{ProgressMode::none, false, tty, ProgressStyle::none},
             }) {
            CHECK((progress_style(row.mode, row.quiet, row.place) == row.style));
        }
    }

    TEST_CASE("a bar is drawn to the width of the moment, and gone at the end") {
        CapturedOutput output;
        std::size_t width = 80;
        Progress progress(
            ProgressStyle::bar, output, [&width] { return width; }, start);
        progress.end();
        CHECK(output.live_lines.empty());
        progress.show(moved(start + milliseconds(200), 100), {});
        width = 21;
        progress.show(moved(start + milliseconds(400), 250), {});
        progress.end();
        REQUIRE(output.live_lines.size() == 3);
        CHECK(output.live_lines[0] == " 10% [===>                          ] 100 B of 1000 B");
        CHECK(output.live_lines[1] == " 25% 250 B of 1000 B");
        CHECK(output.live_lines[2].empty());
        CHECK(progress.shown());
        CHECK(output.talk_lines.empty());
    }

    TEST_CASE("a log has a line every ten seconds") {
        CapturedOutput output;
        Progress progress(
            ProgressStyle::log, output, [] { return std::size_t{80}; }, start);
        for (int i = 1; i <= 25; ++i) progress.show(moved(start + seconds(i), static_cast<uint64_t>(10 * i)), {});
        REQUIRE(output.talk_lines.size() == 2);
        CHECK(output.talk_lines[0] == "s3tug: 10%, 100 B of 1000 B, 10 B/s, ETA 1m30s");
        CHECK_FALSE(progress.shown());
    }

    TEST_CASE("a wait is shown only while nothing is in flight") {
        engine::RunCounters counters = moved(start, 0);
        counters.waiting_until = start + seconds(12);
        counters.waiting_for = "503 SlowDown";
        CHECK_FALSE(facts_of(counters, {}, {}, {}).waiting.has_value());
        counters.in_flight = 0;
        CHECK(facts_of(counters, {}, {}, {}).waiting == Duration(seconds(12)));
    }
}

}  // namespace s3tug::cmd
