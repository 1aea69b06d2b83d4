#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/time.h"

namespace s3tug::sim {

/// Virtual time: it moves only from one event to the next. Events of one moment run in the order in which they were
/// made, so that a run depends on nothing but its seed.
class EventQueue {
  public:
    [[nodiscard]] Instant now() const { return now_; }
    [[nodiscard]] WallTime wall() const { return wall_from_unix_seconds(1'796'000'000) + (now_ - begin); }
    [[nodiscard]] Duration passed() const { return now_ - begin; }

    void at(Instant when, std::function<void()> what) {
        events_.push({std::max(when, now_), next_number_++, std::move(what)});
    }
    void after(Duration wait, std::function<void()> what) { at(now_ + wait, std::move(what)); }

    /// Runs events until there are none. False when there are more than `most`: something goes round in circles.
    [[nodiscard]] bool run(uint64_t most) {
        while (!events_.empty()) {
            if (most-- == 0) return false;
            const Event event = events_.top();
            events_.pop();
            now_ = event.when;
            event.what();
        }
        return true;
    }

  private:
    static constexpr Instant begin{hours(1)};
    struct Event {
        Instant when;
        uint64_t number;
        std::function<void()> what;
        bool operator<(const Event& other) const {
            return when != other.when ? when > other.when : number > other.number;
        }
    };
    std::priority_queue<Event> events_;
    Instant now_ = begin;
    uint64_t next_number_ = 0;
};

}  // namespace s3tug::sim
