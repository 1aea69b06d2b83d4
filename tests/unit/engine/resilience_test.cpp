#include <doctest/doctest.h>

#include <algorithm>

#include "base/text.h"
#include "policy/breaker.h"
#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

void outage(World& world) {
    world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::refuse); };
}

}  // namespace

TEST_SUITE("engine/breaker, keys, deadline, signals") {
    TEST_CASE("five failed commands open the breaker; the sixth sends nothing; after 30 s three trials close it") {
        FileWorld world;
        world.config.retry.retries = 0;
        outage(world);
        for (int i = 0; i < 5; ++i) CHECK(world.run(put_of("/f", "k")).error->kind == ErrorKind::gave_up);
        CHECK(world.network.seen.size() == 5);
        const engine::Outcome refused = world.run(put_of("/f", "k"));
        CHECK(refused.error->kind == ErrorKind::breaker_open);
        CHECK(refused.error->message.find("try again in") != std::string::npos);
        CHECK(world.network.seen.size() == 5);

        world.clock.passed += seconds(31);
        world.network.weather = {};
        for (int i = 0; i < 3; ++i) CHECK(world.run(put_of("/f", "k")).ok());
        const auto record = policy::decode_breaker(world.state.list(port::Table::breaker).at(0).value);
        REQUIRE(record.has_value());
        CHECK(record->state == policy::BreakerState::closed);
    }

    TEST_CASE("a failed trial opens the breaker again, with a single attempt") {
        FileWorld world;
        outage(world);
        world.config.retry.retries = 0;
        for (int i = 0; i < 5; ++i) (void)world.run(put_of("/f", "k"));
        world.config.retry.retries = 6;
        world.clock.passed += seconds(31);
        CHECK(!world.run(put_of("/f", "k")).ok());
        CHECK(world.network.seen.size() == 6);
        CHECK(world.run(put_of("/f", "k")).error->kind == ErrorKind::breaker_open);
    }

    TEST_CASE("answers that are the client's fault show a living host and never open the breaker") {
        FileWorld world;
        world.network.weather = [](std::size_t, const SeenRequest&) { return status(403, "AccessDenied"); };
        for (int i = 0; i < 20; ++i) CHECK(world.run(put_of("/f", "k")).error->kind == ErrorKind::access_denied);
        CHECK(world.network.seen.size() == 20);
    }

    TEST_CASE("a running command parks its queue while the breaker is open and finishes when the store is back") {
        FileWorld world;
        std::vector<engine::Transfer> items(40, put_of("/f", "k"));
        for (std::size_t i = 0; i < items.size(); ++i) items[i].target.key = "k" + std::to_string(i);
        world.config.retry.retries = 1;
        const Instant start = world.clock.now();
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            return seen.at - start < seconds(20) ? fate(Fate::Kind::refuse) : Fate{};
        };
        const std::vector<engine::Outcome> outcomes = world.run(items);
        std::size_t done = 0;
        for (const engine::Outcome& outcome : outcomes) {
            if (outcome.ok())
                ++done;
            else
                CHECK(outcome.error->kind == ErrorKind::gave_up);
        }
        // Only what was in flight when the outage came may have used up its retries.
        CHECK(done >= items.size() - world.config.pace.concurrency_start);
        CHECK(world.observer.count(port::EventKind::breaker) >= 3);
        const auto parked = std::find_if(world.observer.events.begin(), world.observer.events.end(), [](const auto& e) {
            return e.kind == port::EventKind::breaker && e.why.starts_with("parked: ");
        });
        REQUIRE(parked != world.observer.events.end());
        CHECK(parked->breaker == "open");
        CHECK(parked->why.find(", try again in ") != std::string::npos);
        CHECK(parked->code == "http://store.test:9000");
    }

    TEST_CASE("behind a breaker that another process opened an object adds no requests to those that wait") {
        FileWorld world;
        world.files.files["/f"].bytes = std::string(5'000, 'x');
        REQUIRE(world.run(put_of("/f", "k")).ok());
        world.in_ranges_of(100);
        world.network.seen.clear();
        std::size_t read_before = 0;
        std::size_t read_while_open = 0;
        std::optional<Instant> opened;
        world.network.weather = [&](std::size_t n, const SeenRequest& seen) {
            if (n != 1) return Fate{};
            opened = seen.at;
            policy::BreakerRecord open;
            open.state = policy::BreakerState::open;
            open.generation = 1;
            open.changed_at = open.last_failure_at = *opened;
            open.boot_id = world.processes.me.boot_id;
            world.state.records[{port::Table::breaker, "http://store.test:9000"}] = policy::encode(open);
            read_before = world.state.breaker_reads;
            Fate slow;
            slow.delay = seconds(10);
            return slow;
        };
        world.network.on_poll = [&] {
            if (opened && world.clock.now() < *opened + seconds(30))
                read_while_open = world.state.breaker_reads - read_before;
        };
        REQUIRE(world.run(get_of("k", "/out")).ok());
        CHECK(world.files.files["/out"].bytes.size() == 5'000);
        CHECK(world.clock.now() >= *opened + seconds(30));
        CHECK(read_while_open > 0);
        CHECK(read_while_open <= world.config.pace.concurrency_start);
    }

    TEST_CASE("a run whose first items are the trials does not refuse those behind them") {
        FileWorld world;
        world.config.retry.retries = 0;
        outage(world);
        for (int i = 0; i < 5; ++i) (void)world.run(put_of("/f", "k"));
        world.clock.passed += seconds(31);
        world.network.weather = {};
        std::vector<engine::Transfer> items(10, put_of("/f", "k"));
        for (std::size_t i = 0; i < items.size(); ++i) items[i].target.key = "k" + std::to_string(i);
        for (const engine::Outcome& outcome : world.run(items)) CHECK(outcome.ok());
    }

    TEST_CASE("--breaker wait sleeps until the trial time instead of ending with 69") {
        FileWorld world;
        world.config.retry.retries = 0;
        outage(world);
        for (int i = 0; i < 5; ++i) (void)world.run(put_of("/f", "k"));
        world.network.weather = {};
        world.config.breaker_mode = engine::BreakerMode::wait;
        const Instant before = world.clock.now();
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.clock.now() - before >= seconds(29));
        CHECK(world.clock.now() - before <= seconds(45));
        // The time that is told is when it goes on, with what keeps the processes of a machine from going together.
        const std::string until =
            "waiting until " + format_utc(world.clock.wall() - (world.clock.now() - world.network.seen.back().at));
        CHECK(
            std::any_of(world.observer.events.begin(), world.observer.events.end(), [&](const port::TraceEvent& event) {
                return event.kind == port::EventKind::warning && event.why.starts_with(until);
            }));
    }

    TEST_CASE("the same idempotency key gives the kept result without a request, another content is refused") {
        FileWorld world;
        engine::Transfer item = keyed(put_of("/f", "k"));
        const engine::Outcome first = world.run(item);
        CHECK(first.ok());
        const engine::Outcome second = world.run(item);
        CHECK(second.ok());
        CHECK(second.cached);
        CHECK(second.etag == first.etag);
        CHECK(world.network.seen.size() == 1);

        world.files.files["/f"].bytes = "other bytes";
        CHECK(world.run(item).error->kind == ErrorKind::key_reused);
        world.files.files["/f"].bytes = "bytes";
        world.files.files["/f"].version = 99;  // a fresh checkout: same content, another mtime
        CHECK(world.run(item).cached);
    }

    TEST_CASE("a failure is not kept: the same key tries again") {
        FileWorld world;
        engine::Transfer item = keyed(put_of("/f", "k"));
        world.network.weather = [](std::size_t, const SeenRequest&) { return status(403, "AccessDenied"); };
        CHECK(!world.run(item).ok());
        world.network.weather = {};
        const engine::Outcome again = world.run(item);
        CHECK(again.ok());
        CHECK(!again.cached);
    }

    TEST_CASE("the work of a dead process with the same key is recognised by its token and not done twice") {
        FileWorld world;
        engine::Transfer item = keyed(put_of("/f", "k"));
        // The first process is interrupted after the store did the work and before it heard of it.
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n == 1 ? fate(Fate::Kind::reset_after) : fate(Fate::Kind::hang);
        };
        world.network.on_poll = [&] {
            if (world.network.seen.size() == 2) world.stop = 15;
        };
        CHECK(world.run(item).error->kind == ErrorKind::interrupted);
        world.processes.dead = {world.processes.me.pid};
        world.processes.me.pid = 101;
        world.stop = 0;
        world.network.on_poll = {};
        world.network.weather = {};
        CHECK(world.run(item).ok());
        CHECK(world.store.effects.size() == 1);
        CHECK(world.run(item).cached);
    }

    TEST_CASE("the work that a dead process with the same key did not get done is done, after a look") {
        for (const bool deletes : {false, true}) {
            FileWorld world;
            world.store.objects["b/gone"] = {.bytes = "x", .etag = "e", .modified = {}};
            engine::Transfer item = deletes ? delete_of("gone") : put_of("/f", "k");
            item.idempotency_key = "deploy-8";
            world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::hang); };
            world.network.on_poll = [&] {
                if (!world.network.seen.empty()) world.stop = 15;
            };
            CHECK(world.run(item).error->kind == ErrorKind::interrupted);
            world.processes.dead = {world.processes.me.pid};
            world.processes.me.pid = 101;
            world.stop = 0;
            world.network.on_poll = {};
            world.network.weather = {};
            CHECK(world.run(item).ok());
            CHECK(world.store.effects.size() == 1);
        }
    }

    TEST_CASE("a key that cannot be recorded is refused before anything is sent") {
        FileWorld world;
        engine::Transfer item = keyed(put_of("/f", "k"));
        world.state.killed = true;  // it opens, and cannot be written
        CHECK(world.run(item).error->kind == ErrorKind::state_file);
        CHECK(world.network.seen.empty());
        world.state.killed = false;
        world.state.broken = true;
        CHECK(world.run(item).error->kind == ErrorKind::state_file);
        CHECK(world.network.seen.empty());
        item.idempotency_key.clear();
        CHECK(world.run(item).ok());
    }

    TEST_CASE("the deadline is never passed by a wait, and the last real error is named") {
        FileWorld world;
        world.config.deadline = seconds(10);
        world.network.weather = [](std::size_t, const SeenRequest&) { return status(503, "SlowDown"); };
        const Instant before = world.clock.now();
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        CHECK(outcome.error->kind == ErrorKind::deadline);
        CHECK(outcome.error->message.find("SlowDown") != std::string::npos);
        CHECK(world.clock.now() - before <= seconds(10));
    }

    TEST_CASE("a request that hangs is ended by the deadline") {
        FileWorld world;
        world.config.deadline = seconds(5);
        world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::hang); };
        const Instant before = world.clock.now();
        CHECK(world.run(put_of("/f", "k")).error->kind == ErrorKind::deadline);
        CHECK(world.clock.now() - before <= seconds(5));
    }

    TEST_CASE("a signal ends what is in flight and what has not begun") {
        FileWorld world;
        const std::vector<engine::Transfer> items(50, put_of("/f", "k"));
        world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::hang); };
        world.network.on_poll = [&] { world.stop = 2; };
        for (const engine::Outcome& outcome : world.run(items)) {
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::interrupted);
        }
    }

    TEST_CASE("without permission to look a plain put is sent again, a conditional one ends as outcome unknown") {
        for (const bool conditional : {false, true}) {
            CAPTURE(conditional);
            FileWorld world;
            bool lost = false;
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op == wire::Op::head_object) {
                    Fate denied = status(403, "AccessDenied");
                    denied.answer.body.clear();
                    return denied;
                }
                if (lost) return Fate{};
                lost = true;
                return fate(Fate::Kind::reset_after);
            };
            engine::Transfer item = put_of("/f", "k");
            item.conditions.if_none_match_any = conditional;
            const engine::Outcome outcome = world.run(item);
            if (conditional)
                CHECK(outcome.error->kind == ErrorKind::outcome_unknown);
            else
                CHECK(outcome.ok());
        }
    }
}

}  // namespace s3tug::sim
