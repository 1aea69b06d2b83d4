#include "policy/breaker.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "unit/policy/breaker_world.h"

namespace s3tug::policy {

namespace {

constexpr auto closed = BreakerState::closed;
constexpr auto open = BreakerState::open;
constexpr auto half_open = BreakerState::half_open;

enum class Event { ask, success, failure, release, time_over, reset };

/// Brings a fresh world into `state`; the ticket is one that may report there (of a trial in half-open, of the last
/// closed phase in open).
Ticket enter(BreakerWorld& world, BreakerState state) {
    const Ticket before = world.ask().ticket.value();
    if (state == closed) return before;
    if (state == half_open) return world.half_open();
    world.open();
    return before;
}

}  // namespace

TEST_SUITE("policy/breaker") {
    TEST_CASE("each state answers each event as the table says") {
        struct Row {
            BreakerState state;
            Event event;
            BreakerState then;
            bool admitted, dropped;
        };
        const Row rows[] = {
            {closed, Event::ask, closed, true, false},
            {closed, Event::success, closed, false, false},
            {closed, Event::failure, closed, false, false},  // the first of five
            {closed, Event::release, closed, false, false},
            {closed, Event::time_over, closed, true, false},
            {closed, Event::reset, closed, true, false},
            {open, Event::ask, open, false, false},
            {open, Event::success, open, false, true},  // begun while closed: late
            {open, Event::failure, open, false, true},
            {open, Event::release, open, false, true},
            {open, Event::time_over, half_open, true, false},
            {open, Event::reset, closed, true, false},
            {half_open, Event::ask, half_open, true, false},
            {half_open, Event::success, half_open, false, false},  // the first of three
            {half_open, Event::failure, open, false, false},
            {half_open, Event::release, half_open, false, false},
            {half_open, Event::time_over, open, false, false},  // the trial's lease is over, its owner lives
            {half_open, Event::reset, closed, true, false},
        };
        for (const Row& row : rows) {
            CAPTURE(to_string(row.state));
            CAPTURE(static_cast<int>(row.event));
            BreakerWorld world;
            const Ticket ticket = enter(world, row.state);
            REQUIRE(world.record.state == row.state);
            bool admitted = false;
            bool dropped = false;
            switch (row.event) {
                case Event::ask: admitted = world.ask().ticket.has_value(); break;
                case Event::success: dropped = world.report(ticket, ItemResult::success).dropped; break;
                case Event::failure: dropped = world.report(ticket, ItemResult::failure).dropped; break;
                case Event::release: dropped = world.report(ticket, ItemResult::released).dropped; break;
                case Event::time_over:
                    world.pass(row.state == open ? world.config.open_for : world.config.lease);
                    admitted = world.ask().ticket.has_value();
                    break;
                case Event::reset:
                    world.record = BreakerRecord{};  // `state reset` erases the record
                    admitted = world.ask().ticket.has_value();
                    break;
            }
            CHECK(world.record.state == row.then);
            CHECK(admitted == row.admitted);
            CHECK(dropped == row.dropped);
        }
    }

    TEST_CASE("a healthy run writes nothing") {
        BreakerWorld world;
        const Admission admission = world.ask();
        CHECK_FALSE(admission.changed);
        CHECK_FALSE(admission.transition);
        CHECK_FALSE(world.report(*admission.ticket, ItemResult::success).changed);
        CHECK_FALSE(world.report(*admission.ticket, ItemResult::released).changed);
        CHECK_FALSE(world.renew(*admission.ticket).changed);
        CHECK_FALSE(world.renew(*admission.ticket).dropped);
    }

    TEST_CASE("five failures in a row open, with the reason") {
        BreakerWorld world;
        world.fail_items(4);
        CHECK(world.record.state == closed);
        CHECK(world.record.failures == 4);
        const BreakerUpdate fifth = world.report(world.ask().ticket.value(), ItemResult::failure, "503 SlowDown");
        REQUIRE(fifth.transition);
        CHECK(fifth.transition->from == closed);
        CHECK(fifth.transition->to == open);
        CHECK(fifth.transition->reason == "5 failures in a row, last: 503 SlowDown");
        CHECK(world.record.failures == 5);
        CHECK(world.record.generation == 1);

        const Admission refused = world.ask();
        CHECK_FALSE(refused.ticket);
        CHECK_FALSE(refused.changed);
        CHECK(refused.retry_in == seconds(30));
        CHECK(refused.reason == "circuit breaker is open, last error: 503 SlowDown");
    }

    TEST_CASE("a success in between starts the count again, also one that is a 404") {
        BreakerWorld world;
        for (int round = 0; round < 3; ++round) {
            world.fail_items(4);
            const BreakerUpdate success = world.report(world.ask().ticket.value(), ItemResult::success);
            CHECK(success.changed);
            CHECK(world.record.failures == 0);
        }
        CHECK(world.record.state == closed);
    }

    TEST_CASE("a released item neither counts nor clears") {
        BreakerWorld world;
        world.fail_items(4);
        CHECK_FALSE(world.report(world.ask().ticket.value(), ItemResult::released).changed);
        CHECK(world.record.failures == 4);
    }

    TEST_CASE("failures further apart than the window are not in a row") {
        BreakerWorld world;
        for (int day = 0; day < 30; ++day) {
            world.fail_items(1);
            CHECK(world.record.failures == 1);
            world.pass(hours(24));
        }
        CHECK(world.record.state == closed);

        for (int i = 0; i < 4; ++i) {
            world.pass(world.config.failure_window);  // exactly the window still counts
            world.fail_items(1);
        }
        CHECK(world.record.failures == 4);
        world.pass(world.config.failure_window + Duration(1));
        world.fail_items(1);
        CHECK(world.record.failures == 1);
    }

    TEST_CASE("eight workers failing together open it once, and the late three are dropped") {
        BreakerWorld world;
        std::vector<Ticket> tickets;
        for (int worker = 0; worker < 8; ++worker) tickets.push_back(world.ask().ticket.value());
        int transitions = 0;
        int dropped = 0;
        for (const Ticket& ticket : tickets) {
            const BreakerUpdate update = world.report(ticket, ItemResult::failure);
            transitions += update.transition ? 1 : 0;
            dropped += update.dropped ? 1 : 0;
        }
        CHECK(transitions == 1);
        CHECK(dropped == 3);
        CHECK(world.record.state == open);
        CHECK(world.record.failed_rounds == 0);
    }

    TEST_CASE("refusals neither count nor extend the break") {
        BreakerWorld world;
        world.open();
        for (int i = 1; i <= 29; ++i) {
            world.pass(seconds(1));
            const Admission refused = world.ask();
            CHECK_FALSE(refused.changed);
            CHECK(refused.retry_in == seconds(30 - i));
        }
        world.pass(seconds(1) - Duration(1));
        CHECK(world.ask().retry_in == Duration(1));
        world.pass(Duration(1));
        CHECK(world.ask().ticket);
    }

    TEST_CASE("the first to ask after the break changes the state and holds the first permit in one step") {
        BreakerWorld world;
        world.open();
        world.pass(seconds(30));
        const Admission first = world.ask(1);
        REQUIRE(first.ticket);
        REQUIRE(first.transition);
        CHECK(first.transition->from == open);
        CHECK(first.transition->to == half_open);
        CHECK(first.changed);
        REQUIRE(first.record.permits.size() == 1);
        CHECK(first.record.permits[0].id == first.ticket->permit);
        CHECK(first.record.permits[0].owner == world.process(1));
        CHECK(first.record.permits[0].lease_end == world.now + world.config.lease);
    }

    TEST_CASE("never more trials than allowed, in flight and succeeded together") {
        BreakerWorld world;
        std::vector<Ticket> trials{world.half_open(1)};
        trials.push_back(world.ask(2).ticket.value());
        trials.push_back(world.ask(3).ticket.value());
        const Admission fourth = world.ask(4);
        CHECK_FALSE(fourth.ticket);
        CHECK_FALSE(fourth.retry_in);
        CHECK(fourth.reason == "circuit breaker is half-open, last error: 503 SlowDown; 3 of 3 trials are under way");
        world.report(trials[0], ItemResult::success);
        CHECK_FALSE(world.ask(4).ticket);
        world.report(trials[1], ItemResult::released);
        CHECK(world.ask(4).ticket);
        CHECK_FALSE(world.ask(5).ticket);
    }

    TEST_CASE("three successes close it and clear what was counted") {
        BreakerWorld world;
        const Ticket first = world.half_open();
        CHECK_FALSE(world.report(first, ItemResult::success).transition);
        CHECK_FALSE(world.report(world.ask().ticket.value(), ItemResult::success).transition);
        const BreakerUpdate third = world.report(world.ask().ticket.value(), ItemResult::success);
        REQUIRE(third.transition);
        CHECK(third.transition->to == closed);
        CHECK(third.transition->reason == "3 trials succeeded");
        CHECK(world.record.failures == 0);
        CHECK(world.record.successes == 0);
        CHECK(world.record.failed_rounds == 0);
        CHECK(world.record.permits.empty());
    }

    TEST_CASE("one failed trial opens it again, restarts the timer, and the other trials are not heard") {
        BreakerWorld world;
        const Ticket first = world.half_open(1);
        const Ticket second = world.ask(2).ticket.value();
        const Ticket third = world.ask(3).ticket.value();
        world.pass(seconds(5));
        const BreakerUpdate failed = world.report(second, ItemResult::failure, "CURLE_RECV_ERROR");
        REQUIRE(failed.transition);
        CHECK(failed.transition->to == open);
        CHECK(world.ask().retry_in == seconds(30));
        for (const ItemResult result : {ItemResult::success, ItemResult::failure, ItemResult::released}) {
            CHECK(world.report(first, result).dropped);
            CHECK(world.report(third, result).dropped);
            CHECK(world.renew(third).dropped);
        }
        CHECK(world.record.state == open);
        CHECK(world.record.last_error == "CURLE_RECV_ERROR");
    }

    TEST_CASE("a result of an earlier generation decides nothing in a later one of the same state") {
        BreakerWorld world;
        const Ticket old = world.ask().ticket.value();
        world.half_open();
        world.report(Ticket{world.record.generation, world.record.permits[0].id}, ItemResult::success);
        for (int i = 0; i < 2; ++i) world.report(world.ask().ticket.value(), ItemResult::success);
        REQUIRE(world.record.state == closed);
        CHECK(world.report(old, ItemResult::failure).dropped);
        CHECK(world.record.failures == 0);
    }

    TEST_CASE("a result without the permit, or after it was taken back, is dropped") {
        BreakerWorld world;
        const Ticket trial = world.half_open();
        CHECK(world.report({trial.generation, std::nullopt}, ItemResult::failure).dropped);
        CHECK(world.report({trial.generation, 999}, ItemResult::failure).dropped);
        world.report(trial, ItemResult::released);
        CHECK(world.report(trial, ItemResult::failure).dropped);
        CHECK(world.record.state == half_open);
    }

    TEST_CASE("an open breaker hears nobody, whatever the ticket claims") {
        BreakerWorld world;
        world.open();
        for (const auto permit : {std::optional<uint64_t>(), std::optional<uint64_t>(100)}) {
            for (const ItemResult result : {ItemResult::success, ItemResult::failure, ItemResult::released}) {
                CHECK(world.report({world.record.generation, permit}, result).dropped);
            }
        }
        CHECK(world.record.state == open);
    }

    TEST_CASE("a recovery time of 0 tries again at once and does not loop") {
        BreakerWorld world({.open_for = Duration::zero()});
        world.open();
        const Ticket trial = world.ask().ticket.value();
        CHECK(trial.permit);
        world.report(trial, ItemResult::failure);
        CHECK(world.record.state == open);
        CHECK(world.ask().ticket);
    }

    TEST_CASE("thresholds and trials of 0 count as 1") {
        BreakerWorld world({.threshold = 0, .trials = 0});
        world.fail_items(1);
        CHECK(world.record.state == open);
        world.pass(seconds(30));
        const Ticket trial = world.ask().ticket.value();
        CHECK_FALSE(world.ask().ticket);
        world.report(trial, ItemResult::success);
        CHECK(world.record.state == closed);
    }

    TEST_CASE("the break grows with each failed round up to its bound, and closing starts it over") {
        BreakerWorld world({.growth_percent = 200});
        Ticket trial = world.half_open();
        for (const int64_t expected_s : {60, 120, 240, 300, 300, 300}) {
            world.report(trial, ItemResult::failure);
            CHECK(world.ask().retry_in == seconds(expected_s));
            world.pass(seconds(expected_s));
            trial = world.ask().ticket.value();
        }
        for (int i = 0; i < 3; ++i) {
            world.report(trial, ItemResult::success);
            trial = world.ask().ticket.value();
        }
        CHECK(world.record.state == closed);
        world.open();
        CHECK(world.ask().retry_in == seconds(30));
    }

    TEST_CASE("growth saturates: a million failed rounds do not overflow") {
        BreakerWorld world({.growth_percent = 1000});
        world.open();
        world.record.failed_rounds = limits::breaker_count_max;
        CHECK(world.ask().retry_in == seconds(300));
        world.config.open_for = Duration::zero();
        CHECK(world.ask().ticket);
    }

    TEST_CASE("a break longer than the growth bound is kept as the user set it") {
        BreakerWorld world({.open_for = minutes(20), .growth_percent = 200});
        world.open();
        CHECK(world.ask().retry_in == minutes(20));
    }

    TEST_CASE("half-open with a success and no failure closes by itself; without a success it waits for a trial") {
        BreakerWorld world;
        world.report(world.half_open(), ItemResult::success);
        world.pass(world.config.half_open_idle - Duration(1));
        const Ticket second = world.ask().ticket.value();
        CHECK(second.permit);
        world.report(second, ItemResult::released);
        world.pass(Duration(1));
        const Admission rested = world.ask();
        REQUIRE(rested.ticket);
        CHECK_FALSE(rested.ticket->permit);
        CHECK(rested.transition.value().to == closed);

        BreakerWorld without;
        without.report(without.half_open(), ItemResult::released);
        without.pass(hours(24 * 7));
        CHECK(without.ask().ticket.value().permit);
        CHECK(without.record.state == half_open);
    }

    TEST_CASE("a cron job with one file a day recovers: one trial that succeeds, and closed the day after") {
        BreakerWorld world;
        world.open();
        world.pass(hours(24));
        const Ticket trial = world.ask().ticket.value();
        CHECK(world.report(trial, ItemResult::success).changed);
        world.pass(hours(24));
        CHECK_FALSE(world.ask().ticket.value().permit);
        CHECK(world.record.state == closed);
    }

    TEST_CASE("last errors are bounded and printable") {
        BreakerWorld world;
        world.report(world.ask().ticket.value(), ItemResult::failure, "503\x1b[31m\n" + std::string(5000, 'x'));
        CHECK(world.record.last_error.size() == limits::breaker_error_max_bytes);
        CHECK(world.record.last_error.substr(0, 10) == "503?[31m?x");
        CHECK(decode_breaker(encode(world.record)).has_value());
    }
}

}  // namespace s3tug::policy
