#include "engine/traffic.h"

#include <algorithm>

namespace s3tug::engine {

Item* Traffic::next(Instant now) {
    if (line_.empty() || flights_.size() >= pace_.concurrency() || pace_.next_send(now) > now) return nullptr;
    Item* const item = line_.front();
    line_.pop_front();
    return item;
}

std::optional<Instant> Traffic::opens_at(Instant now) const {
    if (line_.empty() || flights_.size() >= pace_.concurrency()) return std::nullopt;
    return pace_.next_send(now);
}

Item* Traffic::owner(port::AttemptId id) const {
    const auto found = flights_.find(id);
    return found == flights_.end() ? nullptr : found->second;
}

}  // namespace s3tug::engine
