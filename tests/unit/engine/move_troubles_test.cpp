#include <doctest/doctest.h>

#include "support/big_world.h"

/// Moves that are stopped, hedged or begun again, and stores that do not keep the condition of a delete.
namespace s3tug::sim {
namespace {

/// An object of 737 bytes that comes in ranges of 100.
struct MoveWorld : World {
    MoveWorld() {
        in_ranges_of(part_bytes);
        files.files["/seed"].bytes = text_of(737);
        REQUIRE(run(put_of("/seed", "k")).ok());
        network.seen.clear();
        store.effects.clear();
    }
};

}  // namespace

TEST_SUITE("engine/move troubles") {
    TEST_CASE("what is no regular file is not moved, and nothing is sent") {
        World world;
        world.files.folders.insert("/folder");
        CHECK(world.run(move_of(put_of("/folder", "k"))).error->kind == ErrorKind::usage);
        CHECK(world.run(move_of(put_of("/nothing", "k"))).error->kind == ErrorKind::not_found);
        CHECK(world.network.seen.empty());
    }

    TEST_CASE("where a store ignores the condition of a delete, what stands there is looked at before it goes") {
        for (const bool changed : {false, true}) {
            CAPTURE(changed);
            MoveWorld world;
            world.config.endpoint.host = "storage.googleapis.com";
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (changed && seen.op == wire::Op::head_object) world.store.objects.at("b/k").etag = "theirs";
                return Fate{};
            };
            const engine::Outcome outcome = world.run(move_of(get_of("k", "/out")));
            CHECK(outcome.ok() == !changed);
            CHECK(world.store.objects.contains("b/k") == changed);
            CHECK(world.files.files.at("/out").bytes == text_of(737));
            CHECK(world.network.count(wire::Op::head_object) == 1);
            CHECK(world.network.count(wire::Op::delete_object) == (changed ? 0 : 1));
            if (changed) CHECK(says(outcome, "but the source remains"));
            for (const SeenRequest& seen : world.network.seen) {
                if (seen.op == wire::Op::delete_object) CHECK(!seen.request.headers.find("if-match"));
            }
        }
    }

    TEST_CASE("an object that changes while it is moved is fetched anew, and it is that one which goes") {
        MoveWorld world;
        world.network.weather = [&](std::size_t n, const SeenRequest&) {
            if (n == 4) {
                world.store.objects.at("b/k").bytes = text_of(700);
                world.store.objects.at("b/k").etag = "another";
                world.store.echoes_checksums = false;
            }
            return Fate{};
        };
        CHECK(world.run(move_of(get_of("k", "/out"))).ok());
        CHECK(world.files.files.at("/out").bytes == text_of(700));
        CHECK(world.store.objects.empty());
    }

    TEST_CASE("a slow range of a move is asked for a second time like any other") {
        MoveWorld world;
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            static bool slow;
            if (seen.request.headers.find("range") == "bytes=700-736" && !std::exchange(slow, true))
                return fate(Fate::Kind::hang);
            return Fate{};
        };
        const Instant before = world.clock.now();
        CHECK(world.run(move_of(get_of("k", "/out"))).ok());
        CHECK(world.clock.now() - before < seconds(10));  // not the 30 s after which it would be cut
        CHECK(world.files.files.at("/out").bytes == text_of(737));
        CHECK(world.store.objects.empty());
    }

    TEST_CASE("a move that is stopped while its file is compared with what was sent before leaves both") {
        BigWorld world;
        world.config.multipart.parts_in_flight = 2;
        CHECK(!world.run_killed_at(12, move_of(put_of("/f", "k"))));
        world.next_process();
        REQUIRE(world.store.uploads.open.size() == 1);
        world.network.seen.clear();
        world.network.on_poll = [&] {
            if (world.network.count(wire::Op::list_parts) == 1 && world.network.in_flight() == 0) world.stop = 15;
        };
        const engine::Outcome outcome = world.run(move_of(put_of("/f", "k")));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::interrupted);
        CHECK(world.files.files.contains("/f"));
        CHECK(world.store.uploads.open.size() == 1);
        world.stop = 0;
        world.network.on_poll = nullptr;
        world.next_process();
        CHECK(world.run(move_of(put_of("/f", "k"))).ok());
        CHECK(!world.files.files.contains("/f"));
        CHECK(world.store.objects.at("b/k").bytes == text_of(1050));
    }
}

