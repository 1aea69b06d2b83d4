#include "host/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace s3tug::host {

std::optional<std::size_t> terminal_width(int fd) {
    if (::isatty(fd) == 0) return std::nullopt;
    winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

}  // namespace s3tug::host
