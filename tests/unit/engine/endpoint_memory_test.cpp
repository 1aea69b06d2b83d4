#include "engine/endpoint_memory.h"

#include <doctest/doctest.h>

#include "base/limits.h"
#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

wire::Endpoint endpoint_of(const char* url) {
    return wire::parse_endpoint(url, "us-east-1", wire::Addressing::automatic).value();
}

/// What the next process finds.
engine::EndpointMemory next_memory(const wire::Endpoint& endpoint, SimState& state, SimClock& clock) {
    engine::EndpointMemory memory(endpoint, state, clock);
    policy::Pace pace({}, clock.now());
    memory.load(pace);
    return memory;
}

}  // namespace

TEST_SUITE("engine/endpoint_memory") {
    TEST_CASE("a correction of the clock is kept, one that the store would tolerate is none") {
        struct Row {
            Duration learned, kept;
        };
        const Duration tolerated = limits::skew_tolerated;
        for (const Row& row : {Row{hours(2), hours(2)}, Row{-hours(2), -hours(2)}, Row{tolerated, tolerated},
                               Row{tolerated - milliseconds(1), {}}, Row{milliseconds(1) - tolerated, {}}}) {
            CAPTURE(to_ms(row.learned));
            SimState state;
            SimClock clock;
            const wire::Endpoint endpoint = endpoint_of("http://store.test:9000");
            engine::EndpointMemory memory = next_memory(endpoint, state, clock);
            memory.learn_clock_offset(hours(5));
            memory.learn_clock_offset(row.learned);
            CHECK(memory.clock_offset() == row.kept);
            CHECK(memory.corrected_now() == clock.wall() + row.kept);
            CHECK(next_memory(endpoint, state, clock).clock_offset() == row.kept);
        }
    }

    TEST_CASE("that a store leaves Expect unanswered is written once, and known to the next process") {
        SimState state;
        SimClock clock;
        const wire::Endpoint endpoint = endpoint_of("http://store.test:9000");
        engine::EndpointMemory memory = next_memory(endpoint, state, clock);
        CHECK_FALSE(memory.ignores_expect());
        memory.learn_ignores_expect();
        const std::size_t writes = state.writes;
        memory.learn_ignores_expect();
        CHECK(state.writes == writes);
        CHECK(next_memory(endpoint, state, clock).ignores_expect());
        CHECK_FALSE(next_memory(endpoint_of("http://store.test:9001"), state, clock).ignores_expect());
    }

    TEST_CASE("the region of a bucket is kept for AWS, and says nothing of a bucket of that name elsewhere") {
        SimState state;
        SimClock clock;
        const wire::Endpoint aws = wire::aws_endpoint("us-east-1", wire::Addressing::automatic).value();
        engine::EndpointMemory(aws, state, clock).learn_region("b", "eu-west-1");
        CHECK(engine::EndpointMemory(aws, state, clock).endpoint_for("b").region == "eu-west-1");
        CHECK(engine::EndpointMemory(aws, state, clock).endpoint_for("other").region == "us-east-1");

        const wire::Endpoint own = endpoint_of("http://store.test:9000");
        engine::EndpointMemory memory(own, state, clock);
        CHECK(memory.endpoint_for("b").region == "us-east-1");
        memory.learn_region("b", "somewhere");
        CHECK(memory.endpoint_for("b").region == "somewhere");
        CHECK(engine::EndpointMemory(aws, state, clock).endpoint_for("b").region == "eu-west-1");
    }
}

}  // namespace s3tug::sim
