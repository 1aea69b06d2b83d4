#include "engine/part_plan.h"

#include <doctest/doctest.h>

#include "base/limits.h"

namespace s3tug::engine {

namespace {

constexpr uint64_t mib = 1ULL << 20;
constexpr uint64_t gib = 1ULL << 30;
constexpr uint64_t tib = 1ULL << 40;

policy::StoreParts s3() { return policy::store_parts("s3.eu-west-1.amazonaws.com"); }
policy::StoreParts scaleway() { return policy::store_parts("s3.fr-par.scw.cloud"); }
policy::StoreParts r2() { return policy::store_parts("0123.r2.cloudflarestorage.com"); }

}  // namespace

TEST_SUITE("engine/part_plan") {
    TEST_CASE("parts have the wanted size, grown by whole MiB until their number suffices") {
        struct Row {
            uint64_t size, wanted, part_bytes;
            unsigned parts;
            uint64_t last_bytes;
        };
        for (const Row& row : {
                 Row{0, 16 * mib, 16 * mib, 1, 0},
                 Row{1, 16 * mib, 16 * mib, 1, 1},
                 Row{16 * mib, 16 * mib, 16 * mib, 1, 16 * mib},
                 Row{16 * mib + 1, 16 * mib, 16 * mib, 2, 1},
                 Row{160'000 * mib, 16 * mib, 16 * mib, 10'000, 16 * mib},
                 Row{160'000 * mib + 1, 16 * mib, 17 * mib, 9'412, 13'631'489},
                 Row{1 * tib, 16 * mib, 105 * mib, 9'987, 48'234'496},
                 Row{5 * tib, 16 * mib, 525 * mib, 9'987, 241'172'480},
                 Row{10'000 * 5 * gib, 16 * mib, 5 * gib, 10'000, 5 * gib},
                 Row{10'000 * 5 * gib - 1, 5 * mib, 5 * gib, 10'000, 5 * gib - 1},
                 Row{10 * gib, 5 * mib, 5 * mib, 2'048, 5 * mib},
                 Row{10 * gib, 5 * gib, 5 * gib, 2, 5 * gib},
                 Row{100 * gib, 64 * mib + 1, 64 * mib + 1, 1'600, 67'107'265},
             }) {
            CAPTURE(row.size);
            CAPTURE(row.wanted);
            const Result<PartPlan> plan = plan_parts(row.size, row.wanted, s3());
            REQUIRE(plan.ok());
            CHECK(plan->part_bytes == row.part_bytes);
            CHECK(plan->parts == row.parts);
            CHECK(plan->bytes(plan->parts) == row.last_bytes);
            CHECK(plan->offset(1) == 0);
            CHECK(plan->offset(plan->parts) + plan->bytes(plan->parts) == row.size);
            if (plan->parts > 1) CHECK(plan->bytes(1) == row.part_bytes);
        }
    }

    TEST_CASE("parts cover every byte once") {
        const Result<PartPlan> plan = plan_parts(1'000'000'007, 5 * mib, s3());
        REQUIRE(plan.ok());
        uint64_t at = 0;
        for (unsigned n = 1; n <= plan->parts; ++n) {
            CHECK(plan->offset(n) == at);
            at += plan->bytes(n);
        }
        CHECK(at == 1'000'000'007);
    }

    TEST_CASE("a store with 1000 parts gets larger ones") {
        const Result<PartPlan> plan = plan_parts(20 * gib, 16 * mib, scaleway());
        REQUIRE(plan.ok());
        CHECK(plan->part_bytes == 21 * mib);
        CHECK(plan->parts == 976);
        CHECK(plan_parts(5000 * gib, 16 * mib, scaleway())->part_bytes == 5 * gib);
        CHECK(!plan_parts(5001 * gib, 16 * mib, scaleway()).ok());
    }

    TEST_CASE("what cannot work is refused before the first byte, with the cure") {
        struct Row {
            uint64_t size, wanted;
            ErrorKind kind;
            std::string_view words;
        };
        for (const Row& row : {
                 Row{1, 5 * mib - 1, ErrorKind::usage, "--part-size"},
                 Row{1, 5 * gib + 1, ErrorKind::usage, "5.0 MiB to 5.0 GiB"},
                 Row{1, 0, ErrorKind::usage, "part size 0"},
                 Row{10'000 * 5 * gib + 1, 16 * mib, ErrorKind::unsupported, "10000 parts of at most 5.0 GiB"},
                 Row{UINT64_MAX, 16 * mib, ErrorKind::unsupported, "too large"},
             }) {
            CAPTURE(row.size);
            const Result<PartPlan> plan = plan_parts(row.size, row.wanted, s3());
            REQUIRE(!plan.ok());
            CHECK(plan.error().kind == row.kind);
            CAPTURE(plan.error().message);
            CHECK(plan.error().message.find(row.words) != std::string::npos);
        }
    }
}

TEST_SUITE("engine/part_plan streams") {
    TEST_CASE("the default schedule: 256 parts of 16 MiB, then the size doubles every 64 parts up to 5 GiB") {
        const Result<StreamSchedule> schedule = StreamSchedule::make(limits::part_default_bytes, s3());
        REQUIRE(schedule.ok());
        struct Row {
            unsigned number;
            uint64_t bytes;
        };
        for (const Row& row : {Row{1, 16 * mib}, Row{256, 16 * mib}, Row{257, 32 * mib}, Row{320, 32 * mib},
                               Row{321, 64 * mib}, Row{768, 4 * gib}, Row{769, 5 * gib}, Row{10'000, 5 * gib},
                               Row{10'001, 0}, Row{0, 0}, Row{UINT32_MAX, 0}}) {
            CAPTURE(row.number);
            CHECK(schedule->part_bytes(row.number) == row.bytes);
        }
    }

    TEST_CASE("10,000 parts of the schedule hold 50 TB, S3's largest object") {
        const Result<StreamSchedule> schedule = StreamSchedule::make(limits::part_default_bytes, s3());
        REQUIRE(schedule.ok());
        uint64_t sum = 0;
        for (unsigned n = 1; n <= limits::parts_max; ++n) sum += schedule->part_bytes(n);
        CHECK(sum == 50'115'825'893'376);  // computed by another program
        CHECK(sum >= 50'000'000'000'000);
        CHECK(schedule->capacity() == sum);
    }

    TEST_CASE("a part that has grown has at most a 64th of what was sent before it, and parts never shrink") {
        for (const uint64_t first : {5 * mib, 16 * mib, 64 * mib}) {
            const Result<StreamSchedule> schedule = StreamSchedule::make(first, s3());
            uint64_t before = 0;
            uint64_t last = first;
            for (unsigned n = 1; n <= limits::parts_max; ++n) {
                const uint64_t bytes = schedule->part_bytes(n);
                REQUIRE(bytes >= last);
                REQUIRE(bytes <= limits::part_max_bytes);
                if (bytes > first) REQUIRE(bytes <= before / 64);
                before += bytes;
                last = bytes;
            }
        }
    }

    TEST_CASE("other stores and sizes have schedules of their own") {
        CHECK(StreamSchedule::make(5 * mib, s3())->capacity() == 49'564'593'684'480);
        CHECK(StreamSchedule::make(5 * gib, s3())->capacity() == limits::object_max_bytes);
        CHECK(StreamSchedule::make(16 * mib, scaleway())->capacity() == 5'028'551'065'600);
        CHECK(StreamSchedule::make(16 * mib, scaleway())->part_bytes(1001) == 0);
        // Equal sizes, as R2 wants them.
        const Result<StreamSchedule> equal = StreamSchedule::make(16 * mib, r2());
        REQUIRE(equal.ok());
        CHECK(equal->part_bytes(1) == 16 * mib);
        CHECK(equal->part_bytes(10'000) == 16 * mib);
        CHECK(equal->capacity() == 160'000 * mib);
        CHECK(!StreamSchedule::make(4 * mib, s3()).ok());
        CHECK(StreamSchedule::make(4 * mib, s3()).error().kind == ErrorKind::usage);
    }
}

}  // namespace s3tug::engine
