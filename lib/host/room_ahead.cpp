#include "host/room_ahead.h"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <system_error>

#include "base/limits.h"

namespace s3tug::host {

RoomAhead::RoomAhead(int fd, uint64_t size) {
    // Signals are for the thread that can act on them.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        thread_ = std::thread([this, fd, size] { take(fd, size); });
    } catch (const std::system_error&) { thread_ = {}; }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

RoomAhead::~RoomAhead() {
    stop_ = true;
    wait();
}

void RoomAhead::wait() {
    if (thread_.joinable()) thread_.join();
}

void RoomAhead::take(int fd, uint64_t size) {
    for (uint64_t at = 0; at < size && !stop_; at += limits::room_ahead_step_bytes) {
        const uint64_t step = std::min(limits::room_ahead_step_bytes, size - at);
        if (::fallocate(fd, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(at), static_cast<off_t>(step)) != 0) return;
    }
}

}  // namespace s3tug::host
