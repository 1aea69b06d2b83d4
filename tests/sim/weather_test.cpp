#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"
#include "sim/policy_process.h"
#include "sim/seed.h"

namespace s3tug::sim {

namespace {

constexpr unsigned item_count = 5000;
uint64_t fnv(std::string_view text) {
    uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3ULL;
    return hash;
}

constexpr unsigned attempts_max = limits::retries_default + 1;

/// Fates that depend only on the seed, the item and the number of the request, so that what the store would have done
/// with an item is known whatever the policies made of it.
struct Climate {
    unsigned throttles = 0, resets = 0, errors = 0;  ///< percent
    Duration outage_begin{}, outage_length{};
};

class FixedWeather final : public Weather {
  public:
    FixedWeather(uint64_t seed, Climate climate, const EventQueue* queue)
        : seed_(seed), climate_(climate), queue_(queue), latencies_(seed ^ 0xABCDEF) {}

    void watch(const EventQueue& queue) { queue_ = &queue; }

    [[nodiscard]] Fate drawn(const std::string& key, unsigned number, bool look) const {
        Rng rng(seed_ ^ fnv(key) ^ number * 0x9E3779B97F4A7C15ULL ^ (look ? 0x5555U : 0U));
        static_cast<void>(rng.next());
        uint64_t draw = rng.up_to(99);
        if (draw < climate_.throttles) return Fate::throttle;
        draw -= climate_.throttles;
        const bool after = rng.chance(1, 2);
        if (draw < climate_.resets) return after ? Fate::reset_after : Fate::reset_before;
        draw -= climate_.resets;
        if (draw < climate_.errors) return after ? Fate::error_after : Fate::error_before;
        return Fate::serve;
    }
    Fate fate(const ItemSpec& item, unsigned number, bool look, Instant) override {
        const Duration passed = queue_->passed();
        const bool out = passed >= climate_.outage_begin && passed < climate_.outage_begin + climate_.outage_length;
        return out ? Fate::refuse : drawn(item.key, number, look);
    }
    Duration latency() override { return milliseconds(20 + static_cast<int64_t>(latencies_.up_to(60))); }
    Duration lateness() override { return {}; }

    /// Would the store have taken this item within the attempts that it is given?
    [[nodiscard]] bool takes(const std::string& key) const {
        for (unsigned number = 1; number <= attempts_max; ++number) {
            const Fate f = drawn(key, number, false);
            if (f == Fate::serve || f == Fate::reset_after || f == Fate::error_after) return true;
        }
        return false;
    }

  private:
    uint64_t seed_;
    Climate climate_;
    const EventQueue* queue_;
    Rng latencies_;
};

struct Result {
    unsigned done = 0, lost = 0, lost_though_takeable = 0;
    unsigned sends_most = 0;
    uint64_t requests = 0;
    Duration took{};
    unsigned openings = 0;
    uint64_t hash = 0;
    std::vector<std::string> violations;
    bool ended = false;
};

Result run(uint64_t seed, const Climate& climate) {
    FixedWeather weather(seed, climate, nullptr);
    World world(weather);
    weather.watch(world.queue);
    ProcessSetup setup;
    for (unsigned i = 0; i < item_count; ++i) {
        ItemSpec item;
        item.key = "key-" + std::to_string(i);
        setup.items.push_back(item);
    }
    PolicyProcess process(world, setup, Rng(seed));
    process.start();
    Result result;
    result.ended = world.queue.run(10'000'000) && process.unfinished() == 0;
    for (std::size_t i = 0; i < process.ends().size(); ++i) {
        const ItemEnd& end = process.ends()[i];
        result.done += end.done ? 1 : 0;
        result.lost += end.done ? 0 : 1;
        if (!end.done && weather.takes(setup.items[i].key)) ++result.lost_though_takeable;
        result.sends_most = std::max(result.sends_most, end.sends);
    }
    result.requests = world.store.requests();
    result.took = process.ended_at() - Instant(hours(1));
    result.openings = world.openings;
    result.hash = world.monitor.hash();
    result.violations = world.monitor.violations();
    return result;
}

void report(std::string_view name, const Result& r) {
    MESSAGE(std::string(name) << ": " << r.done << " done, " << r.lost << " lost (" << r.lost_though_takeable
                              << " of them would have been taken), " << r.requests << " requests, "
                              << format_duration(r.took) << ", breaker opened " << r.openings << " times");
}

uint64_t seed() { return replay_seed().value_or(first_seed); }

void check_common(const Result& r) {
    CHECK(r.ended);
    for (const std::string& violation : r.violations) FAIL_CHECK(violation);
    CHECK(r.lost_though_takeable == 0);
    CHECK(r.sends_most <= attempts_max);
}

}  // namespace

TEST_SUITE("weather: 5000 items through all policies together") {
    TEST_CASE("5 % throttled and 1 % reset") {
        const Result r = run(seed(), {.throttles = 5, .resets = 1});
        report("5 % + 1 %", r);
        check_common(r);
        CHECK(r.lost == 0);
        CHECK(r.openings == 0);
        CHECK(r.requests <= item_count * 12 / 10);
        CHECK(r.took <= minutes(5));
    }

    TEST_CASE("25 % throttled, 5 % reset, 2 % errors") {
        const Result r = run(seed(), {.throttles = 25, .resets = 5, .errors = 2});
        report("25 % + 5 % + 2 %", r);
        check_common(r);
        CHECK(r.openings == 0);
        CHECK(r.requests <= item_count * 2);
        CHECK(r.took <= minutes(20));
    }

    TEST_CASE("an outage of 20 s") {
        const Result r = run(seed(), {.outage_begin = seconds(3), .outage_length = seconds(20)});
        report("outage", r);
        check_common(r);
        CHECK(r.lost == 0);
        CHECK(r.requests <= item_count * 11 / 10);  // no storm of retries while it is out
        CHECK(r.took <= minutes(3));
    }

    TEST_CASE("the same seed gives the same run, another seed another") {
        const Climate climate{.throttles = 5, .resets = 1};
        const Result first = run(seed(), climate);
        CHECK(first.hash == run(seed(), climate).hash);
        CHECK(first.hash != run(seed() + 1, climate).hash);
    }
}

}  // namespace s3tug::sim
