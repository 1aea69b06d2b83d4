#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sim/policy_process.h"
#include "sim/seed.h"

namespace s3tug::sim {

namespace {

constexpr uint64_t runs = 10'000;
constexpr uint64_t events_most = 200'000;
/// A run that is not over by then hangs: 9 attempts of at most 30 s, waits of at most 60 s, three patiences.
constexpr Duration longest = hours(2);

/// Fates drawn at random by weights that the seed chose, with one outage in between.
class RandomWeather final : public Weather {
  public:
    explicit RandomWeather(Rng rng) : rng_(rng) {
        // Some kinds of trouble are common in a run, most are not there at all.
        for (unsigned& weight : weights_) weight = rng_.chance(1, 3) ? static_cast<unsigned>(rng_.up_to(20)) : 0;
        weights_[static_cast<std::size_t>(Fate::serve)] = 1 + static_cast<unsigned>(rng_.up_to(60));
        outage_begin_ = Instant(hours(1)) + milliseconds(rng_.up_to(60'000));
        outage_end_ = outage_begin_ + (rng_.chance(1, 3) ? Duration(milliseconds(rng_.up_to(90'000))) : Duration());
        lateness_ms_ = rng_.chance(1, 4) ? 60'000 : 400;
    }

    Fate fate(const ItemSpec&, unsigned, bool, Instant now) override {
        if (now >= outage_begin_ && now < outage_end_) return Fate::refuse;
        unsigned sum = 0;
        for (const unsigned weight : weights_) sum += weight;
        auto draw = static_cast<unsigned>(rng_.up_to(sum - 1));
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            if (draw < weights_[i]) return static_cast<Fate>(i);
            draw -= weights_[i];
        }
        return Fate::serve;
    }
    Duration latency() override { return milliseconds(1 + rng_.up_to(400)); }
    Duration lateness() override { return milliseconds(rng_.up_to(lateness_ms_)); }
    std::optional<policy::ServerHint> hint() override {
        if (rng_.chance(2, 3)) return std::nullopt;
        const auto unit =
            rng_.chance(1, 2) ? policy::ServerHint::Unit::retry_after : policy::ServerHint::Unit::amz_retry_after;
        return policy::ServerHint{unit, milliseconds(rng_.up_to(70'000))};
    }

  private:
    Rng rng_;
    std::array<unsigned, fate_count> weights_{};
    Instant outage_begin_, outage_end_;
    uint64_t lateness_ms_ = 0;
};

template <class T>
T one_of(Rng& rng, std::initializer_list<T> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(rng.up_to(values.size() - 1)));
}

ItemSpec random_item(Rng& rng, const std::string& key) {
    using policy::BucketKind;
    using policy::Conditional;
    ItemSpec item;
    item.key = key;
    item.op = one_of(rng, {wire::Op::put_object, wire::Op::put_object, wire::Op::delete_object, wire::Op::copy_object,
                           wire::Op::get_object});
    item.condition =
        one_of(rng, {Conditional::none, Conditional::none, Conditional::if_none_match, Conditional::if_match});
    item.bucket = one_of(rng, {BucketKind::plain, BucketKind::versioned, BucketKind::locked, BucketKind::not_known});
    item.token = rng.chance(3, 4);
    item.head_denied = rng.chance(1, 8);
    if (item.op == wire::Op::delete_object && item.condition == Conditional::if_none_match) {
        item.condition = Conditional::none;
    }
    return item;
}

ProcessSetup random_setup(Rng& rng, int64_t pid) {
    ProcessSetup setup;
    setup.pid = pid;
    setup.retry.retries = static_cast<unsigned>(rng.up_to(8));
    setup.retry.backoff.kind = one_of(
        rng, {policy::BackoffKind::exponential, policy::BackoffKind::full_jitter, policy::BackoffKind::equal_jitter,
              policy::BackoffKind::decorrelated, policy::BackoffKind::linear, policy::BackoffKind::fixed});
    setup.retry.backoff.base =
        one_of(rng, {Duration(milliseconds(1)), Duration(milliseconds(50)), limits::backoff_base});
    setup.retry.backoff.max =
        one_of(rng, {setup.retry.backoff.base, Duration(seconds(2)), limits::backoff_max_default});
    setup.budget.capacity = one_of<int64_t>(rng, {14, 40, limits::budget_tokens});
    setup.budget.refill_per_second = one_of<int64_t>(rng, {1, 2, 10});
    setup.pace.concurrency_max = one_of(rng, {1U, 4U, 64U});
    setup.pace.concurrency_start = std::min(setup.pace.concurrency_max, 16U);
    if (rng.chance(1, 3)) setup.deadline = milliseconds(rng.up_to(120'000));
    for (uint64_t i = 0, count = 1 + rng.up_to(7); i < count; ++i) {
        setup.items.push_back(random_item(rng, std::to_string(pid) + "/" + std::to_string(i)));
    }
    return setup;
}

policy::BreakerConfig random_breaker(Rng& rng) {
    policy::BreakerConfig breaker;
    breaker.threshold = 1 + static_cast<unsigned>(rng.up_to(4));
    breaker.trials = 1 + static_cast<unsigned>(rng.up_to(2));
    breaker.open_for = one_of(rng, {Duration(), Duration(seconds(1)), limits::breaker_open_for});
    breaker.growth_percent = one_of(rng, {100U, 200U});
    return breaker;
}

struct RunResult {
    uint64_t hash = 0;
    std::vector<std::string> violations;
    unsigned openings = 0, done = 0, given_up = 0;
};

/// One run: up to three processes that share a breaker, some of them killed, on a store with weather and, now and then,
/// another writer.
class Run {
  public:
    explicit Run(uint64_t seed) : rng_(seed), weather_(rng_.split()), world_(weather_) {
        const policy::BreakerConfig breaker = random_breaker(rng_);
        const auto processes = 1 + static_cast<int64_t>(rng_.up_to(2));
        for (int64_t pid = 1; pid <= processes; ++pid) {
            ProcessSetup setup = random_setup(rng_, pid);
            setup.breaker = breaker;
            for (const ItemSpec& item : setup.items) place_others(item);
            processes_.push_back(std::make_unique<PolicyProcess>(world_, setup, rng_.split()));
            PolicyProcess* const process = processes_.back().get();
            world_.queue.after(milliseconds(rng_.up_to(20'000)), [process] { process->start(); });
            if (rng_.chance(1, 5)) {
                world_.queue.after(milliseconds(rng_.up_to(60'000)), [process] { process->kill(); });
            }
        }
    }

    RunResult result(bool print = false) {
        Monitor& monitor = world_.monitor;
        if (print) monitor.print_to(stdout);
        monitor.check(world_.queue.run(events_most), "a run without end");
        RunResult r;
        for (const auto& process : processes_) {
            monitor.check(process->killed() || process->unfinished() == 0, "an item that never ended");
            monitor.check(process->ended_at() - Instant(hours(1)) < longest, "a run of hours");
            for (const ItemEnd& end : process->ends()) {
                r.done += end.done ? 1 : 0;
                r.given_up += end.error ? 1 : 0;
            }
        }
        r.hash = monitor.hash();
        r.violations = monitor.violations();
        r.openings = world_.openings;
        return r;
    }

  private:
    void place_others(const ItemSpec& item) {
        const uint64_t size = rng_.chance(1, 2) ? 1 : 7;  // ours has 1: the size alone must prove nothing
        const bool needs_one = item.condition == policy::Conditional::if_match || rng_.chance(1, 4);
        if (needs_one && item.condition != policy::Conditional::if_none_match) {
            world_.store.write_by_other(item.key, "before", size);
        }
        if (!rng_.chance(1, 10)) return;
        world_.queue.after(milliseconds(rng_.up_to(30'000)),
                           [this, size, key = item.key] { world_.store.write_by_other(key, "other", size); });
    }

    Rng rng_;
    RandomWeather weather_;
    World world_;
    std::vector<std::unique_ptr<PolicyProcess>> processes_;
};

}  // namespace

TEST_SUITE("policy runs") {
    TEST_CASE("10,000 seeded runs keep every limit and tell the truth") {
        const uint64_t first = replay_seed().value_or(first_seed);
        const uint64_t count = replay_seed() ? 1 : runs;
        RunResult sum;
        uint64_t broken = 0;
        for (uint64_t seed = first; seed < first + count && broken < 5; ++seed) {
            const RunResult r = Run(seed).result(replay_seed().has_value());
            for (const std::string& violation : r.violations) {
                FAIL_CHECK("seed " << seed << ": " << violation << " (replay: --seed " << seed << ")");
            }
            broken += r.violations.empty() ? 0 : 1;
            sum.done += r.done;
            sum.given_up += r.given_up;
            sum.openings += r.openings;
        }
        CHECK(broken == 0);
        MESSAGE(count << " runs: " << sum.done << " items done, " << sum.given_up << " given up, breaker opened "
                      << sum.openings << " times");
    }

    TEST_CASE("the same seed gives the same run, another seed another") {
        const uint64_t first = replay_seed().value_or(first_seed);
        for (uint64_t seed = first; seed < first + 50; ++seed) {
            CAPTURE(seed);
            const uint64_t hash = Run(seed).result().hash;
            CHECK(hash == Run(seed).result().hash);
            CHECK(hash != Run(seed + 1).result().hash);
        }
    }
}

}  // namespace s3tug::sim
