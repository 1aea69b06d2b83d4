#include "host/posix_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/limits.h"
#include "host/posix_error.h"
#include "host/posix_folder.h"
#include "host/posix_source.h"
#include "host/posix_spool.h"
#include "host/posix_target.h"
#include "host/standard_streams.h"
#include "host/temp_target.h"

namespace s3tug::host {

namespace {

mode_t read_umask() {
    const mode_t mask = ::umask(077);
    ::umask(mask);
    return mask;
}

std::optional<int> descriptor_named(std::string_view path) {
    if (path == "/dev/stdin") return STDIN_FILENO;
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!path.starts_with(folder)) continue;
        const std::string_view digits = path.substr(folder.size());
        int fd = -1;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), fd);
        if (error == std::errc{} && end == digits.data() + digits.size() && fd >= 0) return fd;
    }
    return std::nullopt;
}

/// Where a file would be that is written by this name: links of the last component are followed, dangling ones too.
Result<std::string> resolve_links(const std::string& path) {
    std::string at = path;
    for (unsigned depth = 0; depth < limits::symlinks_max; ++depth) {
        char buffer[PATH_MAX];
        const ssize_t n = ::readlink(at.c_str(), buffer, sizeof buffer);
        if (n < 0) return at;  // not a link, or nothing there
        const std::string_view next(buffer, static_cast<std::size_t>(n));
        if (next.starts_with('/')) {
            at = next;
        } else {
            const std::size_t slash = at.rfind('/');
            at = at.substr(0, slash == std::string::npos ? 0 : slash + 1).append(next);
        }
    }
    return write_failure(path, ELOOP);
}

}  // namespace

PosixFiles::PosixFiles(port::Clock& clock, const StopSignal& stop, Durability durability)
    : clock_(clock), stop_(stop), durability_(durability), umask_(read_umask()) {}

Result<port::FileFacts> PosixFiles::stat(const std::string& path) {
    struct stat status {};
    const auto descriptor = descriptor_named(path);
    if ((descriptor ? ::fstat(*descriptor, &status) : ::stat(path.c_str(), &status)) != 0)
        return read_failure(path, errno);
    port::FileFacts facts = facts_of(status);
    if (descriptor) {
        facts.type = port::FileType::stream;
        facts.size = 0;
    }
    return facts;
}

Result<std::unique_ptr<port::SourceFile>> PosixFiles::open_source(const std::string& path) {
    if (const auto descriptor = descriptor_named(path)) return open_descriptor_source(*descriptor, path);
    // O_NONBLOCK: opening a FIFO must not wait for its writer without a bound. Regular files do not care.
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!fd.valid()) return read_failure(path, errno);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return read_failure(path, errno);
    if (S_ISDIR(status.st_mode)) return cannot_read(path, "it is a folder");
    const port::FileFacts facts = facts_of(status);
    if (facts.type == port::FileType::regular) {
        return std::unique_ptr<port::SourceFile>(std::make_unique<RegularSource>(std::move(fd), path, facts));
    }
    return std::unique_ptr<port::SourceFile>(
        std::make_unique<StreamSource>(Stream(std::move(fd), path, S_ISFIFO(status.st_mode), clock_, stop_), facts));
}

Status PosixFiles::remove(const std::string& path, const port::FileFacts& seen) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        if (errno == ENOENT) return {};
        return write_failure(path, errno);
    }
    if (facts_of(status) != seen)
        return Error{ErrorKind::source_changed, printable(path) + ": it changed meanwhile, so it was not removed"};
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return write_failure(path, errno);
    return {};
}

Result<std::unique_ptr<port::SourceFile>> PosixFiles::open_stdin() {
    return open_descriptor_source(STDIN_FILENO, "standard input");
}

