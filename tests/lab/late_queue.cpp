#include "lab/late_queue.h"

namespace s3tug::lab {

using Clock = std::chrono::steady_clock;

LateQueue::LateQueue() : thread_([this] { run(); }) {}

LateQueue::~LateQueue() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void LateQueue::add(std::chrono::milliseconds delay, std::function<void()> effect) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= limit) delay = std::chrono::milliseconds::zero();
    waiting_.emplace(Clock::now() + delay, std::move(effect));
    wake_.notify_all();
}

void LateQueue::flush() {
    const std::lock_guard run_lock(running_);
    std::multimap<Clock::time_point, std::function<void()>> due;
    {
        const std::lock_guard lock(mutex_);
        due.swap(waiting_);
    }
    for (const auto& [when, effect] : due) effect();
}

void LateQueue::clear() {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
}

void LateQueue::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        if (waiting_.empty()) {
            wake_.wait(lock);
        } else if (const auto due = waiting_.begin()->first; due > Clock::now()) {
            wake_.wait_until(lock, due);
        } else {
            lock.unlock();
            {
                const std::lock_guard run_lock(running_);
                std::function<void()> effect;
                {
                    const std::lock_guard relock(mutex_);
                    if (!waiting_.empty() && waiting_.begin()->first <= Clock::now())
                        effect = std::move(waiting_.extract(waiting_.begin()).mapped());
                }
                if (effect) effect();
            }
            lock.lock();
        }
    }
}

}  // namespace s3tug::lab
