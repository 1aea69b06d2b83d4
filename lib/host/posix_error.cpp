#include "host/posix_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/bytes.h"
#include "base/text.h"

namespace s3tug::host {

namespace {

std::string words_for(int error) {
    switch (error) {
        case EACCES:
        case EPERM: return "permission denied";
        case EDQUOT: return "the disk quota is used up";
        case EEXIST: return "it exists already";
        case EFBIG: return "the file system or a limit of this process allows no file of this size";
        case EISDIR: return "it is a folder";
        case ENOENT: return "no such file or folder";
        case ENOSPC: return "no space left";
        case ENOTDIR: return "a part of the path is not a folder";
        case EROFS: return "the file system is read-only";
        default: return std::generic_category().message(error);
    }
}

}  // namespace

Error cannot_read(std::string_view what, std::string_view reason) {
    return {ErrorKind::cannot_read, fmt::format("cannot read {}: {}", printable(what), reason)};
}

Error cannot_write(std::string_view what, std::string_view reason) {
    return {ErrorKind::cannot_write, fmt::format("cannot write {}: {}", printable(what), reason)};
}

Error read_failure(std::string_view what, int error) {
    Error failure = cannot_read(what, words_for(error));
    if (error == ENOENT || error == ENOTDIR) failure.kind = ErrorKind::not_found;
    return failure;
}

Error write_failure(std::string_view what, int error) {
    if (error == EPIPE) { return {ErrorKind::broken_pipe, fmt::format("nobody reads {} any more", printable(what))}; }
    Error failure = cannot_write(what, words_for(error));
    if (error == ENOSPC || error == EDQUOT) failure.kind = ErrorKind::disk_full;
    return failure;
}

std::string no_space(uint64_t needs, uint64_t has) {
    return fmt::format("no space: needs {}, has {}", format_size(needs), format_size(has));
}

port::FileFacts facts_of(const struct stat& status) {
    port::FileFacts facts;
    switch (status.st_mode & S_IFMT) {
        case S_IFREG: facts.type = port::FileType::regular; break;
        case S_IFDIR: facts.type = port::FileType::directory; break;
        case S_IFIFO:
        case S_IFSOCK:
        case S_IFCHR:
        case S_IFBLK: facts.type = port::FileType::stream; break;
        default: facts.type = port::FileType::other; break;
    }
    if (facts.type == port::FileType::regular) facts.size = static_cast<uint64_t>(status.st_size);
    facts.mtime = WallTime(seconds(status.st_mtim.tv_sec) + Duration(status.st_mtim.tv_nsec));
    facts.inode = status.st_ino;
    facts.device = status.st_dev;
    return facts;
}

}  // namespace s3tug::host
