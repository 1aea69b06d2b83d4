#include "policy/pace.h"

#include <algorithm>

#include "base/record.h"

namespace s3tug::policy {

Pace::Pace(const PaceConfig& config, Instant)
    : config_(config),
      limit_(std::max(1U, config.concurrency_start)),
      reached_(limit_),
      climb_(config.climb),
      throttles_(config.remembered) {}

unsigned Pace::concurrency() const { return limit_; }

Instant Pace::next_send(Instant now) const { return last_sent_ ? std::max(now, *last_sent_ + interval_) : now; }

void Pace::sent(Instant now) { last_sent_ = now; }

bool Pace::settling(Instant now) const {
    return last_cut_ && now < *last_cut_ + std::max(config_.settling, 2 * interval_);
}

void Pace::ease(Instant now) {
    if (config_.pinned || (last_eased_ && now < *last_eased_ + config_.settling)) return;
    last_eased_ = now;
    const unsigned less = limit_ * throttles_.hits() / (2 * throttles_.answers());
    if (less == 0) return;
    limit_ -= less;
    climb_.forget();
}

void Pace::on_throttle(Instant now) {
    throttles_.add(true);
    if (settling(now)) return;
    if (!throttles_.half()) return ease(now);
    if (!config_.pinned) limit_ = std::max(1U, limit_ / 2);
    interval_ = std::min(std::max(config_.interval_first, 2 * interval_), config_.interval_max);
    successes_ = 0;
    last_cut_ = now;
    climb_.forget();
}

void Pace::on_recovery() {
    interval_ /= config_.recovery_divisor;
    last_cut_.reset();
}

void Pace::on_success(Instant now, uint64_t bytes, bool full) {
    throttles_.add(false);
    if (settling(now)) return;
    const bool back = limit_ >= reached_ && interval_ == Duration::zero();
    if (back) {
        if (!config_.pinned) limit_ = climb_.on_success(limit_, config_.concurrency_max, bytes, full, now);
        reached_ = std::max(limit_, config_.concurrency_start);
        return;
    }
    if (++successes_ < limit_) return;
    successes_ = 0;
    if (!config_.pinned && limit_ < std::min(reached_, config_.concurrency_max)) ++limit_;
    interval_ /= 2;
    if (interval_ < config_.interval_first / 4) interval_ = Duration::zero();
}

bool Pace::healthy() const {
    return interval_ == Duration::zero() && (config_.pinned || limit_ >= config_.concurrency_start);
}

std::string Pace::record(WallTime wall) const {
    if (healthy()) return {};
    RecordWriter out;
    out.number("at_unix_ms", to_ms(wall.time_since_epoch()));
    out.number("concurrency", limit_);
    out.number("interval_us", std::chrono::duration_cast<microseconds>(interval_).count());
    return std::move(out).take();
}

void Pace::adopt(std::string_view record, WallTime wall, Instant) {
    const auto fields = RecordReader::parse(record);
    if (!fields) return;
    const auto at_ms = fields->number("at_unix_ms");
    const auto learned_limit = fields->number("concurrency");
    const auto interval_us = fields->number("interval_us");
    if (!at_ms || !learned_limit || !interval_us) return;
    if (*at_ms < 0 || *learned_limit < 1 || *interval_us < 0) return;

    const int64_t age_ms = to_ms(wall.time_since_epoch()) - *at_ms;
    if (age_ms < 0 || age_ms > to_ms(config_.memory)) return;

    const int64_t interval_max_us = std::chrono::duration_cast<microseconds>(config_.interval_max).count();
    interval_ = microseconds(std::min(*interval_us, interval_max_us));
    if (!config_.pinned) limit_ = static_cast<unsigned>(std::min<int64_t>(*learned_limit, config_.concurrency_max));
}

}  // namespace s3tug::policy
