#include <doctest/doctest.h>

#include <algorithm>

#include "support/sim_world.h"

/// The life of one request, where no flow makes a difference.
namespace s3tug::sim {
namespace {

void give(World& world) {
    world.files.files["/f"].bytes = "bytes";
    REQUIRE(world.run(put_of("/f", "k")).ok());
    world.network.seen.clear();
}

}  // namespace

TEST_SUITE("engine/operation") {
    TEST_CASE("what one connection failed at is not asked of another one that is as old") {
        struct Row {
            const char* what;
            Fate first;
            bool fresh;
        };
        for (const Row& row :
             {Row{"reset", fate(Fate::Kind::reset_before), true}, Row{"no answer", fate(Fate::Kind::hang), true},
              Row{"421: another host's connection", status(421, ""), true},
              Row{"the store answered", status(503, "SlowDown"), false}}) {
            CAPTURE(row.what);
            World world;
            give(world);
            world.network.weather = [&](std::size_t n, const SeenRequest&) { return n == 1 ? row.first : Fate{}; };
            CHECK(world.run(get_of("k", "/out")).ok());
            REQUIRE(world.network.seen.size() == 2);
            CHECK(!world.network.seen[0].fresh_connection);
            CHECK(world.network.seen[1].fresh_connection == row.fresh);
        }
    }

    TEST_CASE("an attempt that is cut short does not hide what the one before it met") {
        for (const bool signal : {true, false}) {
            CAPTURE(signal);
            World world;
            give(world);
            if (!signal) world.config.deadline = seconds(20);
            world.network.weather = [](std::size_t n, const SeenRequest&) {
                return n == 1 ? status(503, "SlowDown") : fate(Fate::Kind::hang);
            };
            world.network.on_poll = [&] { world.stop = signal && world.network.seen.size() == 2 ? 15 : 0; };
            const engine::Outcome outcome = world.run(put_of("/f", "k"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == (signal ? ErrorKind::interrupted : ErrorKind::deadline));
            CHECK(outcome.code == "SlowDown");
            CHECK(world.network.seen.size() == 2);
        }
    }

    TEST_CASE("a breaker that opens after a lost answer does not make it that nothing was sent") {
        World world;
        give(world);
        world.config.breaker_patience = Duration::zero();
        world.network.weather = [&](std::size_t, const SeenRequest&) {
            policy::BreakerRecord open;
            open.state = policy::BreakerState::open;
            open.generation = 1;
            open.changed_at = open.last_failure_at = world.clock.now();
            open.boot_id = world.processes.me.boot_id;
            world.state.records[{port::Table::breaker, "http://store.test:9000"}] = policy::encode(open);
            Fate lost = fate(Fate::Kind::reset_after);
            lost.delay = limits::breaker_reread;
            return lost;
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k2"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::outcome_unknown);
        CHECK(world.network.seen.size() == 1);
        CHECK(world.store.objects.contains("b/k2"));
    }

    TEST_CASE("a repair is no retry: what comes after it has as many as ever") {
        World world;
        give(world);
        world.config.retry.retries = 1;
        world.store.checks_skew = true;
        world.clock.wall_step = hours(-2);
        world.store.clock_ahead = hours(2);
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n == 2 ? status(503, "SlowDown") : Fate{};
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.seen.size() == 3);
    }

    TEST_CASE("while nothing succeeds retries are paid for, and those who cannot pay wait") {
        Duration took[2] = {};
        for (const int64_t capacity : {limits::budget_tokens, int64_t{1'000'000}}) {
            World world;
            give(world);
            world.config.breaker_mode = engine::BreakerMode::off;
            world.config.retry.retries = 3;
            world.config.budget.capacity = capacity;
            world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::refuse); };
            const Instant began = world.clock.now();
            const std::vector<engine::Outcome> outcomes = world.run(std::vector(12, put_of("/f", "k")));
            CHECK(std::ranges::all_of(outcomes, [](const auto& outcome) {
                return !outcome.ok() && outcome.error->kind == ErrorKind::gave_up;
            }));
            CHECK(world.network.seen.size() == 12 * 4);
            took[capacity == limits::budget_tokens ? 0 : 1] = world.clock.now() - began;
        }
        // 36 retries at 14 tokens, of which there are 100 and two more each second.
        CHECK(took[0] > seconds(60));
        CHECK(took[1] < seconds(30));
    }
}

}  // namespace s3tug::sim
