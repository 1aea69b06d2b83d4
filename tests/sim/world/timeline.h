#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "base/time.h"

namespace s3tug::simworld {

/// Virtual time and what is to happen in it, apart from the processes. Events of one moment come in the order in which
/// they were made.
class Timeline {
  public:
    [[nodiscard]] Instant now() const { return Instant(hours(1)) + passed_; }
    [[nodiscard]] WallTime wall() const { return wall_from_unix_seconds(1'796'000'000) + passed_; }

    void in(Duration wait, std::function<void()> act) {
        events_.emplace(std::pair(now() + wait, ++made_), std::move(act));
    }
    [[nodiscard]] bool empty() const { return events_.empty(); }
    [[nodiscard]] Instant next() const { return events_.empty() ? Instant::max() : events_.begin()->first.first; }
    void pass_until(Instant then) {
        if (then > now()) passed_ += then - now();
    }
    void run_next() {
        auto node = events_.extract(events_.begin());
        pass_until(node.key().first);
        node.mapped()();
    }

  private:
    Duration passed_{};
    uint64_t made_ = 0;
    std::map<std::pair<Instant, uint64_t>, std::function<void()>> events_;
};

/// FNV-1a over all that happened in a run: the same seed gives the same value on every compiler.
class TraceHash {
  public:
    void add(std::string_view text) {
        for (const char c : text) mix(static_cast<unsigned char>(c));
        mix(0xFF);
    }
    void add(uint64_t number) {
        for (int i = 0; i < 8; ++i) mix(static_cast<unsigned char>(number >> (8 * i)));
    }
    void add(Instant t) { add(static_cast<uint64_t>(t.time_since_epoch().count())); }
    [[nodiscard]] uint64_t value() const { return value_; }

  private:
    void mix(unsigned char byte) { value_ = (value_ ^ byte) * 1099511628211ULL; }
    uint64_t value_ = 14695981039346656037ULL;
};

/// For runs that are to differ with a text, such as the id of a commit: far from the seeds that people type.
[[nodiscard]] inline uint64_t seed_of(std::string_view text) {
    TraceHash hash;
    hash.add(text);
    return hash.value() >> 16;
}

}  // namespace s3tug::simworld
