#include "engine/gate.h"

#include <doctest/doctest.h>

#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

const std::string key = "https://s3.example";

/// A breaker whose break is over: the next item that asks is a trial.
struct GateWorld : World {
    GateWorld() {
        policy::BreakerRecord record;
        record.state = policy::BreakerState::open;
        record.generation = 3;
        record.changed_at = record.last_failure_at = clock.now() - config.breaker.open_for;
        record.boot_id = processes.me.boot_id;
        put(record);
    }
    void put(const policy::BreakerRecord& record) {
        state.records[{port::Table::breaker, key}] = policy::encode(record);
    }
    engine::Trace trace{observer, clock};
    engine::RunFacts facts;

    [[nodiscard]] std::unique_ptr<engine::ItemGate> gate(engine::BreakerMode mode = engine::BreakerMode::on) {
        const engine::GateConfig gate_config{mode, config.breaker, config.breaker_patience};
        return std::make_unique<engine::ItemGate>(gate_config, key, "item", state, clock, processes, Rng(seed++), trace,
                                                  facts);
    }
    [[nodiscard]] policy::BreakerRecord record() {
        return policy::decode_breaker(state.records[{port::Table::breaker, key}]).value();
    }
};

}  // namespace

TEST_SUITE("engine/gate") {
    TEST_CASE("a trial that goes without a verdict gives its permit back and decides nothing") {
        GateWorld world;
        auto gate = world.gate();
        REQUIRE(std::holds_alternative<engine::ItemGate::Go>(gate->check()));
        CHECK(gate->is_trial());
        CHECK(world.record().permits.size() == 1);
        gate.reset();
        CHECK(world.record().state == policy::BreakerState::half_open);
        CHECK(world.record().permits.empty());
        CHECK(world.record().successes == 0);
    }

    TEST_CASE("a trial that goes on keeps its permit beyond the first lease, and its success counts") {
        GateWorld world;
        auto gate = world.gate();
        REQUIRE(std::holds_alternative<engine::ItemGate::Go>(gate->check()));
        for (int i = 0; i < 4; ++i) {
            world.clock.passed += world.config.breaker.lease / 2;
            gate->renew();
        }
        world.facts = {};  // another run asks
        auto other = world.gate();
        (void)other->check();
        CHECK(world.record().state == policy::BreakerState::half_open);
        gate->report(policy::ItemResult::success, "");
        CHECK(world.record().successes == 1);
    }

    TEST_CASE("a breaker that another process opened is seen by the next request, a moment later") {
        GateWorld world;
        policy::BreakerRecord record = world.record();
        record.state = policy::BreakerState::closed;
        world.put(record);
        auto gate = world.gate();
        REQUIRE(std::holds_alternative<engine::ItemGate::Go>(gate->check()));
        record.state = policy::BreakerState::open;
        record.generation += 1;
        record.changed_at = record.last_failure_at = world.clock.now();
        world.put(record);
        world.clock.passed += limits::breaker_reread;
        CHECK(std::holds_alternative<engine::ItemGate::WaitUntil>(gate->check()));
    }

    TEST_CASE("no wait for the breaker is begun that would reach the deadline") {
        struct Row {
            engine::BreakerMode mode;
            bool under_way;
            ErrorKind kind;
        };
        for (const Row& row : {Row{engine::BreakerMode::on, true, ErrorKind::deadline},
                               Row{engine::BreakerMode::wait, true, ErrorKind::deadline},
                               Row{engine::BreakerMode::wait, false, ErrorKind::breaker_open}}) {
            GateWorld world;
            policy::BreakerRecord record = world.record();
            record.changed_at = record.last_failure_at = world.clock.now();
            world.put(record);
            world.facts.let_in = row.under_way;
            world.facts.deadline = world.clock.now() + world.config.breaker.open_for - milliseconds(1);
            const engine::ItemGate::Answer answer = world.gate(row.mode)->check();
            REQUIRE(std::holds_alternative<Error>(answer));
            CHECK(std::get<Error>(answer).kind == row.kind);
            world.facts.deadline = world.clock.now() + 2 * world.config.breaker.open_for;
            CHECK(std::holds_alternative<engine::ItemGate::WaitUntil>(world.gate(row.mode)->check()));
        }
    }
}

}  // namespace s3tug::sim
