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
        state.records[{port::Table::breaker, key}] = policy::encode(record);
    }
    engine::Trace trace{observer, clock};
    engine::RunFacts facts;

    [[nodiscard]] std::unique_ptr<engine::ItemGate> gate() {
        const engine::GateConfig gate_config{engine::BreakerMode::on, config.breaker, config.breaker_patience};
        return std::make_unique<engine::ItemGate>(gate_config, key, "item", state, clock, processes, Rng(1), trace,
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
}

}  // namespace s3tug::sim
