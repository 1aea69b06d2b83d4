#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/limits.h"
#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

std::vector<engine::Transfer> puts(std::size_t count) {
    std::vector<engine::Transfer> items;
    for (std::size_t i = 0; i < count; ++i) items.push_back(put_of("/f", "k" + std::to_string(i)));
    return items;
}

struct TrafficWorld : World {
    explicit TrafficWorld(unsigned concurrency) {
        files.files["/f"].bytes = "bytes";
        config.pace.concurrency_start = config.pace.concurrency_max = concurrency;
        config.pace.pinned = true;
        network.on_poll = [this] {
            ++polls;
            most_in_flight = std::max(most_in_flight, network.in_flight());
        };
    }
    std::size_t polls = 0;
    std::size_t most_in_flight = 0;

    [[nodiscard]] std::size_t keys_seen() const {
        std::set<std::string> keys;
        for (const SeenRequest& seen : network.seen) keys.insert(seen.request.url);
        return keys.size();
    }
};

bool all_ok(const std::vector<engine::Outcome>& outcomes) {
    return std::all_of(outcomes.begin(), outcomes.end(), [](const auto& outcome) { return outcome.ok(); });
}

}  // namespace

TEST_SUITE("engine/requests in flight") {
    TEST_CASE("never more requests than the concurrency, and no fewer while there is work") {
        TrafficWorld world(7);
        CHECK(all_ok(world.run(puts(100))));
        CHECK(world.most_in_flight == 7);
        CHECK(world.network.seen.size() == 100);
        // 100 requests of 5 ms, 7 at a time.
        CHECK(world.clock.passed == milliseconds(5) * 15);
    }

    TEST_CASE("after a SlowDown requests keep an interval, however many slots are free") {
        TrafficWorld world(8);
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n == 1 ? status(503, "SlowDown") : Fate{};
        };
        CHECK(all_ok(world.run(puts(30))));
        const std::vector<SeenRequest>& seen = world.network.seen;
        const Instant throttled = seen.front().at + milliseconds(5);
        std::size_t spaced = 0;
        for (std::size_t i = 1; i < seen.size(); ++i) {
            if (seen[i].at <= throttled || seen[i].at > throttled + world.config.pace.settling) continue;
            CHECK(seen[i].at - seen[i - 1].at >= world.config.pace.interval_first);
            ++spaced;
        }
        CHECK(spaced >= 20);
    }

    TEST_CASE("an item that waits for its retry holds nobody up") {
        TrafficWorld world(2);
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n <= 2 ? fate(Fate::Kind::refuse) : Fate{};
        };
        const Instant began = world.clock.now();
        CHECK(all_ok(world.run(puts(60))));
        REQUIRE(world.network.seen.size() == 62);
        // 58 others were done, two at a time, before the first of the two came again.
        CHECK(world.network.seen[59].at - began <= milliseconds(5) * 30);
        CHECK(world.network.seen[60].at - began >= milliseconds(500));
        CHECK(world.most_in_flight == 2);
    }

    TEST_CASE("retries that come due together are not in flight together beyond the concurrency") {
        TrafficWorld world(2);
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            Fate slow;
            slow.delay = seconds(10);
            return n <= 8 ? fate(Fate::Kind::refuse) : slow;
        };
        CHECK(all_ok(world.run(puts(8))));
        CHECK(world.network.seen.size() >= 16);
        CHECK(world.most_in_flight == 2);
    }

    TEST_CASE("with a quarter of all attempts refused the store is kept busy") {
        TrafficWorld world(4);
        world.config.retry.retries = 20;
        world.config.budget.capacity = 10'000;
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n % 4 == 0 ? fate(Fate::Kind::refuse) : Fate{};
        };
        Duration most_done{};
        const auto counted = world.network.on_poll;
        world.network.on_poll = [&, counted] {
            counted();
            if (world.store.effects.size() <= 360) most_done = world.clock.passed;
        };
        CHECK(all_ok(world.run(puts(400))));
        // 120 waits of three quarters of a second, held by four slots, would be 22 seconds.
        CHECK(most_done < seconds(3));
    }

    TEST_CASE("an empty budget holds no retry up while the store serves most of what it gets") {
        TrafficWorld world(16);
        world.config.budget.refill_per_second = 0;
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n % 3 == 0 ? fate(Fate::Kind::refuse) : Fate{};
        };
        CHECK(all_ok(world.run(puts(400))));
        // The formula's waits alone; 600 retries cost 8400 tokens, of which there are 100 and no more with time.
        CHECK(world.clock.passed < seconds(20));
    }

    TEST_CASE("what the store serves of a run is few, a part or most") {
        struct Row {
            const char* answers;  // 'x' is served
            policy::Served served;
        };
        using policy::Served;
        for (const Row& row :
             {Row{"", Served::few}, Row{"x", Served::few}, Row{"x.", Served::part}, Row{"x..", Served::part},
              Row{"x...", Served::few}, Row{"xxxxxxx", Served::part}, Row{"xxxxxxxx", Served::most},
              Row{"..xxxxxx", Served::most}, Row{"...xxxxx", Served::part}, Row{"......xx", Served::few}}) {
            CAPTURE(row.answers);
            policy::Pace pace({}, Instant{});
            engine::Traffic traffic(pace);
            for (const char* c = row.answers; *c != 0; ++c) static_cast<void>(traffic.heard(*c == 'x', Instant{}));
            CHECK(traffic.served() == row.served);
        }
    }

    TEST_CASE("large bodies are announced while the store refuses some requests, as long as it answers that") {
        for (const bool answers : {true, false}) {
            CAPTURE(answers);
            TrafficWorld world(1);
            world.files.files["/f"].bytes = std::string((1U << 20) + 1, 'x');
            world.network.answers_expect = answers;
            world.network.weather = [](std::size_t n, const SeenRequest&) {
                return n == 4 ? status(503, "SlowDown") : Fate{};
            };
            CHECK(all_ok(world.run(puts(6))));
            std::vector<bool> announced;
            for (const SeenRequest& seen : world.network.seen) announced.push_back(seen.request.expect_continue);
            CHECK(announced == std::vector<bool>{true, false, false, false, answers, answers, answers});
            // The next process asks again only where it was answered.
            world.network.seen.clear();
            CHECK(all_ok(world.run(puts(1))));
            CHECK(world.network.seen.at(0).request.expect_continue == answers);
        }
    }

    TEST_CASE("parts of usual size are announced each") {
        TrafficWorld world(1);
        world.files.files["/f"].bytes = std::string(8U << 20, 'x');
        world.network.answers_expect = true;
        CHECK(all_ok(world.run(puts(3))));
        for (const SeenRequest& seen : world.network.seen) CHECK(seen.request.expect_continue);
    }

    TEST_CASE("a run that was served says once that it fails, until it was served again") {
        policy::Pace pace({.concurrency_max = 8, .concurrency_start = 8, .pinned = true}, Instant(seconds(0)));
        engine::Traffic traffic(pace);
        for (unsigned i = 0; i < 20; ++i) CHECK_FALSE(traffic.heard(false, Instant(seconds(i))));  // never served
        for (unsigned round = 0; round < 2; ++round) {
            CHECK_FALSE(traffic.heard(true, Instant(seconds(20))));
            for (unsigned i = 1; i <= 20; ++i) CHECK(traffic.heard(false, Instant(seconds(20 + i))) == (i == 8));
        }
    }

    TEST_CASE("an outage begins few items, not thousands") {
        TrafficWorld world(8);
        world.config.breaker_mode = engine::BreakerMode::off;
        world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::refuse); };
        const auto counted = world.network.on_poll;
        world.network.on_poll = [&, counted] {
            counted();
            if (world.clock.passed >= seconds(5)) world.stop = 2;
        };
        (void)world.run(puts(3'000));
        CHECK(world.keys_seen() <= 16);
    }

    TEST_CASE("items under way are bounded when most of them wait") {
        TrafficWorld world(8);
        world.config.breaker_mode = engine::BreakerMode::off;
        // The store answers often enough to go on, and never those that were refused once.
        std::set<std::string> refused;
        std::size_t most = 0;
        world.network.weather = [&](std::size_t n, const SeenRequest& seen) {
            const std::string& key = seen.request.url;
            if (n % 3 != 0 && !refused.contains(key)) return Fate{};
            refused.insert(key);
            most = std::max(most, refused.size());
            return fate(Fate::Kind::refuse);
        };
        world.config.retry.retries = 1000;
        const auto counted = world.network.on_poll;
        world.network.on_poll = [&, counted] {
            counted();
            if (world.clock.passed >= minutes(10)) world.stop = 2;
        };
        (void)world.run(puts(5'000));
        CHECK(most <= limits::items_begun_max);
        CHECK(most >= limits::items_begun_max - 16);
    }

    TEST_CASE("the patience with an open breaker is the run's, not of each item anew") {
        TrafficWorld world(4);
        world.config.retry.retries = 0;
        world.config.breaker.open_for = minutes(20);
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n > 1 ? fate(Fate::Kind::refuse) : Fate{};
        };
        const std::vector<engine::Outcome> outcomes = world.run(puts(500));
        CHECK(world.clock.passed < minutes(1));  // the break outlasts the patience, so nothing is waited for
        CHECK(world.network.seen.size() <= 16);
        CHECK(outcomes.back().error->kind == ErrorKind::breaker_open);
    }

    TEST_CASE("a parked run begins no new items, and goes on with all of them when the breaker closes") {
        TrafficWorld world(4);
        world.config.retry.retries = 0;
        const Instant began = world.clock.now();
        world.network.weather = [&](std::size_t n, const SeenRequest& seen) {
            return n > 4 && seen.at - began < seconds(10) ? fate(Fate::Kind::refuse) : Fate{};
        };
        std::size_t seen_while_parked = 0;
        const auto counted = world.network.on_poll;
        world.network.on_poll = [&, counted] {
            counted();
            if (world.clock.now() - began < seconds(25)) seen_while_parked = world.network.seen.size();
        };
        const std::vector<engine::Outcome> outcomes = world.run(puts(200));
        CHECK(seen_while_parked <= 16);
        CHECK(std::count_if(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.ok(); }) >= 190);
        CHECK(world.clock.now() - began < seconds(60));
    }

    TEST_CASE("after four failures in a row neither items nor parts are begun until one is served") {
        for (const bool parts : {false, true}) {
            CAPTURE(parts);
            TrafficWorld world(16);
            world.files.files["/large"].bytes = std::string(4'000, 'x');
            REQUIRE(world.run(put_of("/large", "large")).ok());
            world.in_ranges_of(100);
            world.network.seen.clear();
            const Instant began = world.clock.now();
            std::set<std::string> asked;
            std::size_t begun_at_once = 0;
            world.network.weather = [&](std::size_t n, const SeenRequest& seen) {
                if (n == 1) return Fate{};
                // One after the other, so that each is known before the next one ends; no throttle, which has a pace.
                Fate out = seen.at - began < seconds(5) ? status(500, "InternalError") : Fate{};
                out.delay = milliseconds(20 + static_cast<int64_t>(n));
                asked.insert(seen.request.url + std::string(seen.request.headers.find("range").value_or("")));
                if (seen.at - began < milliseconds(100)) begun_at_once = asked.size();
                return out;
            };
            std::vector<engine::Transfer> items{get_of("large", "/out")};
            if (!parts) {
                items.clear();
                for (unsigned i = 0; i < 40; ++i) items.push_back(delete_of("k" + std::to_string(i)));
            }
            CHECK(all_ok(world.run(items)));
            CHECK(begun_at_once >= 16);
            CHECK(begun_at_once <= 16 + 4);
        }
    }

    TEST_CASE("the loop turns about once for what comes in together") {
        TrafficWorld world(16);
        CHECK(all_ok(world.run(puts(1'600))));
        CHECK(world.polls <= 110);
    }
}

}  // namespace s3tug::sim
