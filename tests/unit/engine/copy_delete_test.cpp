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

    TEST_CASE("a copy whose ETag proves nothing is looked at, and one that is shorter than its source is no success") {
        for (const bool shorter : {false, true}) {
            CAPTURE(shorter);
            World world;
            stand(world);
            world.store.objects.at("b/from").etag = "9b2cf535f27731c974343645a3985328-2";
            world.network.weather = [&](std::size_t n, const SeenRequest&) {
                if (n == 3 && shorter) world.store.objects.at("b/to").bytes = "some";
                return Fate{};
            };
            const engine::Outcome outcome = world.run(copy_of("from", "to"));
            REQUIRE(world.network.seen.size() == 3);
            CHECK(world.network.seen[2].op == wire::Op::head_object);
            CHECK(outcome.ok() == !shorter);
            if (shorter) CHECK(outcome.error->kind == ErrorKind::integrity);
        }
    }

    TEST_CASE("--expect-size of a copy is held against the source before anything is copied") {
        World world;
        stand(world);
        engine::Transfer item = copy_of("from", "to");
        item.expect_size = 11;
        CHECK(world.run(item).error->kind == ErrorKind::integrity);
        CHECK(world.network.count(wire::Op::copy_object) == 0);
        item.expect_size = 10;
        CHECK(world.run(item).ok());
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

    TEST_CASE("a store that may ignore the condition of a copy or delete is looked at before it is sent") {
        struct Row {
            const char* what;
            bool delete_it, none_match;
            const char* if_match;  ///< "right": the ETag that stands there
            bool taken, ends_well;
        };
        for (const Row& row : std::vector<Row>{{"copy, taken", false, true, "", true, false},
                                               {"copy, free", false, true, "", false, true},
                                               {"copy, other", false, false, "other", true, false},
                                               {"copy, right", false, false, "right", true, true},
                                               {"copy, any", false, false, "*", true, true},
                                               {"copy, nothing there", false, false, "*", false, false},
                                               {"delete, other", true, false, "other", true, false},
                                               {"delete, right", true, false, "right", true, true}}) {
            CAPTURE(row.what);
            World world;
            stand(world);
            world.files.files["/theirs"].bytes = "theirs";
            if (row.taken) REQUIRE(world.run(put_of("/theirs", "to")).ok());
            world.store.honours_conditions = false;
            world.store.effects.clear();
            engine::Transfer item = row.delete_it ? delete_of("to") : copy_of("from", "to");
            item.conditions.if_none_match_any = row.none_match;
            item.conditions.if_match = row.if_match;
            if (item.conditions.if_match == "right") item.conditions.if_match = world.store.objects.at("b/to").etag;
            const engine::Outcome outcome = world.run(item);
            CHECK(outcome.ok() == row.ends_well);
            CHECK(world.store.effects.size() == (row.ends_well ? 1 : 0));
            if (!outcome.ok()) CHECK(outcome.error->kind == ErrorKind::precondition);
        }
    }

    TEST_CASE("a condition is not looked at where the store is known to keep it, or must not be looked at") {
        World world;
        stand(world);
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::head_object ? status(403, "AccessDenied") : Fate{};
        };
        engine::Transfer item = delete_of("from");
        item.conditions.if_match = world.store.objects.at("b/from").etag;
        CHECK(world.run(item).ok());
        REQUIRE(world.run(put_of("/seed", "from")).ok());
        world.config.endpoint.host = "s3.eu-central-1.amazonaws.com";
        const std::size_t looks = world.network.count(wire::Op::head_object);
        CHECK(world.run(item).ok());
        CHECK(world.network.count(wire::Op::head_object) == looks);
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

    TEST_CASE("a delete marker that is to be removed answers 405 to a look, which is no proof that it is gone") {
        struct Row {
            const char* what;
            std::string if_match;
        };
        Fate marker = status(405, "MethodNotAllowed");
        marker.answer.headers.add("x-amz-delete-marker", "true");
        for (const Row& row : {Row{"alone", ""}, Row{"on a condition", "e1"}}) {
            CAPTURE(row.what);
            World world;
            engine::Transfer item = delete_of("k");
            item.version_id = "m1";
            item.conditions.if_match = row.if_match;
            item.idempotency_key = "job";
            item.idempotency_keep = seconds(3600);
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op == wire::Op::head_object) return marker;
                return with_body("", 204);
            };
            // Killed before its request had left: the next run must send one.
            REQUIRE_FALSE(world.run_killed_at(1, item).has_value());
            world.processes.dead.push_back(world.processes.me.pid++);
            world.network.seen.clear();
            const engine::Outcome outcome = world.run(item);
            CHECK(outcome.ok());
            CHECK(world.network.count(wire::Op::delete_object) == 1);
            CHECK((world.network.count(wire::Op::head_object) == 0) == row.if_match.empty());
        }
    }

    TEST_CASE("a copy ends with the failure of any look that it needs, and copies nothing before that") {
        struct Row {
            const char* what;
            bool no_clobber;
            std::size_t copies;
        };
        for (const Row& row :
             {Row{"whether something stands there", true, 0}, Row{"whether the copy is right", false, 1}}) {
            CAPTURE(row.what);
            World world;
            stand(world);
            world.store.objects.at("b/from").etag = "9b2cf535f27731c974343645a3985328-2";
            world.network.weather = [](std::size_t, const SeenRequest& seen) {
                const bool about_target = seen.request.url.ends_with("/to");
                return about_target && seen.op == wire::Op::head_object ? status(403, "AccessDenied") : Fate{};
            };
            engine::Transfer item = copy_of("from", "to");
            item.no_clobber = row.no_clobber;
            const engine::Outcome outcome = world.run(item);
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::access_denied);
            CHECK(world.network.count(wire::Op::copy_object) == row.copies);
        }
    }

    TEST_CASE("a copy in parts sends on the checksum of the whole that its source has, and not one of its parts") {
        for (const bool composite : {false, true}) {
            CAPTURE(composite);
            World world;
            stand(world);
            world.config.multipart.copy_threshold = world.config.multipart.part_size = 4;
            SimObject& source = world.store.objects.at("b/from");
            if (composite) {
                source.composite.add("x-amz-checksum-crc32", "Qkw5Hg==-3");
                source.composite.add("x-amz-checksum-type", "COMPOSITE");
                source.crc64.clear();
            }
            CHECK(world.run(copy_of("from", "to")).ok());
            CHECK(world.store.objects.at("b/to").bytes == "some bytes");
            for (const SeenRequest& seen : world.network.seen) {
                if (seen.op != wire::Op::create_multipart_upload) continue;
                CHECK(seen.request.headers.find("x-amz-checksum-algorithm").has_value() == !composite);
            }
        }
    }
}

}  // namespace s3tug::sim
