#include "host/signal_flag.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace s3tug::host {

namespace {

// A handler can reach nothing but globals. Only async-signal-safe calls below.
std::atomic<int> first_signal = 0;
std::atomic<int64_t> first_at_ns = 0;
std::atomic<int64_t> patience_ns = 0;
std::atomic<int> wake_fd = -1;
std::atomic<bool> installed = false;
std::atomic<bool> on_terminal = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free);

int64_t monotonic_ns() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

void deadly(int signal) {
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    sigaction(signal, &plain, nullptr);
    sigset_t only{};
    sigemptyset(&only);
    sigaddset(&only, signal);
    raise(signal);
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

/// On a terminal the echo of the key, or a progress line, stands before it.
void tell_second() {
    constexpr std::string_view line = "\ns3tug: a second signal, ended at once; run again to finish\n";
    const std::string_view text = on_terminal ? line : line.substr(1);
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

void on_signal(int signal) {
    const int saved = errno;
    int none = 0;
    const int64_t now = monotonic_ns();
    if (first_signal.compare_exchange_strong(none, signal)) {
        first_at_ns = now;
        const uint64_t one = 1;
        // Nothing can be done about a failure, and there is none: the counter does not overflow.
        static_cast<void>(!::write(wake_fd, &one, sizeof one));
    } else if (now - first_at_ns >= patience_ns) {
        tell_second();
        deadly(signal);
    }
    errno = saved;
}

void take_over(int signal, struct sigaction& before) {
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) return;
    struct sigaction ours {};
    ours.sa_handler = on_signal;
    // Not SA_RESTART: a wait in a system call without the wake descriptor ends with EINTR.
    sigemptyset(&ours.sa_mask);
    sigaddset(&ours.sa_mask, SIGINT);
    sigaddset(&ours.sa_mask, SIGTERM);
    sigaddset(&ours.sa_mask, SIGHUP);
    sigaction(signal, &ours, nullptr);
}

}  // namespace

SignalFlag::SignalFlag(Duration patience) {
    if (installed.exchange(true)) throw std::logic_error("two signal flags at once");
    first_signal = 0;
    patience_ns = patience.count();
    on_terminal = isatty(STDERR_FILENO) == 1;
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    take_over(SIGINT, before_interrupt_);
    take_over(SIGTERM, before_terminate_);
    take_over(SIGHUP, before_hangup_);
}

SignalFlag::~SignalFlag() {
    sigaction(SIGINT, &before_interrupt_, nullptr);
    sigaction(SIGTERM, &before_terminate_, nullptr);
    sigaction(SIGHUP, &before_hangup_, nullptr);
    ::close(wake_fd.exchange(-1));
    installed = false;
}

const std::atomic<int>& SignalFlag::number() const { return first_signal; }

StopSignal SignalFlag::stop() const { return {.number = &first_signal, .wake_fd = wake_fd}; }

void die_by(int signal) {
    deadly(signal);
    // Not reached unless the signal's default is not to kill.
    _exit(128 + signal);
}

}  // namespace s3tug::host
