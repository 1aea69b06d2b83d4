#include "engine/part_plan.h"

#include <doctest/doctest.h>

#include "base/limits.h"

namespace s3tug::engine {
namespace {

constexpr uint64_t mib = 1ULL << 20;
constexpr uint64_t gib = 1ULL << 30;
constexpr uint64_t tib = 1ULL << 40;

MultipartConfig wanting(uint64_t part_size) {
    MultipartConfig config;
    config.part_size = part_size;
    return config;
}

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
                 Row{10'000 * (16 * mib + 1), 16 * mib + 1, 16 * mib + 1, 10'000, 16 * mib + 1},
                 Row{160'000 * mib + 1, 16 * mib, 17 * mib, 9'412, 13'631'489},
                 Row{1 * tib, 16 * mib, 105 * mib, 9'987, 48'234'496},
                 Row{5 * tib, 16 * mib, 525 * mib, 9'987, 241'172'480},
                 Row{10'000 * 5 * gib, 16 * mib, 5 * gib, 10'000, 5 * gib},
                 Row{10'000 * 5 * gib - 1, 5 * mib, 5 * gib, 10'000, 5 * gib - 1},
                 Row{10 * gib, 5 * gib, 5 * gib, 2, 5 * gib},
                 Row{100 * gib, 64 * mib + 1, 64 * mib + 1, 1'600, 67'107'265},
             }) {
            CAPTURE(row.size);
            CAPTURE(row.wanted);
            const Result<PartPlan> plan = plan_parts(row.size, wanting(row.wanted));
            REQUIRE(plan.ok());
            CHECK(plan->part_size == row.part_bytes);
            CHECK(plan->count() == row.parts);
            CHECK(plan->size(plan->count()) == row.last_bytes);
            CHECK(plan->offset(plan->count()) + plan->size(plan->count()) == row.size);
        }
    }

    TEST_CASE("parts are twice as large where four of these are full, and the number still decides in the end") {
        struct Row {
            uint64_t size;
            unsigned growth;
            uint64_t part_bytes;
        };
        for (const Row& row : {Row{128 * mib - 1, 2, 16 * mib}, Row{128 * mib, 2, 32 * mib}, Row{1 * tib, 2, 105 * mib},
                               Row{200'000 * mib, 2, 32 * mib}, Row{128 * mib, 1, 16 * mib}, Row{0, 2, 16 * mib}}) {
            CAPTURE(row.size);
            MultipartConfig config = wanting(16 * mib);
            config.part_growth = row.growth;
            CHECK(plan_parts(row.size, config).value().part_size == row.part_bytes);
        }
    }

    TEST_CASE("a store with fewer parts gets larger ones, and what cannot fit is refused before the first byte") {
        const MultipartConfig scaleway = for_store(wanting(16 * mib), "s3.fr-par.scw.cloud");
        CHECK(scaleway.parts_max == 1'000);
        CHECK(plan_parts(100 * gib, scaleway).value().part_size == 103 * mib);
        CHECK(plan_parts(5'000 * gib + 1, scaleway).error().kind == ErrorKind::unsupported);
        CHECK(for_store(wanting(16 * mib), "s3.eu-west-1.amazonaws.com").parts_max == 10'000);
    }

    TEST_CASE("parts of a stream never shrink, and ten thousand of them hold 39 TiB") {
        const MultipartConfig config = wanting(16 * mib);
        uint64_t room = 0;
        uint64_t previous = 0;
        for (unsigned n = 1; n <= config.parts_max; ++n) {
            const uint64_t size = stream_part_size(n, config);
            CHECK(size >= previous);
            previous = size;
            room += size;
        }
        CHECK(room >= 39 * tib);
    }
}

}  // namespace s3tug::engine
