#include <doctest/doctest.h>

#include <algorithm>

#include "engine/failure_text.h"
#include "support/big_world.h"

/// Repairs and credentials that are met seldom, and what a display is told meanwhile.
namespace s3tug::sim {
namespace {

struct PutWorld : World {
    explicit PutWorld(std::size_t size = 5) { files.files["/f"].bytes = text_of(size); }
};

}  // namespace

TEST_SUITE("engine/rare repairs") {
    TEST_CASE("a kept connection that had died costs no retry: the request goes out again at once on a fresh one") {
        PutWorld world;
        world.config.retry.retries = 0;
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n == 1 ? fate(Fate::Kind::dead_reuse) : Fate{};
        };
        const Instant before = world.clock.now();
        CHECK(world.run(put_of("/f", "k")).ok());
        REQUIRE(world.network.seen.size() == 2);
        CHECK(!world.network.seen[0].fresh_connection);
        CHECK(world.network.seen[1].fresh_connection);
        CHECK(world.clock.now() - before < milliseconds(100));
    }

    TEST_CASE("a store that refuses to be asked for 100 Continue is sent the body, and not asked again in this run") {
        PutWorld world(2U << 20);
        world.config.retry.retries = 0;
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.request.expect_continue ? status(417, "") : Fate{};
        };
        const std::vector<engine::Outcome> outcomes = world.run(std::vector{put_of("/f", "k"), put_of("/f", "k2")});
        for (const engine::Outcome& outcome : outcomes) CHECK(outcome.ok());
        std::size_t asked = 0;
        for (const SeenRequest& seen : world.network.seen) asked += seen.request.expect_continue ? 1 : 0;
        CHECK(asked == 1);
        CHECK(world.network.seen.size() == 3);
    }

    TEST_CASE("without credentials requests go unsigned, and refused ones are not tried with others") {
        for (const bool looks : {false, true}) {
            CAPTURE(looks);
            PutWorld world;
            world.credentials.anonymous = true;
            world.credentials.keys = {"AKONE", "AKTWO"};
            world.network.weather = [&](std::size_t n, const SeenRequest& seen) {
                if (looks && n == 1) return fate(Fate::Kind::reset_before);
                if (looks && seen.op != wire::Op::head_object) return Fate{};
                Fate refused = status(400, "ExpiredToken");
                refused.answer.headers.add("x-amz-error-code", "ExpiredToken");
                return refused;
            };
            const engine::Outcome outcome = world.run(put_of("/f", "k"));
            for (const SeenRequest& seen : world.network.seen) CHECK(!seen.request.headers.find("authorization"));
            CHECK(world.credentials.keys.size() == 2);
            REQUIRE(!outcome.ok());
            // Who is not believed by a look would not be believed by a second put.
            CHECK(outcome.error->kind == (looks ? ErrorKind::outcome_unknown : ErrorKind::credentials_refused));
            if (!looks) CHECK(world.network.seen.size() == 1);
        }
    }

    TEST_CASE("a helper for credentials that was ended by the deadline is no wrong setup") {
        PutWorld world;
        world.config.deadline = seconds(1);
        world.credentials.error = Error{ErrorKind::no_credentials, "the helper was ended"};
        world.credentials.on_current = [&] { world.clock.passed += seconds(2); };
        const engine::Outcome late = world.run(put_of("/f", "k"));
        REQUIRE(!late.ok());
        CHECK(late.error->kind == ErrorKind::deadline);
        CHECK(late.error->message.find("the helper was ended") != std::string::npos);
        world.credentials.on_current = nullptr;
        CHECK(world.run(put_of("/f", "k")).error->kind == ErrorKind::no_credentials);
        CHECK(world.network.seen.empty());
    }

    TEST_CASE("the deadline ends the hashing of a long source") {
        PutWorld world(1000);
        world.config.deadline = seconds(5);
        world.files.on_read = [&](const std::string&, uint64_t) { world.clock.passed += seconds(6); };
        engine::Transfer item = put_of("/f", "k");
        item.expect_sha256 = std::string(64, 'a');
        // Two reads: the second one is asked for too late.
        world.config.multipart.threshold = 100;
        world.config.multipart.part_size = 100;
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(!world.store.objects.contains("b/k"));
    }

    TEST_CASE("with the scope of a bucket the breaker of one bucket leaves the others alone") {
        PutWorld world;
        world.config.breaker_per_bucket = true;
        world.config.retry.retries = 0;
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.request.url.find("/b/") != std::string::npos ? fate(Fate::Kind::refuse) : Fate{};
        };
        for (int i = 0; i < 5; ++i) CHECK(!world.run(put_of("/f", "k")).ok());
        CHECK(world.run(put_of("/f", "k")).error->kind == ErrorKind::breaker_open);
        engine::Transfer other = put_of("/f", "k");
        other.target.bucket = "c";
        CHECK(world.run(other).ok());
    }

    TEST_CASE("the end names the cause in words, whatever the kind") {
        policy::Verdict verdict;
        verdict.code = "CURLE_PEER_FAILED_VERIFICATION";
        for (const auto& [kind, words] :
             {std::pair{ErrorKind::tls_trust, "the server's certificate is not trusted"},
              std::pair{ErrorKind::clock_skew, "the clock is wrong and could not be corrected"},
              std::pair{ErrorKind::cannot_write, "cannot write here"}}) {
            const Error error = engine::failure_error(kind, verdict, "", 1, {});
            CAPTURE(error.message);
            CHECK(error.kind == kind);
            if (kind == ErrorKind::cannot_write)
                CHECK(error.message.starts_with(to_string(kind)));
            else
                CHECK(error.message.starts_with(words));
            CHECK(error.message.find("CURLE_PEER_FAILED_VERIFICATION") != std::string::npos);
        }
    }
}