Result<std::unique_ptr<port::SourceFile>> PosixFiles::open_descriptor_source(int fd, const std::string& name) {
    if (!is_open(fd)) return cannot_read(name, "it is closed");
    if ((::fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY) return cannot_read(name, "it is open for writing only");
    UniqueFd own(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    struct stat status {};
    if (!own.valid() || ::fstat(own.get(), &status) != 0) return read_failure(name, errno);
    if (S_ISDIR(status.st_mode)) return cannot_read(name, "it is a folder");
    port::FileFacts facts = facts_of(status);
    facts.type = port::FileType::stream;
    facts.size = 0;
    return std::unique_ptr<port::SourceFile>(
        std::make_unique<StreamSource>(Stream(std::move(own), name, false, clock_, stop_), facts));
}

Result<std::unique_ptr<port::TargetFile>> PosixFiles::open_target(const std::string& path,
                                                                  const port::TargetOptions& options) {
    if (const auto descriptor = descriptor_named(path)) return open_descriptor_target(*descriptor, path);
    if (path.ends_with('/')) return cannot_write(path, "it is a folder");
    if (options.root_bytes > 0) {
        if (Status ready = target_folders_.prepare(path, options.root_bytes); !ready) return std::move(ready).error();
    }
    std::string real = path;
    struct stat status {};
    int looked = ::lstat(path.c_str(), &status);
    if (looked == 0 && S_ISLNK(status.st_mode)) {
        Result<std::string> resolved = resolve_links(path);
        if (!resolved.ok()) return std::move(resolved).error();
        real = std::move(resolved).value();
        looked = ::stat(path.c_str(), &status);
    }
    if (looked != 0 && errno != ENOENT) return write_failure(path, errno);
    if (looked == 0) {
        if (S_ISDIR(status.st_mode)) return cannot_write(path, "it is a folder");
        if (!S_ISREG(status.st_mode)) return open_in_place(path, status.st_mode & S_IFMT);
        if (options.keep_existing) return write_failure(path, EEXIST);
    }
    TempTarget::Plan plan{.keep_existing = options.keep_existing,
                          .resume = options.resume,
                          .durable = options.durable,
                          .synced = durability_ == Durability::synced,
                          .umask = umask_};
    if (options.root_bytes > 0 && !target_folders_.made().empty())
        plan.abandoned = [this, made = target_folders_.made()] { target_folders_.unmake(made); };
    return TempTarget::open(std::move(real), looked == 0 ? &status : nullptr, plan);
}

Result<std::unique_ptr<port::TargetFile>> PosixFiles::open_in_place(const std::string& path, mode_t type) {
    if (type == S_IFIFO) {
        if (::access(path.c_str(), W_OK) != 0) return write_failure(path, errno);
        return std::unique_ptr<port::TargetFile>(std::make_unique<StreamTarget>(path, clock_, stop_));
    }
    const int mode = type == S_IFBLK ? O_RDWR : O_WRONLY;
    UniqueFd fd(::open(path.c_str(), mode | O_NOCTTY | O_CLOEXEC));
    if (!fd.valid()) return write_failure(path, errno);
    if (type == S_IFBLK) return std::unique_ptr<port::TargetFile>(std::make_unique<DeviceTarget>(std::move(fd), path));
    return std::unique_ptr<port::TargetFile>(
        std::make_unique<StreamTarget>(Stream(std::move(fd), path, false, clock_, stop_), clock_, stop_));
}

Result<std::unique_ptr<port::TargetFile>> PosixFiles::open_stdout() {
    return open_descriptor_target(STDOUT_FILENO, "standard output");
}

Result<std::unique_ptr<port::TargetFile>> PosixFiles::open_descriptor_target(int fd, const std::string& name) {
    if (!is_open(fd)) return cannot_write(name, "it is closed");
    if ((::fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY) return cannot_write(name, "it is open for reading only");
    UniqueFd own(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!own.valid()) return write_failure(name, errno);
    return std::unique_ptr<port::TargetFile>(
        std::make_unique<StreamTarget>(Stream(std::move(own), name, false, clock_, stop_), clock_, stop_));
}

Result<std::unique_ptr<port::SpoolFile>> PosixFiles::open_spool(const std::string& folder) {
    return PosixSpool::open(folder);
}

Result<std::unique_ptr<port::Folder>> PosixFiles::open_folder(const std::string& path) {
    return PosixFolder::open(path, stop_);
}

}  // namespace s3tug::host
