#include "cmd/progress.h"

#include <algorithm>

namespace s3tug::cmd {

void RateMeter::add(Instant now, uint64_t bytes) {
    // An attempt that failed takes its bytes back: the older samples must not stand above the new one.
    for (auto& [at, seen] : samples_) seen = std::min(seen, bytes);
    samples_.emplace_back(now, bytes);
    while (samples_.size() > 2 &&
           (now - samples_[1].first >= limits::rate_window || samples_.size() > limits::rate_samples_max))
        samples_.pop_front();
}

std::optional<uint64_t> RateMeter::rate() const {
    if (samples_.size() < 2) return std::nullopt;
    const int64_t ms = to_ms(samples_.back().first - samples_.front().first);
    if (ms < 500) return std::nullopt;
    const uint64_t bytes = samples_.back().second - samples_.front().second;
    return static_cast<uint64_t>(static_cast<double>(bytes) * 1000.0 / static_cast<double>(ms));
}

ProgressStyle progress_style(ProgressMode mode, bool quiet, const ProgressPlace& place) {
    const bool can_draw = place.terminal && !place.dumb;
    switch (mode) {
        case ProgressMode::none: return ProgressStyle::none;
        case ProgressMode::log: return ProgressStyle::log;
        case ProgressMode::bar: return can_draw ? ProgressStyle::bar : ProgressStyle::log;
        case ProgressMode::automatic: break;
    }
    const bool wanted = can_draw && !quiet && !place.ci && !place.shared_with_data;
    return wanted ? ProgressStyle::bar : ProgressStyle::none;
}

ProgressFacts facts_of(const engine::RunCounters& counters, const Tally& tally, std::optional<uint64_t> rate,
                       Duration elapsed) {
    ProgressFacts facts;
    facts.items_ended = tally.items();
    facts.failed = tally.failed();
    if (counters.items_left) facts.items_total = tally.items() + counters.items_open + *counters.items_left;
    facts.bytes = tally.bytes() + counters.bytes_moved;
    // The sum of all bytes is known when everything has begun.
    if (counters.items_left == 0U && counters.bytes_open) facts.bytes_total = tally.bytes() + *counters.bytes_open;
    facts.retries = counters.retries;
    facts.rate = rate;
    facts.elapsed = elapsed;
    if (counters.in_flight == 0 && counters.waiting_until) {
        facts.waiting = *counters.waiting_until - counters.now;
        facts.waiting_for = counters.waiting_for;
    }
    return facts;
}

void Progress::show(const engine::RunCounters& counters, const Tally& tally) {
    meter_.add(counters.now, tally.bytes() + counters.bytes_moved);
    const ProgressFacts facts = facts_of(counters, tally, meter_.rate(), counters.now - began_);
    if (style_ == ProgressStyle::bar) {
        shown_ = true;
        // The last column stays free: some terminals wrap when it is written.
        const std::size_t width = std::max<std::size_t>(width_(), 2);
        return output_.live(progress_bar(facts, width - 1), width);
    }
    const Instant last = last_log_.value_or(began_);
    if (counters.now - last < limits::progress_log_every) return;
    last_log_ = counters.now;
    output_.talk(progress_log(facts));
}

void Progress::end() {
    if (shown_) output_.live({}, width_());
}

}  // namespace s3tug::cmd
