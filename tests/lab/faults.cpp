#include "lab/faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/bytes.h"

namespace s3tug::lab {

namespace {
template <typename T>
void first_wins(T& mine, const T& other) {
    if (!mine) mine = other;
}
}  // namespace

void Faults::merge(const Faults& other) {
    first_wins(ending, other.ending);
    first_wins(delay, other.delay);
    first_wins(synthetic, other.synthetic);
    first_wins(drip_down, other.drip_down);
    first_wins(drip_up, other.drip_up);
    first_wins(cut, other.cut);
    first_wins(flip_up, other.flip_up);
    first_wins(flip_stored, other.flip_stored);
    first_wins(flip_down, other.flip_down);
    first_wins(late, other.late);
    first_wins(hide, other.hide);
    first_wins(fail_keys, other.fail_keys);
    first_wins(skew, other.skew);
    first_wins(no_checksum, other.no_checksum);
    if (region.empty()) region = other.region;
    expire |= other.expire;
    ignore_conditions |= other.ignore_conditions;
    duplicate |= other.duplicate;
    chunked |= other.chunked;
    no_length |= other.no_length;
    refuse |= other.refuse;
}

bool Rule::matches(const Occasion& occasion) const {
    if (occasion.op == "Connection") return op == "Connection";
    if (op != "*" && op != occasion.op && op != occasion.method) return false;
    if (part && *part != occasion.part) return false;
    if (reused && *reused != occasion.reused_connection) return false;
    return glob_match(bucket, occasion.bucket) && glob_match(key, occasion.key);
}

void Forecast::replace(std::vector<Rule> rules) {
    {
        const std::lock_guard lock(mutex_);
        rules_.clear();
    }
    add(std::move(rules));
}

void Forecast::add(std::vector<Rule> rules) {
    const std::lock_guard lock(mutex_);
    for (Rule& rule : rules) rules_.push_back({std::move(rule)});
}

void Forecast::restart(Milliseconds now) {
    const std::lock_guard lock(mutex_);
    random_.seed(seed_);
    start_ = now;
    for (State& state : rules_) state.matched = state.fired = 0;
}

bool Forecast::in_window(const When& when, Milliseconds now) const {
    const Milliseconds elapsed = now - start_;
    return (!when.from || elapsed >= *when.from) && (!when.until || elapsed < *when.until);
}

Faults Forecast::next(const Occasion& occasion, Milliseconds now) {
    const std::lock_guard lock(mutex_);
    Faults faults;
    for (State& state : rules_) {
        const Rule& rule = state.rule;
        if (!rule.matches(occasion) || !in_window(rule.when, now)) continue;
        const uint64_t n = ++state.matched;
        if (n < rule.when.first || n > rule.when.last || n % rule.when.every != 0) continue;
        if (rule.when.percent) {
            constexpr double steps = 1'000'000.0;
            if (static_cast<double>(random_() % uint64_t{1'000'000}) >= *rule.when.percent / 100.0 * steps) continue;
        }
        if (state.fired == 0) state.fired_first = now;
        if (rule.when.lasting && now - state.fired_first >= *rule.when.lasting) continue;
        ++state.fired;
        faults.merge(rule.faults);
    }
    return faults;
}

bool Forecast::refusing(Milliseconds now) const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(
        rules_, [&](const State& state) { return state.rule.faults.refuse && in_window(state.rule.when, now); });
}

std::string Forecast::describe() const {
    const std::lock_guard lock(mutex_);
    std::string out;
    for (const State& state : rules_)
        out += fmt::format("{}  # matched {}, fired {}\n", state.rule.text, state.matched, state.fired);
    return out;
}

}  // namespace s3tug::lab
