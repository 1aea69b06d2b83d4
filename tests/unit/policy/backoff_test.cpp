#include "policy/backoff.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace s3tug::policy {

namespace {

constexpr unsigned most = 4'000'000'000U;

struct Bounds {
    unsigned n;
    int64_t low_ms, high_ms;
};

/// Every wait within the bounds, and the draws really use them: the extremes of many seeds come near both ends.
void check_bounds(const BackoffConfig& config, const Bounds& row, Duration previous = Duration::zero()) {
    CAPTURE(to_string(config.kind));
    CAPTURE(row.n);
    Duration lowest = Duration::max(), highest = Duration::zero();
    for (uint64_t seed = 0; seed < 400; ++seed) {
        Rng rng(seed);
        const Duration wait = backoff_wait(config, row.n, previous, rng);
        lowest = std::min(lowest, wait);
        highest = std::max(highest, wait);
    }
    const Duration low = milliseconds(row.low_ms), high = milliseconds(row.high_ms), tenth = (high - low) / 10;
    CHECK(lowest >= low);
    CHECK(highest <= high);
    CHECK(lowest <= low + tenth);
    CHECK(highest >= high - tenth);
}

BackoffConfig with(BackoffKind kind) { return {.kind = kind, .base = milliseconds(500), .max = seconds(30)}; }

/// Mean in seconds of 20 000 waits, each after its own row of n earlier ones.
double mean_seconds(const BackoffConfig& config, unsigned n) {
    Rng rng(n + 1);
    constexpr int draws = 20'000;
    double sum = 0;
    for (int i = 0; i < draws; ++i) {
        Duration previous = Duration::zero();
        if (config.kind == BackoffKind::decorrelated) {
            for (unsigned k = 0; k < n; ++k) previous = backoff_wait(config, k, previous, rng);
        }
        sum += std::chrono::duration<double>(backoff_wait(config, n, previous, rng)).count();
    }
    return sum / draws;
}

}  // namespace

