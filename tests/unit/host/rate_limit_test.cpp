#include "host/rate_limit.h"

#include <doctest/doctest.h>

namespace s3tug::host {

namespace {
constexpr Instant start = Instant(hours(5));
}

TEST_SUITE("host/rate_limit") {
    TEST_CASE("the mean over ten seconds is the rate, whatever the size of the pieces") {
        for (const uint64_t piece : {100U, 4'096U, 16'384U, 300'000U}) {
            CAPTURE(piece);
            RateBucket bucket(100'000, start);
            uint64_t taken = 0;
            for (Instant now = start; now < start + seconds(10); now += milliseconds(1)) {
                while (bucket.open(now)) {
                    bucket.take(piece, now);
                    taken += piece;
                }
            }
            CHECK(taken >= 1'000'000);
            CHECK(taken <= 1'012'500 + piece);
        }
    }

    TEST_CASE("an idle time is not saved up beyond an eighth of a second") {
        RateBucket bucket(8'000, start);
        const Instant later = start + hours(1);
        bucket.take(1'000, later);
        CHECK(bucket.open(later));
        bucket.take(1, later);
        CHECK_FALSE(bucket.open(later));
    }

    TEST_CASE("those that wait go on in the order in which they came, one by one") {
        RateLimits limits(1'000, start);
        limits.down.take(500, start);
        limits.waiting_down = {7, 3, 5};
        CHECK(limits.next() == start + milliseconds(500));
        CHECK_FALSE(limits.resume(start));
        const Instant open = start + milliseconds(500);
        CHECK(limits.resume(open) == 7);
        limits.down.take(1'000, open);
        CHECK_FALSE(limits.resume(open));
        CHECK(limits.resume(open + seconds(1)) == 3);
    }
}

}  // namespace s3tug::host
