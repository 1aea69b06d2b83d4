#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "base/limits.h"
#include "base/time.h"

namespace s3tug::engine {

/// When is the slowest of several alike requests of one item worth a second one? At the end, when nothing else is left
/// to send, and its attempt has run limits::hedge_times longer than the median of those that are done, and not less
/// than limits::hedge_least. Each part once, one at a time, and only where a repeat is harmless: ranges of a pinned
/// object, and parts of an upload, whose bytes are the same. Pure.
class Hedge {
  public:
    void done(Duration took);
    /// @param ran  how long the attempt has been in flight
    [[nodiscard]] bool is_slow(Duration ran) const;

    [[nodiscard]] bool may_begin(std::size_t part) const { return !part_ && !tried_.contains(part); }
    void begin(std::size_t part);
    void end() { part_.reset(); }
    [[nodiscard]] std::optional<std::size_t> part() const { return part_; }  ///< that has a second request under way

  private:
    std::vector<Duration> took_;  ///< the latest, at most limits::hedge_samples_max
    std::size_t next_ = 0;
    std::set<std::size_t> tried_;  ///< few: only those that were in flight at the end
    std::optional<std::size_t> part_;
};

}  // namespace s3tug::engine
