#include <doctest/doctest.h>

#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

void stand(World& world) {
    world.files.files["/seed"].bytes = "some bytes";
    REQUIRE(world.run(put_of("/seed", "from")).ok());
    world.network.seen.clear();
    world.store.effects.clear();
}

}  // namespace

TEST_SUITE("engine/copy and delete") {
    TEST_CASE("a copy pins its source and is confirmed") {
        World world;
        stand(world);
        CHECK(world.run(copy_of("from", "to")).ok());
        CHECK(world.store.objects.at("b/to").bytes == "some bytes");
        REQUIRE(world.network.seen.size() == 2);
        CHECK(world.network.seen[1].request.headers.find("x-amz-copy-source-if-match").has_value());
    }

    TEST_CASE("a copy whose answer was lost is found by its time, size and ETag and not made twice") {
        World world;
        stand(world);
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::copy_object ? fate(Fate::Kind::reset_after) : Fate{};
        };
        CHECK(world.run(copy_of("from", "to")).ok());
        CHECK(world.store.effects.size() == 1);
    }

    TEST_CASE("an older object with the same bytes at the target is no proof that the copy was made") {
        World world;
        stand(world);
        REQUIRE(world.run(put_of("/seed", "to")).ok());
        world.store.effects.clear();
        world.clock.passed += hours(1);
        bool lost = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::copy_object || lost) return Fate{};
            lost = true;
            return fate(Fate::Kind::reset_before);
        };
        CHECK(world.run(copy_of("from", "to")).ok());
        CHECK(world.network.count(wire::Op::copy_object) == 2);
        CHECK(world.store.effects.size() == 1);
    }

    TEST_CASE("a 200 that carries an error is retried, one without its result element is no success") {
        World world;
        stand(world);
        int copies = 0;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::copy_object) return Fate{};
            ++copies;
            if (copies == 1) return status(200, "SlowDown");
            if (copies == 2) {
                Fate empty = status(200, "");
                empty.answer.body.clear();
                return empty;
            }
            return Fate{};
        };
        CHECK(world.run(copy_of("from", "to")).ok());
        CHECK(copies == 3);
        CHECK(world.store.objects.contains("b/to"));
    }

    TEST_CASE(
        "a store that fails our own pin of an object of parts copies it without, and a user's condition stays final") {
        World world;
        stand(world);
        world.store.objects.at("b/from").etag = "9b2cf535f27731c974343645a3985328-2";
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            const bool pinned = seen.request.headers.find("x-amz-copy-source-if-match").has_value();
            const bool copy = seen.op == wire::Op::copy_object;
            return copy && pinned ? status(412, "PreconditionFailed") : Fate{};
        };
        CHECK(world.run(copy_of("from", "to")).ok());
        CHECK(world.network.count(wire::Op::copy_object) == 2);
        engine::Transfer item = copy_of("from", "new");
        item.conditions.if_none_match_any = true;
        CHECK(world.run(item).error->kind == ErrorKind::precondition);
    }

    TEST_CASE("a source that is not there is named") {
        World world;
        stand(world);
        const engine::Outcome outcome = world.run(copy_of("nowhere", "to"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::not_found);
        CHECK(outcome.error->message.find("s3://b/nowhere") != std::string::npos);
    }

    TEST_CASE("deleting is done once when the answer was lost, and an absent key is a success") {
        World world;
        stand(world);
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n == 1 ? fate(Fate::Kind::reset_after) : Fate{};
        };
        CHECK(world.run(delete_of("from")).ok());
        CHECK(world.store.effects.size() == 1);
        CHECK(world.network.count(wire::Op::delete_object) == 1);
        CHECK(world.run(delete_of("from")).ok());
        world.network.weather = [](std::size_t, const SeenRequest&) { return status(404, "NoSuchKey"); };
        CHECK(world.run(delete_of("from")).ok());
        world.network.weather = [](std::size_t, const SeenRequest&) { return status(404, "NoSuchBucket"); };
        CHECK(world.run(delete_of("from")).error->kind == ErrorKind::not_found);
    }
}

}  // namespace s3tug::sim
