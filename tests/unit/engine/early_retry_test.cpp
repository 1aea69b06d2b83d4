#include "engine/early_retry.h"

#include <doctest/doctest.h>

#include <algorithm>

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

/// All is well but for one key, whose first requests come to nothing.
struct UnluckyKey : World {
    explicit UnluckyKey(Duration trouble) {
        files.files["/f"].bytes = "bytes";
        network.weather = [this, trouble, began = clock.now()](std::size_t, const SeenRequest& seen) {
            if (!seen.request.url.ends_with("/k7")) return Fate{};
            ++tries;
            return seen.at - began < trouble ? status(503, "SlowDown") : Fate{};
        };
    }
    bool put_all() {
        std::vector<engine::Transfer> items;
        for (std::size_t i = 0; i < 40; ++i) items.push_back(put_of("/f", "k" + std::to_string(i)));
        const std::vector<engine::Outcome> outcomes = run(items);
        return std::all_of(outcomes.begin(), outcomes.end(), [](const auto& outcome) { return outcome.ok(); });
    }
    std::size_t tries = 0;
};

}  // namespace

TEST_SUITE("engine/early retries") {
    TEST_CASE("a request without luck among others that are served need not wait for 16 s before its last retry") {
        UnluckyKey world(seconds(4));
        CHECK(world.put_all());
        CHECK(world.clock.passed < seconds(9));
        CHECK(world.tries <= 6 + 3);  // probes after 1, 3 and 7 s
    }

    TEST_CASE("probes that come to nothing take neither retries nor the time that is left") {
        UnluckyKey world(seconds(12));
        world.config.deadline = seconds(20);  // after the last retry; a wait begun anew by a probe would pass it
        CHECK(world.put_all());
        CHECK(world.clock.passed < seconds(20));
        CHECK(world.tries <= 7 + 4);
    }

    TEST_CASE("the user's own waits have no probes in them") {
        UnluckyKey world(seconds(4));
        world.config.retry.backoff.eases = false;
        CHECK(world.put_all());
        CHECK(world.tries <= 5);
    }

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

    TEST_CASE("the longer a run has been failing, the longer are its pauses between two requests, up to four seconds") {
        struct Row {
            int64_t failing_s;
            int64_t pause_ms;
        };
        for (const Row& row :
             {Row{0, 1000}, Row{5, 1000}, Row{10, 2000}, Row{15, 3000}, Row{20, 4000}, Row{600, 4000}}) {
            CAPTURE(row.failing_s);
            World world;
            policy::Pace pace(world.config.pace, world.clock.now());
            engine::Traffic traffic(pace);
            const Instant began = world.clock.now();
            const Instant last = began + seconds(row.failing_s);
            (void)traffic.heard(true, began);
            for (unsigned i = 0; i < world.config.pace.concurrency_start; ++i) (void)traffic.heard(false, began);
            (void)traffic.heard(false, last);
            // The pause grows while it lasts: it ends when it is as long as it should be by then.
            CHECK(traffic.holds(last + milliseconds(row.pause_ms) - milliseconds(1)));
            CHECK(!traffic.holds(last +
                                 std::min(milliseconds(row.pause_ms) * 5 / 4 + milliseconds(1), milliseconds(4000))));
        }
    }

    TEST_CASE("a wait that may not be shortened is over when it is due, whatever the run learns meanwhile") {
        World world;
        policy::Pace pace(world.config.pace, world.clock.now());
        const engine::Traffic traffic(pace);
        const Instant due = world.clock.now() + seconds(10);
        engine::EarlyRetry wait;
        wait.begin(world.clock.now(), due, false, traffic);
        CHECK(wait.look_at(world.clock.now()) == due);
        CHECK(wait.ask(traffic, due - milliseconds(1)) == engine::EarlyRetry::Answer::wait);
        CHECK(wait.ask(traffic, due) == engine::EarlyRetry::Answer::go);
    }
}

}  // namespace s3tug::sim
