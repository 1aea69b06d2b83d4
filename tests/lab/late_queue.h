#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace s3tug::lab {

/// Effects that take place after their connection is gone. One thread runs them when they are due.
class LateQueue {
  public:
    static constexpr size_t limit = 10'000;  ///< more do not wait: they take place at once

    LateQueue();
    ~LateQueue();
    LateQueue(const LateQueue&) = delete;
    LateQueue& operator=(const LateQueue&) = delete;

    void add(std::chrono::milliseconds delay, std::function<void()> effect);
    /// Runs all that wait, in order of their due times, before it returns.
    void flush();
    /// Forgets what waits.
    void clear();

  private:
    void run();

    std::mutex mutex_;
    std::mutex running_;  ///< held while an effect runs, so that flush waits for it
    std::condition_variable wake_;
    std::multimap<std::chrono::steady_clock::time_point, std::function<void()>> waiting_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace s3tug::lab
