#include "policy/climb.h"

#include <algorithm>
#include <utility>

namespace s3tug::policy {
namespace {

constexpr uint64_t work_of_request = 16U << 10;  ///< what a request without a body is worth, in bytes

}  // namespace

void Climb::forget() {
    good_rate_.reset();
    fresh_ = true;
}

void Climb::begin_window() {
    began_.reset();
    successes_ = 0;
    full_ = 0;
    work_ = 0;
}

unsigned Climb::on_success(unsigned limit, unsigned most, uint64_t bytes, bool full, Instant now) {
    if (paused_until_ && now < *paused_until_) return limit;
    if (std::exchange(fresh_, false)) {
        settling_ = limit;
        begin_window();
    }
    if (settling_ > 0) {
        --settling_;
        return limit;
    }
    if (!began_) {
        began_ = now;
        return limit;
    }
    ++successes_;
    full_ += full ? 1 : 0;
    work_ += bytes + work_of_request;
    const Duration lasted = now - *began_;
    if (lasted < config_.window || successes_ < 2 * limit) return limit;
    const bool says_something = full_ >= successes_ - successes_ / 4;
    const double rate = static_cast<double>(work_) / static_cast<double>(lasted.count());
    begin_window();
    if (!says_something) return limit;
    return judge(limit, most, rate, now);
}

unsigned Climb::judge(unsigned limit, unsigned most, double rate, Instant now) {
    const bool stepped = good_rate_ && limit > good_limit_;
    if (stepped && rate < *good_rate_ * (1.0 + config_.gain_percent / 100.0)) {
        const unsigned back = good_limit_;
        forget();
        paused_until_ = now + config_.pause;
        return back;
    }
    good_rate_ = rate;
    good_limit_ = limit;
    if (limit >= most) {
        forget();
        paused_until_ = now + config_.pause;
        return limit;
    }
    fresh_ = true;
    return std::min(most, limit + std::max(1U, limit * config_.step_percent / 100));
}

}  // namespace s3tug::policy
