#include "host/posix_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string_view>

#include "host/posix_error.h"
#include "host/unique_fd.h"

namespace s3tug::host {

namespace {

constexpr unsigned looks_at_signals_every = 256;  // entries

std::string joined(const std::string& folder, std::string_view name) {
    std::string path = folder;
    if (!path.ends_with('/')) path += '/';
    return path.append(name);
}

}  // namespace

Result<std::unique_ptr<port::Folder>> PosixFolder::open(const std::string& path, const StopSignal& stop) {
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC));
    if (!fd.valid()) return read_failure(path, errno);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return read_failure(path, errno);
    DIR* const stream = ::fdopendir(fd.get());
    if (stream == nullptr) return read_failure(path, errno);
    static_cast<void>(fd.release());
    std::unique_ptr<PosixFolder> folder(new PosixFolder(stream, path, stop));
    folder->at_open_ = facts_of(status);
    return std::unique_ptr<port::Folder>(std::move(folder));
}

Result<std::optional<port::FolderEntry>> PosixFolder::next() {
    for (unsigned n = 0;; ++n) {
        if (n % looks_at_signals_every == 0 && stop_.raised())
            return Error{ErrorKind::interrupted, "interrupted by a signal"};
        errno = 0;
        const dirent* const raw = ::readdir(stream_.get());
        if (raw == nullptr) {
            if (errno != 0) return read_failure(path_, errno);
            return std::optional<port::FolderEntry>();
        }
        const std::string_view name = raw->d_name;
        if (name != "." && name != "..") return std::optional(look_at(*raw));
    }
}

port::FolderEntry PosixFolder::look_at(const dirent& raw) const {
    port::FolderEntry entry;
    entry.name = raw.d_name;
    switch (raw.d_type) {
        case DT_REG: entry.type = port::FileType::regular; return entry;
        case DT_DIR: entry.type = port::FileType::directory; return entry;
        case DT_FIFO:
        case DT_SOCK:
        case DT_CHR:
        case DT_BLK: entry.type = port::FileType::stream; return entry;
        default: break;
    }
    const int folder = ::dirfd(stream_.get());
    struct stat status {};
    bool known = ::fstatat(folder, raw.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0;
    entry.link = known && S_ISLNK(status.st_mode);
    if (entry.link) known = ::fstatat(folder, raw.d_name, &status, 0) == 0;
    if (known) {
        entry.type = facts_of(status).type;
    } else if (entry.link && errno == ENOENT) {
        entry.trouble = Error{ErrorKind::not_found,
                              cannot_read(joined(path_, entry.name), "it is a link that leads nowhere").message};
    } else {
        entry.trouble = read_failure(joined(path_, entry.name), errno);
    }
    return entry;
}

}  // namespace s3tug::host
