#include "cmd/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/limits.h"

namespace s3tug::cmd {
namespace {

/// Waits for a descriptor that another process has made non-blocking, with a bound.
bool wait_writable(int fd) {
    pollfd wanted{.fd = fd, .events = POLLOUT, .revents = 0};
    return ::poll(&wanted, 1, static_cast<int>(to_ms(limits::output_wait))) > 0;
}

/// errno of the failure, 0 when all was written.
int write_line(int fd, std::string_view line) {
    std::string text(line);
    text.push_back('\n');
    std::string_view rest = text;
    while (!rest.empty()) {
        const ssize_t written = ::write(fd, rest.data(), rest.size());
        if (written < 0 && (errno == EINTR || (errno == EAGAIN && wait_writable(fd)))) continue;
        if (written < 0) return errno;
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

}  // namespace

void StandardOutput::data(std::string_view line) {
    if (data_error_ == 0) data_error_ = write_line(STDOUT_FILENO, line);
}

bool StandardOutput::data_is_shown() const { return ::isatty(STDOUT_FILENO) == 1; }

void StandardOutput::talk(std::string_view line) { write_line(STDERR_FILENO, line); }

}  // namespace s3tug::cmd