TEST_SUITE("engine/get troubles") {
    TEST_CASE("a get that waits for its turn when the run is stopped keeps what it has, and says so") {
        MoveWorld world;
        world.config.pace.concurrency_max = 3;
        world.config.pace.concurrency_start = 3;
        // The put is throttled, which leaves one slot for both, and takes it when its retry is due.
        std::size_t puts = 0;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            const bool is_put = seen.op == wire::Op::put_object;
            Fate out = is_put ? status(503, "SlowDown") : Fate{};
            if (is_put && ++puts == 2) return fate(Fate::Kind::hang);
            out.delay = milliseconds(is_put ? 300 : 200);
            return out;
        };
        world.network.on_poll = [&] {
            if (puts == 2 && world.network.in_flight() == 1) world.stop = 15;
        };
        const std::vector<engine::Outcome> outcomes =
            world.run(std::vector{get_of("k", "/out"), put_of("/seed", "k2")});
        REQUIRE(!outcomes.at(0).ok());
        CHECK(outcomes.at(0).error->kind == ErrorKind::interrupted);
        CHECK(says(outcomes.at(0), "are kept, a rerun fetches the rest"));
        CHECK(!world.files.files.contains("/out"));
        REQUIRE(!world.files.parts.empty());
        world.stop = 0;
        world.network.on_poll = nullptr;
        world.network.weather = nullptr;
        world.network.seen.clear();
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.network.seen.size() < 8);
        CHECK(world.files.files.at("/out").bytes == text_of(737));
    }

    TEST_CASE("a store without checksums is compared by the MD5 that its ETag is; with --checksum none by nothing") {
        World world;
        world.store.echoes_checksums = false;
        world.files.files["/seed"].bytes = text_of(90);
        REQUIRE(world.run(put_of("/seed", "k")).ok());
        const engine::Outcome fine = world.run(get_of("k", "/out"));
        CHECK(fine.ok());
        CHECK(fine.checksum == "md5:" + world.store.objects.at("b/k").etag);
        // MD5 of other bytes: RFC 1321, of the empty string.
        world.store.objects.at("b/k").etag = "d41d8cd98f00b204e9800998ecf8427e";
        const engine::Outcome damaged = world.run(get_of("k", "/out2"));
        REQUIRE(!damaged.ok());
        CHECK(damaged.error->kind == ErrorKind::integrity);
        CHECK(says(damaged, "MD5"));
        CHECK(!world.files.files.contains("/out2"));
        engine::Transfer unchecked = get_of("k", "/out3");
        unchecked.checksum.reset();
        const engine::Outcome taken = world.run(unchecked);
        CHECK(taken.ok());
        CHECK(taken.checksum.empty());
    }

    TEST_CASE("--expect-size is held against large objects before their ranges come, and against streams") {
        for (const char* target : {"/out", "-"}) {
            CAPTURE(target);
            MoveWorld world;
            engine::Transfer item = get_of("k", target);
            item.expect_size = 736;
            CHECK(world.run(item).error->kind == ErrorKind::integrity);
            CHECK(world.network.seen.size() == 1);
            CHECK(world.files.stdout_bytes.empty());
            item.expect_size = 737;
            CHECK(world.run(item).ok());
        }
    }

    TEST_CASE("an idempotency key is not for a get, which changes nothing") {
        MoveWorld world;
        engine::Transfer item = get_of("k", "/out");
        item.idempotency_key = "job";
        CHECK(world.run(item).error->kind == ErrorKind::usage);
        CHECK(world.network.seen.empty());
    }

    TEST_CASE("an answer that ends before its range is asked for again from where it stopped") {
        MoveWorld world;
        bool once = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.request.headers.find("range") != "bytes=700-736" || std::exchange(once, true)) return Fate{};
            Fate shorter = fate(Fate::Kind::answer);
            shorter.answer.status = 206;
            shorter.answer.headers.add("etag", "\"" + world.store.objects.at("b/k").etag + "\"");
            shorter.answer.headers.add("content-range", "bytes 700-736/737");
            shorter.answer.body = text_of(737).substr(700, 10);
            return shorter;
        };
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.files.files.at("/out").bytes == text_of(737));
        CHECK(world.network.seen.back().request.headers.find("range") == "bytes=710-736");
    }

    TEST_CASE("more bytes than a range asked for are not taken") {
        MoveWorld world;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.request.headers.find("range") != "bytes=700-736") return Fate{};
            Fate longer = fate(Fate::Kind::answer);
            longer.answer.status = 206;
            longer.answer.headers.add("etag", "\"" + world.store.objects.at("b/k").etag + "\"");
            longer.answer.headers.add("content-range", "bytes 700-736/737");
            longer.answer.body = text_of(737).substr(700) + "and more than that";
            return longer;
        };
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.files.files.at("/out").bytes == text_of(737));
    }

    TEST_CASE("another range than the rest that was asked for is refused where nothing can be taken back") {
        World world;
        world.files.files["/seed"].bytes = text_of(90);
        REQUIRE(world.run(put_of("/seed", "k")).ok());
        world.network.seen.clear();
        world.network.weather = [&](std::size_t n, const SeenRequest&) {
            if (n == 1) {
                Fate cut = fate(Fate::Kind::cut);
                cut.cut_at = 40;
                return cut;
            }
            Fate other = fate(Fate::Kind::answer);
            other.answer.status = 206;
            other.answer.headers.add("etag", "\"" + world.store.objects.at("b/k").etag + "\"");
            other.answer.headers.add("content-range", "bytes 30-89/90");
            other.answer.body = text_of(90).substr(30);
            return other;
        };
        CHECK(!world.run(get_of("k", "-")).ok());
        CHECK(world.files.stdout_bytes == text_of(90).substr(0, 40));
    }
}

}  // namespace s3tug::sim
