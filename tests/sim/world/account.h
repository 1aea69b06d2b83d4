#pragma once

#include <cstddef>

namespace s3tug::simworld {

/// Bytes that the engine of one simulated process holds: all that comes from operator new while it is at work. What the
/// world allocates on its behalf (lib/host would) is the world's. Nothing is counted under a sanitizer, which has an
/// operator new of its own. Lives for ever, since what was counted may be freed at any time.
class Account {
  public:
    /// One that nobody else uses; give it back with the process.
    [[nodiscard]] static Account& open();
    static void close(Account& account);
    [[nodiscard]] static bool counts();  ///< else all numbers are 0

    [[nodiscard]] std::size_t held() const { return held_; }
    [[nodiscard]] std::size_t take_peak();  ///< the most since the last call

    void add(std::size_t bytes) {
        held_ += bytes;
        if (held_ > peak_) peak_ = held_;
    }
    void subtract(std::size_t bytes) { held_ -= bytes; }

  private:
    std::size_t held_ = 0;
    std::size_t peak_ = 0;
    Account* next_free_ = nullptr;
};

/// While it stands, what is allocated counts for `account`; null: for nobody. A fiber yields only with null.
class Allocating {
  public:
    explicit Allocating(Account* account);
    ~Allocating();
    Allocating(const Allocating&) = delete;
    Allocating& operator=(const Allocating&) = delete;

  private:
    Account* before_;
};

}  // namespace s3tug::simworld
