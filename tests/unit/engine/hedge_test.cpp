#include "engine/hedge.h"

#include <doctest/doctest.h>

#include "support/big_world.h"

namespace s3tug::sim {
namespace {

/// Parts that are done in 100 ms, but for those that `slow` names.
void weather_with_slow(World& world, std::function<bool(const SeenRequest&, std::size_t nth_of_its_kind)> slow,
                       wire::Op op) {
    world.network.weather = [slow = std::move(slow), op, n = std::size_t{0}](std::size_t,
                                                                             const SeenRequest& seen) mutable {
        Fate out;
        if (seen.op != op) return out;
        out.delay = slow(seen, ++n) ? Duration(seconds(20)) : Duration(milliseconds(100));
        return out;
    };
}

std::string range_of(const SeenRequest& seen) { return std::string(seen.request.headers.find("range").value_or("")); }

struct GetWorld : World {
    explicit GetWorld(std::size_t size = 3000) {
        files.files["/seed"].bytes = text_of(size);
        REQUIRE(run(put_of("/seed", "k")).ok());
        network.seen.clear();
        in_ranges_of(100);
    }
    [[nodiscard]] bool right() { return files.files["/t"].bytes == store.objects["b/k"].bytes; }
};

}  // namespace

TEST_SUITE("engine/hedge") {
    TEST_CASE("slow is what runs twice as long as the median, and a second at least, when three are done") {
        struct Row {
            std::vector<int> took_ms;
            int ran_ms;
            bool slow;
        };
        for (const Row& row :
             {Row{{100, 100}, 100'000, false}, Row{{100, 100, 100}, 999, false}, Row{{100, 100, 100}, 1000, true},
              Row{{5000, 5000, 5000}, 9999, false}, Row{{5000, 5000, 5000}, 10'000, true},
              Row{{1, 5000, 9000}, 9999, false}, Row{{1, 2000, 9000}, 4000, true}}) {
            CAPTURE(row.ran_ms);
            engine::Hedge hedge;
            for (const int ms : row.took_ms) hedge.done(milliseconds(ms));
            CHECK(hedge.is_slow(milliseconds(row.ran_ms)) == row.slow);
        }
    }

    TEST_CASE("each part is asked for a second time once, and one part at a time") {
        engine::Hedge hedge;
        CHECK(hedge.may_begin(3));
        hedge.begin(3);
        CHECK_FALSE(hedge.may_begin(4));
        hedge.end();
        CHECK(hedge.may_begin(4));
        CHECK_FALSE(hedge.may_begin(3));
    }

    TEST_CASE("a range that hangs at the end of a download is asked for again, and the first whole one wins") {
        GetWorld world;
        std::string slow_range;
        std::size_t asked = 0;
        weather_with_slow(
            world,
            [&](const SeenRequest& seen, std::size_t n) {
                if (n == 8) slow_range = range_of(seen);
                if (!slow_range.empty() && range_of(seen) == slow_range) ++asked;
                return n == 8;
            },
            wire::Op::get_object);
        const engine::Outcome outcome = world.run(get_of("k", "/t"));
        REQUIRE(outcome.ok());
        CHECK(world.right());
        CHECK(asked == 2);
        CHECK(world.clock.passed < seconds(5));
        CHECK(world.network.in_flight() == 0);
    }

    TEST_CASE("a hanging request for several parts is helped out of the first, and others bring the rest") {
        GetWorld world(8000);
        world.config.download.parts_per_request = 4;
        weather_with_slow(
            world, [&](const SeenRequest&, std::size_t n) { return n == 5; }, wire::Op::get_object);
        REQUIRE(world.run(get_of("k", "/t")).ok());
        CHECK(world.right());
        CHECK(world.clock.passed < seconds(5));
        CHECK(world.network.in_flight() == 0);
    }

    TEST_CASE("when the slow one comes first after all, the second is dropped") {
        GetWorld world;
        weather_with_slow(
            world, [&](const SeenRequest&, std::size_t n) { return n == 8 || n > 30; }, wire::Op::get_object);
        REQUIRE(world.run(get_of("k", "/t")).ok());
        CHECK(world.right());
        CHECK(world.clock.passed >= seconds(20));
        CHECK(world.clock.passed < seconds(21));
        CHECK(world.network.in_flight() == 0);
    }

    TEST_CASE(
        "what two requests wrote to is hashed before it counts: a byte damaged by the slower one is fetched again") {
        GetWorld world;
        std::string slow_range;
        weather_with_slow(
            world,
            [&](const SeenRequest& seen, std::size_t n) {
                if (n == 8) slow_range = range_of(seen);
                return n == 8;
            },
            wire::Op::get_object);
        std::size_t writes_there = 0;
        world.files.on_write = [&](std::string& part, uint64_t offset) {
            if (slow_range.empty()) return;
            const uint64_t first = std::stoull(slow_range.substr(slow_range.find('=') + 1));
            if (offset == first + 98 && ++writes_there == 1) part[static_cast<std::size_t>(first)] ^= 1;
        };
        REQUIRE(world.run(get_of("k", "/t")).ok());
        CHECK(writes_there == 2);
        CHECK(world.right());
    }

    TEST_CASE("no second request while items are still to come") {
        GetWorld world;
        weather_with_slow(
            world, [](const SeenRequest&, std::size_t n) { return n == 8; }, wire::Op::get_object);
        world.config.pace.concurrency_start = world.config.pace.concurrency_max = 4;
        std::vector<engine::Transfer> items(1, get_of("k", "/t"));
        for (int i = 0; i < 2000; ++i) items.push_back(delete_of("d" + std::to_string(i)));
        std::size_t deletes_before_second = 0;
        std::string slow_range;
        auto inner = world.network.weather;
        world.network.weather = [&, inner](std::size_t n, const SeenRequest& seen) mutable {
            Fate out = inner(n, seen);
            if (out.delay >= seconds(20)) {
                slow_range = range_of(seen);
            } else if (!slow_range.empty() && range_of(seen) == slow_range) {
                deletes_before_second = world.network.count(wire::Op::delete_object);
            }
            return out;
        };
        for (const engine::Outcome& outcome : world.run(items)) CHECK(outcome.ok());
        CHECK(deletes_before_second >= 1990);
    }

    TEST_CASE("a part of an upload that hangs is sent again, the slower request is ended, and the object is right") {
        BigWorld world(2050);
        weather_with_slow(
            world, [](const SeenRequest&, std::size_t n) { return n == 5; }, wire::Op::upload_part);
        std::optional<std::size_t> beside_complete;
        auto inner = world.network.weather;
        world.network.weather = [&, inner](std::size_t n, const SeenRequest& seen) mutable {
            if (seen.op == wire::Op::complete_multipart_upload) beside_complete = world.network.in_flight();
            return inner(n, seen);
        };
        REQUIRE(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.network.count(wire::Op::upload_part) == 22);
        CHECK(beside_complete == 0U);
        CHECK(world.clock.passed < seconds(5));
        CHECK(world.store.uploads.open.empty());
    }

    TEST_CASE("a second request that fails harms nothing") {
        BigWorld world(2050);
        world.config.retry.retries = 0;
        weather_with_slow(
            world, [](const SeenRequest&, std::size_t n) { return n == 5; }, wire::Op::upload_part);
        auto inner = world.network.weather;
        world.network.weather = [&, inner](std::size_t n, const SeenRequest& seen) mutable {
            const Fate out = inner(n, seen);
            return seen.op == wire::Op::upload_part && world.network.count(wire::Op::upload_part) == 22
                       ? fate(Fate::Kind::refuse)
                       : out;
        };
        REQUIRE(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.clock.passed >= seconds(20));
    }

    TEST_CASE("a download that is stopped while a second request runs ends as any other") {
        GetWorld world;
        weather_with_slow(
            world, [](const SeenRequest&, std::size_t n) { return n == 8 || n > 30; }, wire::Op::get_object);
        world.network.on_poll = [&] {
            if (world.network.seen.size() > 30 && world.clock.passed > seconds(8)) world.stop = 15;
        };
        const engine::Outcome outcome = world.run(get_of("k", "/t"));
        REQUIRE_FALSE(outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::interrupted);
        CHECK(world.network.in_flight() == 0);
        CHECK_FALSE(world.files.files.contains("/t"));
    }
}

}  // namespace s3tug::sim
