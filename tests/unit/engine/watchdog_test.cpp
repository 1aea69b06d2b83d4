#include "engine/watchdog.h"

#include <doctest/doctest.h>

#include <vector>

using namespace s3tug;
using port::Phase;
using wire::TransportCode;

TEST_SUITE("engine/watchdog") {
    TEST_CASE("an attempt ends when its phase takes too long, but not for time in which nobody looked") {
        struct Row {
            const char* what;
            Phase phase;
            unsigned looks_before, pause, looks_after;  // seconds; a look each second but for the pause
            std::optional<TransportCode> end;
        };
        const Row rows[] = {
            {"connecting", Phase::connecting, 9, 0, 0, std::nullopt},
            {"connecting for long", Phase::connecting, 10, 0, 0, TransportCode::connect_timeout},
            {"connecting while a reader of stdout slept", Phase::connecting, 2, 600, 7, std::nullopt},
            {"still connecting after it woke", Phase::connecting, 2, 600, 8, TransportCode::connect_timeout},
            {"a short pause counts", Phase::connecting, 2, 5, 3, TransportCode::connect_timeout},
            {"waiting for long", Phase::waiting, 31, 0, 0, TransportCode::answer_timeout},
            {"waiting over a pause", Phase::waiting, 2, 600, 25, std::nullopt},
            {"receiving nothing", Phase::receiving, 31, 0, 0, TransportCode::stalled},
            {"receiving nothing over a pause", Phase::receiving, 2, 600, 25, std::nullopt},
            {"and not after it either", Phase::receiving, 2, 600, 30, TransportCode::stalled},
        };
        for (const Row& row : rows) {
            CAPTURE(row.what);
            Instant now{};
            engine::Watchdog dog({}, false, now);
            const port::Progress progress{.phase = row.phase, .body_bytes_sent = 0, .body_bytes_received = 0};
            std::optional<TransportCode> end;
            const auto look = [&](Duration after) {
                now += after;
                if (!end) end = dog.judge(progress, now);
            };
            look(Duration::zero());
            for (unsigned i = 0; i < row.looks_before; ++i) look(seconds(1));
            if (row.pause > 0) look(seconds(row.pause));
            for (unsigned i = 0; i < row.looks_after; ++i) look(seconds(1));
            CHECK(end == row.end);
        }
    }

    TEST_CASE("what takes a store long may take it long, and has an end all the same") {
        const engine::Timeouts timeouts;
        for (const bool slow : {false, true}) {
            CAPTURE(slow);
            Instant now{};
            engine::Watchdog dog(timeouts, slow, now);
            std::optional<TransportCode> end;
            const port::Progress progress{.phase = Phase::waiting, .body_bytes_sent = 0, .body_bytes_received = 0};
            for (; !end && now < Instant(hours(2)); now += seconds(1)) end = dog.judge(progress, now);
            CHECK(end == TransportCode::answer_timeout);
            const Duration waited = now - Instant{};
            const Duration bound = slow ? timeouts.slow_answer : timeouts.answer;
            CHECK(waited >= bound);
            CHECK(waited <= bound + seconds(3));
        }
    }
}
