#include "host/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/unique_fd.h"

namespace s3tug::host {

namespace {

Error cannot_read(const std::string& path, std::string_view why) {
    return {ErrorKind::cannot_read, fmt::format("cannot read {}: {}", path, why)};
}

}  // namespace

Result<std::optional<std::string>> read_small_file(const std::string& path, std::size_t limit) {
    // Not blocking: the name may be a pipe without a writer.
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file.valid()) {
        if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
        return cannot_read(path, std::strerror(errno));
    }
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0) return cannot_read(path, std::strerror(errno));
    if (S_ISDIR(facts.st_mode)) return cannot_read(path, "it is a folder");
    if (!S_ISREG(facts.st_mode) && !S_ISCHR(facts.st_mode)) return cannot_read(path, "it is not a regular file");

    // /proc tells 0 as the size of what has bytes, so the size is only a hint.
    std::string content(std::min(limit, static_cast<std::size_t>(facts.st_size) + 4096) + 1, '\0');
    std::size_t filled = 0;
    for (;;) {
        const ssize_t got = ::read(file.get(), content.data() + filled, content.size() - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cannot_read(path, std::strerror(errno));
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
        if (filled > limit) return cannot_read(path, fmt::format("it is larger than {} bytes", limit));
        if (filled == content.size()) content.resize(std::min(limit + 1, content.size() * 2));
    }
    content.resize(filled);
    return std::optional<std::string>(std::move(content));
}

}  // namespace s3tug::host
