#include "host/append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/bytes.h"

namespace s3tug::host {
namespace {

Error failure(std::string_view path, int error) {
    return {ErrorKind::cannot_write, printable(path) + ": " + std::generic_category().message(error)};
}

}  // namespace

AppendFile::AppendFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

Result<AppendFile> AppendFile::open(const std::string& path) {
    UniqueFd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600));
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

}  // namespace s3tug::host
