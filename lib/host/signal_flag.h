#pragma once

#include <atomic>
#include <csignal>

#include "base/limits.h"
#include "base/time.h"

namespace s3tug::host {

/// What a wait needs to know of SIGINT, SIGTERM and SIGHUP. The default is "never stopped".
struct StopSignal {
    const std::atomic<int>* number = nullptr;  ///< 0 until the first signal
    int wake_fd = -1;                          ///< readable from the first signal on; nobody may read it

    [[nodiscard]] bool raised() const { return number != nullptr && number->load(std::memory_order_relaxed) != 0; }
};

/// Takes SIGINT, SIGTERM and SIGHUP over while it lives: the first one is kept here and wakes every wait, so that
/// transfers can be ended in order; a second one says so on standard error and kills at once. Signals that were ignored
/// at the start stay ignored, as those of a background job of a shell and of nohup(1) are. SIGPIPE and SIGXFSZ are
/// ignored and stay so, so that a reader that has gone is EPIPE and a file beyond `ulimit -f` is EFBIG. One at a time
/// (std::logic_error).
class SignalFlag {
  public:
    /// @param patience  what comes so soon after the first signal is the same one: timeout(1) signals the process and
    ///                  then its group, which holds the process
    explicit SignalFlag(Duration patience = limits::second_signal_patience);
    ~SignalFlag();
    SignalFlag(const SignalFlag&) = delete;
    SignalFlag& operator=(const SignalFlag&) = delete;

    [[nodiscard]] const std::atomic<int>& number() const;
    [[nodiscard]] StopSignal stop() const;

  private:
    struct sigaction before_interrupt_ {};
    struct sigaction before_terminate_ {};
    struct sigaction before_hangup_ {};
};

/// Ends the process by that signal, so that the caller's shell sees it and stops its loop (design section 2).
[[noreturn]] void die_by(int signal);

}  // namespace s3tug::host
