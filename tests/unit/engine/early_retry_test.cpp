#include "engine/early_retry.h"

#include <doctest/doctest.h>

#include "base/limits.h"
#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

constexpr Duration outage_begins = seconds(1);
constexpr Duration outage_ends = seconds(21);

/// The first request is served; then all are refused until the outage is over.
struct OutageWorld : World {
    OutageWorld() {
        files.files["/f"].bytes = "bytes";
        config.pace.concurrency_start = config.pace.concurrency_max = 8;
        config.pace.pinned = true;
        config.budget.capacity = 1'000'000;
        config.breaker_mode = engine::BreakerMode::off;
        began = clock.now();
        network.weather = [this](std::size_t, const SeenRequest& seen) {
            const Duration passed = seen.at - began;
            if (passed < outage_begins && !served_first) return served_first = true, Fate{};
            if (passed >= outage_ends) return Fate{};
            ++in_outage;
            if (hint_ms) return throttle_with_hint();
            return throttles ? status(503, "ServiceUnavailable") : fate(Fate::Kind::refuse);
        };
    }
    [[nodiscard]] Fate throttle_with_hint() const {
        Fate refused = status(503, "SlowDown");
        refused.answer.headers.set("retry-after", std::to_string(*hint_ms / 1000));
        return refused;
    }
    std::vector<engine::Outcome> put(std::size_t count) {
        std::vector<engine::Transfer> items;
        for (std::size_t i = 0; i < count; ++i) items.push_back(put_of("/f", "k" + std::to_string(i)));
        return run(items);
    }
    [[nodiscard]] Duration passed() { return clock.now() - began; }

    Instant began;
    bool served_first = false;
    std::size_t in_outage = 0;
    std::optional<int64_t> hint_ms;
    bool throttles = false;
};

}  // namespace

TEST_SUITE("engine/early retries") {
    TEST_CASE("a run that was served learns soon that an outage is over, whatever its requests still had to wait") {
        OutageWorld world;
        for (const engine::Outcome& outcome : world.put(8)) CHECK(outcome.ok());
        // By the formula alone the sixth retry comes after 31 s.
        CHECK(world.passed() >= outage_ends);
        CHECK(world.passed() < outage_ends + limits::probe_every + seconds(2));
        // Seven requests with the formula's five retries each, and one probe each two seconds of the long waits.
        CHECK(world.in_outage <= 7 * 6 + 12);
    }

    TEST_CASE("retries that an empty budget held do not sleep on after the outage") {
        OutageWorld world;
        world.throttles = true;
        world.config.pace = {};
        world.config.budget = {};
        for (const engine::Outcome& outcome : world.put(60)) CHECK(outcome.ok());
        CHECK(world.passed() >= outage_ends);
        // Those that were under way when it began, a probe each two seconds, and a retry for each five tokens of time.
        CHECK(world.in_outage <= 16 + 10 + 10);
        // The pace that the throttles set was one request a second.
        CHECK(world.passed() < outage_ends + limits::probe_every + milliseconds(1500));
    }

    TEST_CASE("a run that was never served waits by the formula") {
        OutageWorld world;
        world.served_first = true;
        for (const engine::Outcome& outcome : world.put(8)) CHECK(outcome.ok());
        CHECK(world.passed() > seconds(31));
        CHECK(world.in_outage == 8 * 6);
    }

    TEST_CASE("waits that the store or the user asked for are not shortened") {
        for (const bool by_user : {true, false}) {
            CAPTURE(by_user);
            OutageWorld world;
            if (by_user)
                world.config.retry.backoff.eases = false;
            else
                world.hint_ms = 7000;
            for (const engine::Outcome& outcome : world.put(8)) CHECK(outcome.ok());
            CHECK(world.in_outage <= 7 * 6);
        }
    }

    TEST_CASE("a wait that may not be shortened is over when it is due, whatever the run learns meanwhile") {
        World world;
        policy::Pace pace(world.config.pace, world.clock.now());
        const engine::Traffic traffic(pace);
        const Instant due = world.clock.now() + seconds(10);
        engine::EarlyRetry wait;
        wait.begin(due, false, traffic);
        CHECK(wait.look_at(world.clock.now()) == due);
        CHECK(wait.ask(traffic, due - milliseconds(1)) == engine::EarlyRetry::Answer::wait);
        CHECK(wait.ask(traffic, due) == engine::EarlyRetry::Answer::go);
    }
}

}  // namespace s3tug::sim
