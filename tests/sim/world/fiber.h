#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <ucontext.h>

namespace s3tug::simworld {

/// A function that can be left in its middle and gone on with: each simulated process runs the engine's own loop in
/// one. All of them share one thread; a fiber gives way only in yield().
class Fiber {
  public:
    explicit Fiber(std::function<void()> body);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    void resume();        ///< from outside: runs it until it yields or ends
    static void yield();  ///< from inside
    [[nodiscard]] bool ended() const { return ended_; }

  private:
    static void enter();
    void run();

    std::function<void()> body_;
    std::unique_ptr<std::byte[]> stack_;
    ucontext_t inside_{};
    ucontext_t outside_{};
    bool ended_ = false;
    const void* outer_stack_ = nullptr;  ///< for the address sanitizer
    std::size_t outer_bytes_ = 0;
};

}  // namespace s3tug::simworld
