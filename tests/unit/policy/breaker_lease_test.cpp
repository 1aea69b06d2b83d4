#include <doctest/doctest.h>

#include "policy/breaker.h"
#include "unit/policy/breaker_world.h"

namespace s3tug::policy {

/// Permits, processes that die or stop, other boots and odd clocks (facts/breaker.md section 4).
TEST_SUITE("policy/breaker leases and clocks") {
    TEST_CASE("SIGKILL with a permit: it is given back without a verdict and the next asker has it") {
        BreakerWorld world;
        for (int64_t pid = 1; pid <= 3; ++pid) {
            if (pid == 1) {
                world.half_open(pid);
            } else {
                world.ask(pid);
            }
        }
        CHECK_FALSE(world.ask(4).ticket);
        world.liveness[2] = Liveness::dead;
        const Admission next = world.ask(4);
        REQUIRE(next.ticket);
        CHECK_FALSE(next.transition);
        CHECK(world.record.permits.size() == 3);
        CHECK(world.record.state == BreakerState::half_open);
    }

    TEST_CASE("SIGSTOP beyond the lease: a failed trial, and its late success is dropped") {
        BreakerWorld world;
        const Ticket stopped = world.half_open(1);
        world.pass(world.config.lease - Duration(1));
        world.report(world.ask(2).ticket.value(), ItemResult::released);
        CHECK(world.record.state == BreakerState::half_open);
        world.pass(Duration(1));
        const Admission refused = world.ask(2);
        CHECK_FALSE(refused.ticket);
        CHECK(refused.changed);
        CHECK(refused.transition.value().to == BreakerState::open);
        CHECK(refused.retry_in == world.config.open_for);
        CHECK(world.report(stopped, ItemResult::success).dropped);
        CHECK(world.record.state == BreakerState::open);
    }

    TEST_CASE("a success reported after the lease counts as long as nobody took the permit back") {
        BreakerWorld world;
        const Ticket slow = world.half_open(1);
        world.pass(world.config.lease * 2);
        CHECK_FALSE(world.report(slow, ItemResult::success).dropped);
        CHECK(world.record.successes == 1);
    }

    TEST_CASE("a lease over under an owner that cannot be asked gives the permit back without a verdict") {
        BreakerWorld world;
        const Ticket elsewhere = world.half_open(1);
        world.liveness[1] = Liveness::unknown;
        world.pass(world.config.lease - Duration(1));
        world.ask(2);
        world.ask(2);
        CHECK_FALSE(world.ask(2).ticket);
        world.pass(Duration(1));
        const Admission next = world.ask(3);
        CHECK(next.ticket);
        CHECK(world.record.state == BreakerState::half_open);
        CHECK(world.report(elsewhere, ItemResult::failure).dropped);
    }

    TEST_CASE("a reused pid is not the owner: liveness decides by start time, and the permit comes back") {
        BreakerWorld world;
        world.half_open(1);
        world.ask(2);
        world.ask(3);
        BreakerNow at = world.at();
        at.liveness = [](const ProcessId& p) {
            return p == ProcessId{2, 1000, "boot-1", 1} ? Liveness::dead : Liveness::alive;
        };
        const ProcessId reused{2, 2000, "boot-1", 1};
        const Admission next = ask(world.config, world.record, at, reused, 77);
        REQUIRE(next.ticket);
        CHECK(next.ticket->permit == 77);
        CHECK(next.record.permits.back().owner == reused);
    }

    TEST_CASE("progress renews the lease, and rarely writes") {
        BreakerWorld world;
        const Ticket trial = world.half_open(1);
        CHECK_FALSE(world.renew(trial).changed);
        world.pass(world.config.lease / 2);
        CHECK(world.renew(trial).changed);
        world.pass(world.config.lease - Duration(1));
        world.ask(2);
        CHECK(world.record.state == BreakerState::half_open);
        CHECK(world.record.permits.size() == 2);
    }

    TEST_CASE("hour-long trials that make progress close the breaker instead of keeping others out") {
        BreakerWorld world;
        const Ticket trials[] = {world.half_open(1), world.ask(2).ticket.value(), world.ask(3).ticket.value()};
        BreakerUpdate last;
        for (Duration passed{}; passed < world.config.half_open_idle; passed += seconds(20)) {
            CHECK_FALSE(world.ask(4).ticket);
            world.pass(seconds(20));
            for (const Ticket& trial : trials) {
                last = world.renew(trial);
                if (last.transition) break;
            }
        }
        REQUIRE(last.transition);
        CHECK(last.transition->to == BreakerState::closed);
        CHECK(world.ask(4).ticket);
        CHECK(world.renew(trials[2]).dropped);
        CHECK(world.report(trials[2], ItemResult::failure).dropped);
        CHECK(world.record.failures == 0);
    }

    TEST_CASE("without a way to ask for owners leases alone decide") {
        BreakerWorld world;
        world.half_open(1);
        BreakerNow at = world.at();
        at.liveness = nullptr;
        CHECK(ask(world.config, world.record, at, world.process(2), 5).record.permits.size() == 2);
        at.now += world.config.lease;
        CHECK(ask(world.config, world.record, at, world.process(2), 5).record.permits.size() == 1);
    }

    TEST_CASE("an absurd lease end gives the permit back") {
        BreakerWorld world;
        world.half_open(1);
        world.record.permits[0].lease_end = world.now + limits::breaker_lease_max + Duration(1);
        world.ask(2);
        REQUIRE(world.record.permits.size() == 1);
        CHECK(world.record.permits[0].owner == world.process(2));
    }

    TEST_CASE("another boot turns open into half-open at once") {
        BreakerWorld world;
        world.open();
        world.reboot(seconds(1));
        const Admission first = world.ask();
        REQUIRE(first.ticket);
        CHECK(first.ticket->permit);
        CHECK(first.transition.value().to == BreakerState::half_open);
        CHECK(world.record.boot_id == world.boot_id);
    }

    TEST_CASE("another boot drops permits and keeps the successes of the round") {
        BreakerWorld world;
        const Ticket lost = world.half_open(1);
        world.report(world.ask(2).ticket.value(), ItemResult::success);
        world.reboot(seconds(40));
        const Admission next = world.ask(9);
        REQUIRE(next.ticket);
        CHECK(world.record.permits.size() == 1);
        CHECK(world.record.successes == 1);
        CHECK(world.report(lost, ItemResult::failure).dropped);
    }

    TEST_CASE("permits of another boot are dropped also where owners cannot be asked") {
        BreakerWorld world;
        world.now = Instant(seconds(1));  // so that the lease seems to run on under the new clock
        world.half_open(1);
        world.reboot(seconds(1));
        BreakerNow at = world.at();
        at.liveness = nullptr;
        const Admission next = ask(world.config, world.record, at, world.process(2), 5);
        REQUIRE(next.record.permits.size() == 1);
        CHECK(next.record.permits[0].id == 5);
    }

    TEST_CASE("another boot keeps the count only inside the failure window by the wall clock") {
        struct Row {
            Duration off;
            unsigned failures;
        };
        for (const Row row : {Row{seconds(60), 5}, Row{seconds(300), 5}, Row{seconds(301), 1}, Row{hours(24), 1},
                              Row{-hours(24), 5} /* wall clock set back: age 0 */}) {
            CAPTURE(to_ms(row.off));
            BreakerWorld world({.threshold = 10});
            world.fail_items(4);
            world.reboot(row.off);
            world.fail_items(1);
            CHECK(world.record.failures == row.failures);
        }
    }

    TEST_CASE("a success after a reboot clears the count") {
        BreakerWorld world;
        world.fail_items(4);
        world.reboot(seconds(10));
        CHECK(world.report(world.ask().ticket.value(), ItemResult::success).changed);
        CHECK(world.record.failures == 0);
    }

    TEST_CASE("the wall clock set back or forward by a day changes nothing within a boot") {
        for (const Duration step : {-hours(24), hours(24)}) {
            BreakerWorld world;
            world.open();
            world.wall += step;
            CHECK(world.ask().retry_in == seconds(30));
            world.pass(seconds(30));
            CHECK(world.ask().ticket);
            world.wall -= step;
            world.report(Ticket{world.record.generation, world.record.permits[0].id}, ItemResult::success);
            CHECK(world.record.successes == 1);
        }
    }

    TEST_CASE("a steady time far ahead of ours cannot hold it open") {
        BreakerWorld world;
        world.open();
        world.record.changed_at = world.now + world.config.open_for + Duration(1);
        CHECK(world.ask().ticket);

        BreakerWorld ahead;  // another process read its clock a moment after us
        ahead.open();
        ahead.record.changed_at = ahead.now + milliseconds(5);
        CHECK(ahead.ask().retry_in == ahead.config.open_for);
    }

    TEST_CASE("an open breaker found after a quiet week lets a trial through") {
        BreakerWorld world;
        world.open();
        world.pass(hours(24 * 7));
        CHECK(world.ask().ticket);
    }

    TEST_CASE("fewer trials than succeeded already, after the setting was lowered, closes") {
        BreakerWorld world({.trials = 5});
        world.report(world.half_open(), ItemResult::success);
        world.report(world.ask().ticket.value(), ItemResult::success);
        world.config.trials = 2;
        CHECK(world.ask().transition.value().to == BreakerState::closed);
    }

    TEST_CASE("a record erased meanwhile does not take a trial's result for its own") {
        BreakerWorld world;
        const Ticket trial = world.half_open();
        world.record = BreakerRecord{};
        world.record.generation = trial.generation;
        CHECK(world.report(trial, ItemResult::failure).dropped);
    }
}

}  // namespace s3tug::policy