TEST_SUITE("engine/counters") {
    struct Shown {
        std::vector<engine::RunCounters> ticks;
        std::size_t ended = 0;
        uint64_t retries = 0;
        uint64_t requests = 0;
    };

    Shown show(World & world, const std::vector<engine::Transfer>& items) {
        Shown shown;
        engine::Engine engine(
            {world.clock, world.processes, world.network, world.files, world.state, world.credentials, world.observer},
            world.config, Rng(1));
        engine.on_tick([&](const engine::RunCounters& counters) { shown.ticks.push_back(counters); },
                       milliseconds(100));
        (void)engine.run(
            items, [&](const engine::Transfer&, const engine::Outcome&) { ++shown.ended; }, world.stop);
        shown.retries = engine.retries();
        shown.requests = engine.requests();
        return shown;
    }

    TEST_CASE("a display is told what is open, what has moved, and what is waited for") {
        World world;
        world.files.files["/a"].bytes = text_of(300);
        world.files.files["/b"].bytes = text_of(40);
        world.network.present = {port::Phase::waiting, 7, 0};
        std::size_t throttled = 0;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.request.url.ends_with("/a") && ++throttled == 1) return status(503, "SlowDown");
            Fate slow;
            slow.delay = seconds(3);
            return slow;
        };
        const Shown shown = show(world, {put_of("/a", "a"), put_of("/b", "b")});
        CHECK(shown.ended == 2);
        CHECK(shown.retries == 1);
        CHECK(shown.requests == 3);
        REQUIRE(!shown.ticks.empty());
        bool waited = false;
        for (const engine::RunCounters& tick : shown.ticks) {
            CHECK(tick.items_open + tick.items_left.value_or(0) <= 2);
            if (!tick.waiting_until) continue;
            waited = true;
            CHECK(tick.waiting_for == "503 SlowDown");
            CHECK(*tick.waiting_until > tick.now);
            CHECK(tick.in_flight == 1);
            CHECK(tick.items_open == 2);
            CHECK(tick.bytes_open == 340);
            CHECK(tick.bytes_moved == 7);
        }
        CHECK(waited);
        CHECK(shown.ticks.back().retries == 1);
    }

    TEST_CASE("an item whose size nobody knows makes the size of all unknown") {
        World world;
        world.files.files["/a"].bytes = text_of(300);
        world.network.weather = [](std::size_t, const SeenRequest&) {
            Fate slow;
            slow.delay = seconds(1);
            return slow;
        };
        const Shown shown = show(world, {put_of("/a", "a"), delete_of("b")});
        REQUIRE(!shown.ticks.empty());
        CHECK(!shown.ticks.front().bytes_open.has_value());
    }

    TEST_CASE("a get counts what came, and its size once that is known; a look counts no bytes") {
        World world;
        world.files.files["/a"].bytes = text_of(737);
        REQUIRE(world.run(put_of("/a", "k")).ok());
        world.config.download.part_bytes = part_bytes;
        world.config.download.threshold = 2 * part_bytes;
        world.network.present = {port::Phase::receiving, 0, 50};
        world.network.weather = [](std::size_t, const SeenRequest&) {
            Fate slow;
            slow.delay = milliseconds(250);
            return slow;
        };
        const Shown got = show(world, {get_of("k", "/out")});
        REQUIRE(got.ticks.size() >= 2);
        CHECK(!got.ticks.front().bytes_open.has_value());
        CHECK(got.ticks.front().bytes_moved == 50);
        CHECK(got.ticks.back().bytes_open == 737);

        world.network.present = {port::Phase::waiting, 70, 0};
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            Fate out = seen.op == wire::Op::put_object ? fate(Fate::Kind::reset_after) : Fate{};
            out.delay = milliseconds(250);
            return out;
        };
        const Shown put = show(world, {put_of("/a", "k2")});
        REQUIRE(put.ticks.size() >= 2);
        CHECK(put.ticks.front().bytes_moved == 70);
        CHECK(std::any_of(put.ticks.begin(), put.ticks.end(), [](const engine::RunCounters& tick) {
            return tick.in_flight == 1 && tick.bytes_moved == 0;  // the look
        }));
    }

    TEST_CASE("what waits for the breaker is said to") {
        World world;
        world.files.files["/a"].bytes = text_of(300);
        world.config.retry.retries = 0;
        world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::refuse); };
        for (int i = 0; i < 5; ++i) CHECK(!world.run(put_of("/a", "a")).ok());
        world.network.weather = nullptr;
        world.config.breaker_mode = engine::BreakerMode::wait;
        const Shown shown = show(world, {put_of("/a", "a")});
        CHECK(shown.ended == 1);
        REQUIRE(!shown.ticks.empty());
        CHECK(shown.ticks.front().waiting_for == "circuit breaker");
    }

    TEST_CASE("of several waits the one that ends first is told, in whatever order they began") {
        World world;
        world.files.files["/a"].bytes = text_of(300);
        world.config.pace.pinned = true;
        world.network.weather = [](std::size_t n, const SeenRequest& seen) {
            if (n > 3) return Fate{};
            Fate refused = status(503, "SlowDown");
            refused.answer.headers.set("retry-after", seen.request.url.ends_with("/b") ? "3" : "9");
            return refused;
        };
        const Shown shown = show(world, {put_of("/a", "a"), put_of("/a", "b"), put_of("/a", "c")});
        REQUIRE(!shown.ticks.empty());
        const engine::RunCounters& first = shown.ticks.front();
        REQUIRE(first.waiting_until.has_value());
        CHECK(*first.waiting_until - first.now <= seconds(4));
    }

    TEST_CASE("the size of an upload in parts is known where it is made of a file, not where of a stream") {
        for (const bool stream : {false, true}) {
            CAPTURE(stream);
            BigWorld world;
            world.files.stdin_bytes = text_of(1050);
            world.network.weather = [](std::size_t, const SeenRequest&) {
                Fate slow;
                slow.delay = milliseconds(250);
                return slow;
            };
            const Shown shown = show(world, {put_of(stream ? "-" : "/f", "k")});
            REQUIRE(!shown.ticks.empty());
            CHECK(shown.ticks.front().bytes_open == (stream ? std::nullopt : std::optional<uint64_t>(1050)));
        }
    }
}

}  // namespace s3tug::sim