TEST_SUITE("policy/backoff") {
    TEST_CASE("the exponential wait doubles until max, and jitter adds at most one base") {
        for (const Bounds row :
             {Bounds{0, 500, 1'000}, Bounds{1, 1'000, 1'500}, Bounds{2, 2'000, 2'500}, Bounds{5, 16'000, 16'500},
              Bounds{6, 30'000, 30'500}, Bounds{33, 30'000, 30'500}, Bounds{62, 30'000, 30'500},
              Bounds{63, 30'000, 30'500}, Bounds{64, 30'000, 30'500}, Bounds{most, 30'000, 30'500}}) {
            check_bounds(with(BackoffKind::exponential), row);
        }
    }

    TEST_CASE("full jitter draws from nothing to the doubled wait") {
        for (const Bounds row :
             {Bounds{0, 0, 500}, Bounds{3, 0, 4'000}, Bounds{6, 0, 30'000}, Bounds{most, 0, 30'000}}) {
            check_bounds(with(BackoffKind::full_jitter), row);
        }
    }

    TEST_CASE("equal jitter never goes below half of the doubled wait") {
        for (const Bounds row :
             {Bounds{0, 250, 500}, Bounds{3, 2'000, 4'000}, Bounds{6, 15'000, 30'000}, Bounds{most, 15'000, 30'000}}) {
            check_bounds(with(BackoffKind::equal_jitter), row);
        }
    }

    TEST_CASE("decorrelated draws between base and three times the previous wait, the first previous being base") {
        check_bounds(with(BackoffKind::decorrelated), {0, 500, 1'500});
        check_bounds(with(BackoffKind::decorrelated), {7, 500, 6'000}, seconds(2));
        check_bounds(with(BackoffKind::decorrelated), {1, 500, 1'500}, milliseconds(1));  // never below base
        // Up to max: 3 * 30 s is capped, which two thirds of the draws meet.
        for (const Duration previous : {Duration(seconds(30)), Duration(hours(1)), Duration::max()}) {
            check_bounds(with(BackoffKind::decorrelated), {7, 500, 30'000}, previous);
        }
    }

    TEST_CASE("linear and fixed waits have no jitter") {
        struct Row {
            BackoffKind kind;
            unsigned n;
            int64_t ms;
        };
        for (const Row row : {Row{BackoffKind::linear, 0, 500}, Row{BackoffKind::linear, 4, 2'500},
                              Row{BackoffKind::linear, 59, 30'000}, Row{BackoffKind::linear, 60, 30'000},
                              Row{BackoffKind::linear, UINT32_MAX, 30'000}, Row{BackoffKind::fixed, 0, 500},
                              Row{BackoffKind::fixed, most, 500}}) {
            CAPTURE(row.n);
            Rng rng(row.n);
            CHECK(backoff_wait(with(row.kind), row.n, Duration::zero(), rng) == milliseconds(row.ms));
        }
    }

    TEST_CASE("mean waits with base 1 s and max 20 s are those of the comparison in the facts") {
        struct Row {
            BackoffKind kind;
            std::vector<double> means;
        };
        for (const Row& row : {
                 Row{BackoffKind::exponential, {1.5, 2.5, 4.5, 8.5, 16.5, 20.5}},
                 Row{BackoffKind::full_jitter, {0.5, 1, 2, 4, 8, 10}},
                 Row{BackoffKind::equal_jitter, {0.75, 1.5, 3, 6, 12, 15}},
                 Row{BackoffKind::decorrelated, {2, 3.5, 5.8, 8.2, 10, 11}},
                 Row{BackoffKind::linear, {1, 2, 3, 4, 5}},
                 Row{BackoffKind::fixed, {1, 1, 1}},
             }) {
            for (unsigned n = 0; n < row.means.size(); ++n) {
                CAPTURE(to_string(row.kind));
                CAPTURE(n);
                const double mean = mean_seconds({.kind = row.kind, .base = seconds(1), .max = seconds(20)}, n);
                CHECK(mean == doctest::Approx(row.means[n]).epsilon(0.05));
            }
        }
    }

    TEST_CASE("one draw per wait, whatever the algorithm, so that a change of it does not shift other draws") {
        for (int kind = 0; kind < 6; ++kind) {
            Rng used(7), reference(7);
            static_cast<void>(backoff_wait(with(static_cast<BackoffKind>(kind)), 3, seconds(1), used));
            static_cast<void>(reference.next());
            CHECK(used.next() == reference.next());
        }
    }

    TEST_CASE("the largest settings do not overflow") {
        const BackoffConfig large{
            .kind = BackoffKind::exponential, .base = limits::backoff_max, .max = limits::backoff_max};
        for (int kind = 0; kind < 6; ++kind) {
            BackoffConfig config = large;
            config.kind = static_cast<BackoffKind>(kind);
            for (const unsigned n : {0U, 1U, 63U, UINT32_MAX}) {
                Rng rng(n);
                const Duration wait = backoff_wait(config, n, limits::backoff_max, rng);
                CHECK(wait >= Duration::zero());
                CHECK(wait <= 2 * limits::backoff_max);
            }
        }
    }

    TEST_CASE("Retry-After is honoured up to 20 s, never shortens the wait, and is jittered by one base") {
        struct Row {
            Duration wait, hint;
            int64_t low_ms;
        };
        for (const Row row : {Row{seconds(1), seconds(60), 20'000}, Row{seconds(1), seconds(20), 20'000},
                              Row{seconds(1), seconds(7), 7'000}, Row{seconds(8), seconds(7), 8'000},
                              Row{seconds(30), seconds(60), 30'000}, Row{seconds(1), seconds(0), 1'000},
                              Row{seconds(1), limits::deadline_max, 20'000}}) {
            CAPTURE(row.low_ms);
            Duration lowest = Duration::max(), highest = Duration::zero();
            for (uint64_t seed = 0; seed < 400; ++seed) {
                Rng rng(seed);
                const Duration wait = apply_hint({}, row.wait, {ServerHint::Unit::retry_after, row.hint}, rng);
                lowest = std::min(lowest, wait);
                highest = std::max(highest, wait);
            }
            CHECK(lowest >= milliseconds(row.low_ms));
            CHECK(lowest <= milliseconds(row.low_ms + 50));
            CHECK(highest <= milliseconds(row.low_ms + 500));
            CHECK(highest >= milliseconds(row.low_ms + 450));
        }
    }

    TEST_CASE("x-amz-retry-after is kept between the wait and the wait plus 5 s") {
        struct Row {
            int64_t wait_ms, hint_ms, expected_ms;
        };
        for (const Row row : {Row{1'000, 0, 1'000}, Row{1'000, 999, 1'000}, Row{1'000, 3'000, 3'000},
                              Row{1'000, 6'000, 6'000}, Row{1'000, 60'000, 6'000}}) {
            Rng rng(1);
            const ServerHint hint{ServerHint::Unit::amz_retry_after, milliseconds(row.hint_ms)};
            CHECK(apply_hint({}, milliseconds(row.wait_ms), hint, rng) == milliseconds(row.expected_ms));
        }
    }

    TEST_CASE("waits grow less while the store serves others, but for the last one and where the user said how") {
        struct Row {
            const char* what;
            bool eases;
            unsigned n, retries;
            bool throttled;
            int64_t base_ms;
            unsigned as_n;
        };
        const Row rows[] = {
            {"the first wait after a throttle is half", true, 0, 6, true, 250, 0},
            {"so are the first doublings", true, 2, 6, true, 250, 2},
            {"then it grows no more", true, 3, 6, true, 250, 2},
            {"nor later", true, 4, 6, true, 250, 2},
            {"the last retry waits as long as ever", true, 5, 6, true, 500, 5},
            {"trouble of one connection begins shorter", true, 0, 6, false, 125, 0},
            {"and ends there too", true, 4, 6, false, 125, 2},
            {"but for the last", true, 5, 6, false, 500, 5},
            {"a single retry is the last", true, 0, 1, false, 500, 0},
            {"--backoff-base was given", false, 4, 6, false, 500, 4},
        };
        for (const Row& row : rows) {
            CAPTURE(row.what);
            BackoffConfig config;
            config.eases = row.eases;
            const BackoffStep step = backoff_step(config, row.n, {row.retries, row.throttled, Served::part});
            CHECK(step.config.base == milliseconds(row.base_ms));
            CHECK(step.n == row.as_n);
            CHECK(step.eased == (row.base_ms != 500 || row.as_n != row.n));
            const BackoffStep full = backoff_step(config, row.n, {row.retries, row.throttled, Served::few});
            CHECK(full.config.base == milliseconds(500));
            CHECK(full.n == row.n);
            CHECK(!full.eased);
            const BackoffStep short_one = backoff_step(config, row.n, {row.retries, row.throttled, Served::most});
            CHECK(short_one.config.base == Duration(milliseconds(500)) / (row.base_ms == 500 ? 1 : 8));
            CHECK(short_one.n == row.as_n);
        }
    }

    TEST_CASE("names are read and written") {
        for (const std::string_view name :
             {"exponential", "full-jitter", "equal-jitter", "decorrelated", "linear", "fixed"}) {
            const auto kind = backoff_from_name(name);
            REQUIRE(kind.has_value());
            CHECK(to_string(*kind) == name);
        }
        for (const std::string_view name : {"", "Exponential", "full_jitter", "none"}) {
            CHECK_FALSE(backoff_from_name(name).has_value());
        }
    }

}  // TEST_SUITE

}  // namespace s3tug::policy
