#include "host/state_lock.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

namespace s3tug::host {

namespace {

constexpr Duration sleep_step = milliseconds(1);
constexpr int sleep_steps_max = 20;

Duration monotonic() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return seconds(time.tv_sec) + Duration(time.tv_nsec);
}

}  // namespace

void LockPatience::begin(Duration at_most) { end_ = saturating_add(monotonic(), at_most); }

bool LockPatience::wait(int tries_so_far) {
    const Duration left = end_ - monotonic();
    if (left <= Duration::zero()) return false;
    if (tries_so_far == 0) return true;
    const Duration typical = sleep_step * std::min(tries_so_far, sleep_steps_max);
    const Duration jitter(static_cast<Duration::rep>(rng_.up_to(static_cast<uint64_t>(typical.count()))));
    const Duration pause = std::min(left, typical / 2 + jitter);
    const timespec time{0, static_cast<long>(pause.count())};
    nanosleep(&time, nullptr);
    return true;
}

void begin_fresh_time_slice() { sched_yield(); }

StateFileLock::Outcome StateFileLock::acquire(const std::string& path, Mode mode, LockPatience& patience) {
    file_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file_.valid()) return Outcome::impossible;
    const int operation = (mode == Mode::shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
    for (int tries = 0; ::flock(file_.get(), operation) != 0; ++tries) {
        if (errno != EWOULDBLOCK && errno != EINTR) return Outcome::impossible;
        if (!patience.wait(tries)) {
            file_.reset();
            return Outcome::timed_out;
        }
    }
    return Outcome::held;
}

}  // namespace s3tug::host
