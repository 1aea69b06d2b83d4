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
            CHECK(outcome.error->message.find("last error: 503 SlowDown") != std::string::npos);
            CHECK(world.network.seen.size() == 2);
        }
    }

    TEST_CASE("a signal after an attempt whose end nobody knows says so, that a rerun settles it, and what was met") {
        struct Row {
            const char* what;
            engine::Transfer item;
            Fate first;
            std::size_t at;  ///< the requests sent when the signal comes
            const char* text;
        };
        for (const Row& row : {Row{"in flight", delete_of("k"), fate(Fate::Kind::hang), 1,
                                   "interrupted by a signal (outcome unknown, a rerun settles it)"},
                               Row{"its answer lost, looked for", put_of("/f", "k"), fate(Fate::Kind::reset_after), 2,
                                   "interrupted by a signal (outcome unknown, a rerun settles it); last error: "},
                               Row{"it only reads", get_of("k", "/out"), status(503, "SlowDown"), 2,
                                   "interrupted by a signal; last error: 503 SlowDown"}}) {
            CAPTURE(std::string(row.what));
            World world;
            give(world);
            world.network.weather = [&](std::size_t n, const SeenRequest&) {
                return n == 1 ? row.first : fate(Fate::Kind::hang);
            };
            world.network.on_poll = [&] { world.stop = world.network.seen.size() == row.at ? 15 : 0; };
            const engine::Outcome outcome = world.run(row.item);
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::interrupted);
            CAPTURE(outcome.error->message);
            CHECK(outcome.error->message.starts_with(row.text));
            CHECK((outcome.error->message.find("unknown") == std::string::npos) ==
                  (std::string_view(row.text).find("unknown") == std::string_view::npos));
            CHECK(world.network.seen.size() == row.at);
        }
    }

    TEST_CASE("a condition that nobody set has not failed: a 412 is the store's fault, a race is over later") {
        struct Row {
            int status;
            const char* code;
            bool conditional;
            ErrorKind kind;
            const char* text;
        };
        const char* const nobody = "a condition that was not sent";
        for (const Row& row :
             {Row{412, "PreconditionFailed", false, ErrorKind::refused, nobody},
              Row{412, "PreconditionFailed", true, ErrorKind::precondition, "another object than expected"},
              Row{409, "ConditionalRequestConflict", false, ErrorKind::gave_up, "gave up for now after 7 tries"},
              Row{409, "OperationAborted", false, ErrorKind::gave_up, "gave up for now after 7 tries"},
              Row{409, "ConditionalRequestConflict", true, ErrorKind::precondition,
                  "a conflict with what stands there"},
              Row{409, "ExistingObjectIsDirectory", false, ErrorKind::precondition,
                  "a conflict with what stands there"}}) {
            CAPTURE(row.code);
            CAPTURE(row.conditional);
            World world;
            give(world);
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                return seen.op == wire::Op::put_object ? status(row.status, row.code) : Fate{};
            };
            engine::Transfer put = put_of("/f", "k2");
            put.conditions.if_none_match_any = row.conditional;
            const engine::Outcome outcome = world.run(put);
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == row.kind);
            CHECK(outcome.error->message.find(row.text) != std::string::npos);
            CHECK((outcome.error->message.find(nobody) != std::string::npos) == (row.text == nobody));
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
