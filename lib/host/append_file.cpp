#include "host/append_file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/bytes.h"
#include "base/limits.h"

namespace s3tug::host {
namespace {

Error failure(std::string_view path, int error) {
    return {ErrorKind::cannot_write, printable(path) + ": " + std::generic_category().message(error)};
}

}  // namespace

AppendFile::AppendFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

Result<AppendFile> AppendFile::open(const std::string& path, Content content) {
    const int emptied = content == Content::emptied ? O_TRUNC : 0;
    UniqueFd fd(
        ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | emptied, 0600));
    if (!fd.valid()) return failure(path, errno);
    return AppendFile(std::move(fd), path);
}

Status AppendFile::write_line(std::string_view line) {
    buffer_.assign(line);
    buffer_.push_back('\n');
    ssize_t written = -1;
    do { written = ::write(fd_.get(), buffer_.data(), buffer_.size()); } while (written < 0 && errno == EINTR);
    if (written >= 0 || errno == EAGAIN) return {};
    return failure(path_, errno);
}

Status AppendFile::write_all(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd_.get(), text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
            continue;
        }
        const int error = errno;
        pollfd wanted{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
        if (error == EINTR) continue;
        if (error == EAGAIN && ::poll(&wanted, 1, static_cast<int>(to_ms(limits::output_wait))) > 0) continue;
        return failure(path_, error);
    }
    return {};
}

}  // namespace s3tug::host
