#include <doctest/doctest.h>

#include "engine/gate.h"
#include "support/sim_world.h"

/// What other processes do to the breaker's record between our look and our update.
namespace s3tug::sim {
namespace {

const std::string key = "https://s3.example";

struct RaceWorld : World {
    explicit RaceWorld(policy::BreakerState breaker) {
        policy::BreakerRecord record;
        record.state = breaker;
        record.generation = 3;
        record.failures = breaker == policy::BreakerState::closed ? 1 : 0;
        record.changed_at = record.last_failure_at = clock.now() - config.breaker.open_for;
        record.boot_id = processes.me.boot_id;
        put(record);
    }
    engine::Trace trace{observer, clock};
    engine::RunFacts facts;
    engine::BreakerMode mode = engine::BreakerMode::on;

    void put(const policy::BreakerRecord& record) {
        state.records[{port::Table::breaker, key}] = policy::encode(record);
    }
    [[nodiscard]] std::unique_ptr<engine::ItemGate> gate() {
        const engine::GateConfig gate_config{mode, config.breaker, config.breaker_patience};
        return std::make_unique<engine::ItemGate>(gate_config, key, "item", state, clock, processes, Rng(1), trace,
                                                  facts);
    }
    [[nodiscard]] std::optional<policy::BreakerRecord> record() {
        const auto text = state.read(port::Table::breaker, key);
        return text ? policy::decode_breaker(*text) : std::nullopt;
    }
};

}  // namespace

TEST_SUITE("engine/gate races") {
    TEST_CASE("somebody clears the state while a trial is asked for: nothing is known any more, and nothing refused") {
        RaceWorld world(policy::BreakerState::open);
        world.state.on_update = [&] { world.state.records.clear(); };
        auto gate = world.gate();
        CHECK(std::holds_alternative<engine::ItemGate::Go>(gate->check()));
        CHECK(!gate->is_trial());
        CHECK(!world.record().has_value());
    }

    TEST_CASE("a lease is not renewed where its record is gone, nor after the trial was reported") {
        RaceWorld world(policy::BreakerState::open);
        auto gate = world.gate();
        REQUIRE(std::holds_alternative<engine::ItemGate::Go>(gate->check()));
        REQUIRE(gate->is_trial());
        const policy::BreakerRecord with_permit = *world.record();
        world.state.records.clear();
        gate->renew();
        CHECK(!world.record().has_value());
        world.put(with_permit);
        world.clock.passed += world.config.breaker.lease / 2;
        gate->renew();
        CHECK(world.record()->permits.at(0).lease_end > with_permit.permits.at(0).lease_end);
        gate->report(policy::ItemResult::success, "");
        const std::size_t writes = world.state.writes;
        gate->renew();
        CHECK(world.state.writes == writes);
    }

    TEST_CASE("a result that comes when somebody else has changed the state decides nothing") {
        RaceWorld world(policy::BreakerState::closed);
        auto gate = world.gate();
        REQUIRE(std::holds_alternative<engine::ItemGate::Go>(gate->check()));
        policy::BreakerRecord theirs = *world.record();
        theirs.state = policy::BreakerState::open;
        ++theirs.generation;
        world.state.on_update = [&] { world.put(theirs); };
        gate->report(policy::ItemResult::failure, "503 SlowDown");
        CHECK(world.record()->generation == theirs.generation);
        CHECK(world.record()->failures == theirs.failures);
        CHECK(world.observer.count(port::EventKind::breaker) == 1);  // that the late result was dropped
    }

    TEST_CASE("who waits for the trials of others is told so once it has lasted") {
        RaceWorld world(policy::BreakerState::half_open);
        world.mode = engine::BreakerMode::wait;
        policy::BreakerRecord record = *world.record();
        record.changed_at = world.clock.now();
        for (const uint64_t id : {1U, 2U, 3U})
            record.permits.push_back(
                {id, ProcessId{500 + static_cast<int64_t>(id), 1, "boot-a", 1}, world.clock.now() + minutes(1)});
        world.put(record);
        auto gate = world.gate();
        REQUIRE(std::holds_alternative<engine::ItemGate::WaitUntil>(gate->check()));
        CHECK(world.observer.count(port::EventKind::warning) == 0);
        for (int i = 0; i < 2; ++i) {
            world.clock.passed += limits::silent_wait_max;
            REQUIRE(std::holds_alternative<engine::ItemGate::WaitUntil>(gate->check()));
        }
        REQUIRE(world.observer.count(port::EventKind::warning) == 1);
        const auto told = std::find_if(world.observer.events.begin(), world.observer.events.end(),
                                       [](const auto& event) { return event.kind == port::EventKind::warning; });
        CHECK(told->why.find("for trials that are under way") != std::string::npos);
    }
}

}  // namespace s3tug::sim
