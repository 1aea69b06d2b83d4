#include "host/posix_io.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/limits.h"
#include "host/posix_error.h"

namespace s3tug::host {

Result<std::size_t> read_fully_at(int fd, uint64_t offset, MutableByteSpan out, const std::string& what) {
    std::size_t done = 0;
    while (done < out.size()) {
        const ssize_t n = ::pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
        if (n == 0) break;
        if (n > 0) {
            done += static_cast<std::size_t>(n);
        } else if (errno != EINTR) {
            return read_failure(what, errno);
        }
    }
    return done;
}

Status write_fully_at(int fd, uint64_t offset, ByteSpan bytes, const std::string& what) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = ::pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
        if (n > 0) {
            done += static_cast<std::size_t>(n);
        } else if (n == 0 || errno != EINTR) {
            return write_failure(what, n == 0 ? ENOSPC : errno);
        }
    }
    return {};
}

Ready wait_ready(int fd, short events, std::optional<Instant> until, port::Clock& clock, const StopSignal& stop) {
    const bool no_wait = until == Instant::min();
    for (;;) {  // ends by `until` or the signal
        if (stop.raised()) return Ready::interrupted;
        Duration wait = no_wait ? Duration::zero() : limits::poll_wait_max;
        if (until && !no_wait) {
            const Instant now = clock.now();
            if (now >= *until) return Ready::deadline;
            wait = std::min(wait, *until - now);
        }
        pollfd entries[] = {{.fd = fd, .events = events, .revents = 0},
                            {.fd = stop.wake_fd, .events = POLLIN, .revents = 0}};
        const int n = ::poll(entries, 2, static_cast<int>(std::chrono::ceil<milliseconds>(wait).count()));
        if (entries[0].revents != 0 || (n < 0 && errno != EINTR)) return Ready::yes;
        if (no_wait && n == 0) return Ready::deadline;
    }
}

Stream::Stream(UniqueFd fd, std::string name, bool awaits_writer, port::Clock& clock, const StopSignal& stop)
    : fd_(std::move(fd)), name_(std::move(name)), awaits_writer_(awaits_writer), clock_(clock), stop_(stop) {
    struct stat status {};
    if (fstat(fd_.get(), &status) != 0) return;
    if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode) || S_ISDIR(status.st_mode)) {
        kind_ = Kind::file;
    } else if (S_ISSOCK(status.st_mode)) {
        kind_ = Kind::socket;
    } else if ((fcntl(fd_.get(), F_GETFL) & O_NONBLOCK) != 0) {
        kind_ = Kind::nonblocking;
    } else if (S_ISFIFO(status.st_mode) || isatty(fd_.get()) == 1) {
        make_private();
    }
}

/// Another open description of the same pipe or terminal, which can be non-blocking without anybody else noticing.
/// Fails without /proc, and for a pipe that was made by another user.
void Stream::make_private() {
    const std::string path = fmt::format("/proc/self/fd/{}", fd_.get());
    const int mode = fcntl(fd_.get(), F_GETFL) & O_ACCMODE;
    UniqueFd own(::open(path.c_str(), mode | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    if (!own.valid()) return;
    fd_ = std::move(own);
    kind_ = Kind::nonblocking;
}

Status Stream::wait(short events, std::optional<Instant> until) {
    switch (wait_ready(fd_.get(), events, until, clock_, stop_)) {
        case Ready::yes: return {};
        case Ready::interrupted:
            return Error{ErrorKind::interrupted, fmt::format("interrupted while waiting for {}", name_)};
        case Ready::deadline: break;
    }
    return Error{ErrorKind::deadline, fmt::format("the deadline came while waiting for {}", name_)};
}

ssize_t Stream::read_once(MutableByteSpan out) {
    if (kind_ == Kind::socket) return ::recv(fd_.get(), out.data(), out.size(), MSG_DONTWAIT);
    return ::read(fd_.get(), out.data(), out.size());
}

ssize_t Stream::write_once(ByteSpan bytes) {
    if (kind_ == Kind::socket) return ::send(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    // poll(2) promises room for PIPE_BUF bytes; a blocking write of more could wait without bound.
    const std::size_t most = kind_ == Kind::shared ? std::size_t{PIPE_BUF} : bytes.size();
    return ::write(fd_.get(), bytes.data(), std::min(bytes.size(), most));
}

Result<std::size_t> Stream::read(MutableByteSpan out, std::optional<Instant> until) {
    bool wait_first = true;  // also where reading never blocks: signals and the deadline are heard here
    for (;;) {               // each round waits for the producer, and that wait has its bound
        if (wait_first) {
            if (Status ready = wait(POLLIN, until); !ready.ok()) return std::move(ready).error();
        }
        awaits_writer_ = false;
        const ssize_t n = read_once(out);
        if (n >= 0) return static_cast<std::size_t>(n);
        if (errno != EAGAIN && errno != EINTR) return read_failure(name_, errno);
        wait_first = true;
    }
}

Status Stream::close() {
    if (::close(fd_.release()) == 0 || errno == EINTR) return {};
    return write_failure(name_, errno);
}

Status Stream::write(ByteSpan bytes, std::optional<Instant> until) {
    bool wait_first = kind_ == Kind::shared;
    while (!bytes.empty()) {
        if (wait_first) {
            if (Status ready = wait(POLLOUT, until); !ready.ok()) return ready;
        }
        const ssize_t n = write_once(bytes);
        if (n >= 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(n));
        } else if (errno != EAGAIN && errno != EINTR) {
            return write_failure(name_, errno);
        }
        wait_first = kind_ != Kind::file;
    }
    return {};
}

}  // namespace s3tug::host
