#include "engine/flight_limit.h"

#include <algorithm>

#include "base/limits.h"

namespace s3tug::engine {

namespace {
constexpr double worth_it = 1.2;
}

FlightLimit::FlightLimit(unsigned least, unsigned most)
    : limit_(std::max(1U, std::min(least, most))), most_(most), searching_(limit_ < most) {}

unsigned first_parts_in_flight(const policy::PaceConfig& pace) {
    return pace.pinned ? pace.concurrency_max : limits::parts_in_flight_first;
}

void FlightLimit::part_done(uint64_t bytes, Instant now) {
    if (!searching_) return;
    ++seen_;
    if (seen_ <= limit_) {
        since_ = now;
        return;
    }
    bytes_ += bytes;
    if (seen_ < 2 * limit_) return;
    const double elapsed = std::chrono::duration<double>(now - since_).count();
    level_ended(elapsed > 0 ? static_cast<double>(bytes_) / elapsed : 0);
}

void FlightLimit::level_ended(double bytes_per_second) {
    seen_ = 0;
    bytes_ = 0;
    if (before_ && bytes_per_second < *before_ * worth_it) {
        limit_ = limit_before_;
        searching_ = false;
        return;
    }
    before_ = bytes_per_second;
    limit_before_ = limit_;
    searching_ = limit_ < most_;
    limit_ = std::min(limit_ * 2, most_);
}

}  // namespace s3tug::engine
