#pragma once

#include <algorithm>
#include <cstdint>

namespace s3tug::engine {

/// The bytes of bodies that all items of a run hold in memory at once, counted when they are promised, not when they
/// come. Whoever holds nothing may always take what it cannot do without (take()), so that the run goes on; all else is
/// asked for (may_take()). Not thread-safe.
class BufferBudget {
  public:
    explicit BufferBudget(uint64_t limit) : limit_(limit) {}

    [[nodiscard]] bool may_take(uint64_t bytes) const { return held_ <= limit_ && bytes <= limit_ - held_; }
    void take(uint64_t bytes) {
        held_ += bytes;
        peak_ = std::max(peak_, held_);
    }
    void give_back(uint64_t bytes) { held_ -= std::min(bytes, held_); }

    [[nodiscard]] uint64_t limit() const { return limit_; }
    [[nodiscard]] uint64_t held() const { return held_; }
    [[nodiscard]] uint64_t peak() const { return peak_; }

  private:
    uint64_t limit_;
    uint64_t held_ = 0;
    uint64_t peak_ = 0;
};

}  // namespace s3tug::engine
