#include "policy/budget.h"

#include <doctest/doctest.h>

#include <vector>

namespace s3tug::policy {

namespace {

using C = FailureClass;

Instant at(Duration since_start) { return Instant(hours(5)) + since_start; }

RetryBudget full() { return {BudgetConfig{}, at(seconds(0))}; }

}  // namespace

TEST_SUITE("policy/budget") {
    TEST_CASE("a throttle costs less than any other failure, a timeout as much as any other") {
        const RetryBudget budget = full();
        CHECK(budget.cost(C::throttling) == 5);
        for (const C cls : {C::server, C::transient_network, C::timeout, C::integrity}) CHECK(budget.cost(cls) == 14);
    }

    TEST_CASE("a new bucket is full and stays so while time passes") {
        const RetryBudget budget = full();
        for (const Duration d : {Duration(seconds(0)), Duration(seconds(1)), Duration(hours(24 * 365 * 200))}) {
            CHECK(budget.tokens(at(d)) == 100);
            CHECK(budget.affordable_at(C::timeout, at(d)) == at(d));
        }
    }

    TEST_CASE("takes and the passing of time") {
        struct Step {
            C cls;
            int64_t after_ms;   ///< since the step before
            int64_t tokens;     ///< after the take
            int64_t afford_ms;  ///< until the next transient retry can be paid, from then
        };
        RetryBudget budget = full();
        Duration now{};
        for (const Step step : {
                 Step{C::server, 0, 86, 0},
                 Step{C::throttling, 0, 81, 0},
                 Step{C::timeout, 1'000, 69, 0},  // 81 + 2 - 14
                 Step{C::server, 0, 55, 0},
                 Step{C::server, 0, 41, 0},
                 Step{C::server, 0, 27, 0},
                 Step{C::server, 0, 13, 500},
                 Step{C::server, 0, -1, 7'500},  // may owe: the wait was decided before
                 Step{C::server, 7'500, 0, 7'000},
             }) {
            now += milliseconds(step.after_ms);
            budget.take(step.cls, at(now));
            CHECK(budget.tokens(at(now)) == step.tokens);
            CHECK(budget.affordable_at(C::server, at(now)) == at(now + milliseconds(step.afford_ms)));
        }
    }

    TEST_CASE(
        "debt ends at minus the capacity, so 64 items that fail at once wait, and each has its turn within a minute") {
        RetryBudget budget = full();
        for (int i = 0; i < 64; ++i) budget.take(C::server, at(seconds(0)));
        CHECK(budget.tokens(at(seconds(0))) == -100);
        CHECK(budget.affordable_at(C::server, at(seconds(0))) == at(seconds(57)));  // (100 + 14) / 2 per second

        // Then each waits until it can pay, pays and fails again: the last of 64 more retries is paid, at 7 s each.
        Instant now = at(seconds(0));
        for (int i = 0; i < 64; ++i) {
            now = budget.affordable_at(C::server, now);
            budget.take(C::server, now);
        }
        CHECK(now == at(seconds(57 + 63 * 7)));
    }

    TEST_CASE("success brings tokens back: one for a first try, its cost for a retry, never above the capacity") {
        struct Row {
            bool was_retry;
            C retried_for;
            int64_t tokens;
        };
        for (const Row row : {Row{false, C::none, 73}, Row{true, C::throttling, 77}, Row{true, C::timeout, 86}}) {
            RetryBudget budget = full();
            budget.take(C::server, at(seconds(0)));
            budget.take(C::server, at(seconds(0)));
            budget.on_success(row.was_retry, row.retried_for, at(seconds(0)));
            CHECK(budget.tokens(at(seconds(0))) == row.tokens);
        }
        RetryBudget budget = full();
        budget.on_success(false, C::none, at(seconds(0)));
        CHECK(budget.tokens(at(seconds(0))) == 100);
    }

    TEST_CASE("a store that answers 13 of 14 requests keeps the bucket from running dry without the help of time") {
        BudgetConfig config;
        config.refill_per_second = 0;
        RetryBudget budget(config, at(seconds(0)));
        for (int round = 0; round < 10'000; ++round) {
            CHECK(budget.affordable_at(C::server, at(seconds(0))) == at(seconds(0)));
            budget.take(C::server, at(seconds(0)));
            for (int i = 0; i < 14; ++i) budget.on_success(false, C::none, at(seconds(0)));
        }
        CHECK(budget.tokens(at(seconds(0))) == 100);
    }

    TEST_CASE("a drained bucket holds nothing, what was owed stays owed, and time and success fill it as before") {
        RetryBudget budget = full();
        budget.drain(at(milliseconds(0)));
        CHECK(budget.tokens(at(milliseconds(0))) == 0);
        CHECK(budget.affordable_at(C::throttling, at(milliseconds(0))) == at(milliseconds(2500)));
        budget.take(C::throttling, at(milliseconds(0)));
        budget.drain(at(milliseconds(0)));
        CHECK(budget.tokens(at(milliseconds(0))) == -5);
        budget.on_success(true, C::throttling, at(milliseconds(0)));
        CHECK(budget.tokens(at(milliseconds(1000))) == 2);
    }

    TEST_CASE("thousands of updates within a millisecond do not lose the refill") {
        RetryBudget budget = full();
        for (int i = 0; i < 64; ++i) budget.take(C::server, at(seconds(0)));
        BudgetConfig config;
        config.cost_transient = 0;  // updates that cost nothing
        RetryBudget busy(config, at(seconds(0)));
        for (int i = 0; i < 40; ++i) busy.take(C::throttling, at(seconds(0)));
        CHECK(busy.tokens(at(seconds(0))) == -100);
        for (int64_t us = 0; us <= 10'000'000; us += 100) busy.take(C::server, at(microseconds(us)));
        CHECK(busy.tokens(at(seconds(10))) == -80);  // 10 s at 2 per second
    }

    TEST_CASE("asking changes nothing, and time that runs backwards gives nothing") {
        RetryBudget budget = full();
        for (int i = 0; i < 8; ++i) budget.take(C::server, at(seconds(10)));
        const int64_t before = budget.tokens(at(seconds(10)));
        for (int i = 0; i < 100; ++i) {
            static_cast<void>(budget.tokens(at(seconds(20))));
            static_cast<void>(budget.affordable_at(C::server, at(seconds(20))));
        }
        CHECK(budget.tokens(at(seconds(10))) == before);
        CHECK(budget.tokens(at(seconds(0))) == before);
        budget.take(C::throttling, at(seconds(0)));
        CHECK(budget.tokens(at(seconds(10))) == before - 5);
    }

    TEST_CASE("what is said to be affordable then is affordable then, at any rate") {
        for (const int64_t rate : {1, 2, 3, 7, 1'000}) {
            BudgetConfig config;
            config.refill_per_second = rate;
            RetryBudget budget(config, at(seconds(0)));
            Instant now = at(seconds(0));
            for (int i = 0; i < 50; ++i) {
                budget.take(C::server, now + Duration(i * 777'777));
                const Instant then = budget.affordable_at(C::server, now);
                CHECK(budget.affordable_at(C::server, then) == then);
                now += milliseconds(13);
            }
        }
    }

}  // TEST_SUITE

}  // namespace s3tug::policy
