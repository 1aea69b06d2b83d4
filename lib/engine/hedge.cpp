#include "engine/hedge.h"

#include <algorithm>

namespace s3tug::engine {

void Hedge::done(Duration took) {
    if (took_.size() < limits::hedge_samples_max) return took_.push_back(took);
    took_[next_] = took;
    next_ = (next_ + 1) % took_.size();
}

bool Hedge::is_slow(Duration ran) const {
    if (took_.size() < limits::hedge_samples_min || ran < limits::hedge_least) return false;
    std::vector<Duration> sorted = took_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return ran >= limits::hedge_times * *middle;
}

void Hedge::begin(std::size_t part) {
    part_ = part;
    tried_.insert(part);
}

}  // namespace s3tug::engine
