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
int write_text(int fd, std::string_view rest) {
    while (!rest.empty()) {
        const ssize_t written = ::write(fd, rest.data(), rest.size());
        if (written < 0 && (errno == EINTR || (errno == EAGAIN && wait_writable(fd)))) continue;
        if (written < 0) return errno;
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

int write_line(int fd, std::string_view line) {
    std::string text(line);
    text.push_back('\n');
    return write_text(fd, text);
}

constexpr std::string_view erase_line = "\r\x1b[K";

}  // namespace

void StandardOutput::data(std::string_view line) {
    if (data_error_ != 0) return;
    hide();
    data_error_ = write_line(STDOUT_FILENO, line);
    redraw();
}

void StandardOutput::talk(std::string_view line) {
    hide();
    write_line(STDERR_FILENO, line);
    redraw();
}

void StandardOutput::live(std::string_view line, std::size_t width) {
    if (line.empty() && live_.empty()) return;
    const std::size_t rows_above = live_.empty() || width == 0 ? 0 : (live_.size() - 1) / width;
    std::string text(erase_line);
    if (rows_above > 0) text = "\r\x1b[" + std::to_string(rows_above) + "A\x1b[J";
    live_ = line;
    write_text(STDERR_FILENO, text + live_);
}

void StandardOutput::hide() {
    if (!live_.empty()) write_text(STDERR_FILENO, erase_line);
}

void StandardOutput::redraw() {
    if (!live_.empty()) write_text(STDERR_FILENO, live_);
}

bool StandardOutput::data_is_shown() const { return ::isatty(STDOUT_FILENO) == 1; }

}  // namespace s3tug::cmd
