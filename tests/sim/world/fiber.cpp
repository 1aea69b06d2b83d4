#include "sim/world/fiber.h"

#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define S3TUG_SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define S3TUG_SIM_ASAN 1
#endif
#endif
#ifdef S3TUG_SIM_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace s3tug::simworld {
namespace {

constexpr std::size_t stack_bytes = 512U << 10;
Fiber* running = nullptr;
std::vector<std::unique_ptr<std::byte[]>> free_stacks;  // a stack costs more to map than a process to simulate

std::unique_ptr<std::byte[]> take_stack() {
    if (free_stacks.empty()) return std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
    std::unique_ptr<std::byte[]> stack = std::move(free_stacks.back());
    free_stacks.pop_back();
    return stack;
}

/// The address sanitizer must know which stack is in use; without it these do nothing.
void before_switch([[maybe_unused]] void** fake, [[maybe_unused]] const void* stack,
                   [[maybe_unused]] std::size_t bytes) {
#ifdef S3TUG_SIM_ASAN
    __sanitizer_start_switch_fiber(fake, stack, bytes);
#endif
}

void after_switch([[maybe_unused]] void* fake, [[maybe_unused]] const void** stack,
                  [[maybe_unused]] std::size_t* bytes) {
#ifdef S3TUG_SIM_ASAN
    __sanitizer_finish_switch_fiber(fake, stack, bytes);
#endif
}

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), stack_(take_stack()) {
    getcontext(&inside_);
    inside_.uc_stack.ss_sp = stack_.get();
    inside_.uc_stack.ss_size = stack_bytes;
    inside_.uc_link = nullptr;
    makecontext(&inside_, &Fiber::enter, 0);
}

Fiber::~Fiber() { free_stacks.push_back(std::move(stack_)); }

void Fiber::enter() { running->run(); }

void Fiber::run() {
    after_switch(nullptr, &outer_stack_, &outer_bytes_);
    body_();
    ended_ = true;
    before_switch(nullptr, outer_stack_, outer_bytes_);
    swapcontext(&inside_, &outside_);
}

void Fiber::resume() {
    Fiber* const before = std::exchange(running, this);
    void* fake = nullptr;
    before_switch(&fake, stack_.get(), stack_bytes);
    swapcontext(&outside_, &inside_);
    after_switch(fake, nullptr, nullptr);
    running = before;
}

void Fiber::yield() {
    Fiber* const self = running;
    void* fake = nullptr;
    before_switch(&fake, self->outer_stack_, self->outer_bytes_);
    swapcontext(&self->inside_, &self->outside_);
    after_switch(fake, &self->outer_stack_, &self->outer_bytes_);
}

}  // namespace s3tug::simworld
