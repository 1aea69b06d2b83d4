#include "host/temp_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "base/hash.h"
#include "base/limits.h"
#include "base/part_name.h"
#include "host/posix_error.h"
#include "host/posix_io.h"

namespace s3tug::host {

namespace {

constexpr mode_t private_mode = S_IRUSR | S_IWUSR;

struct Split {
    std::string folder;  ///< with its slash; empty = the current one
    std::string name;
};

Split split_path(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return {"", path};
    return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

/// `.NAME.s3tug-part`, or with a digest of the name where that would be too long.
std::string part_path(const std::string& path, unsigned attempt) {
    auto [folder, name] = split_path(path);
    const std::string extra = attempt == 0 ? "" : fmt::format("-{}-{}", getpid(), attempt);
    if (name.size() + 1 + part_suffix.size() + extra.size() > NAME_MAX) {
        name = to_hex(ByteSpan(sha256(as_bytes(name))).first(16));
    }
    return fmt::format("{}.{}{}{}", folder, name, part_suffix, extra);
}

/// Locks a part file and makes sure that the name still means it: whoever held it before may just have renamed it.
bool lock_part(const UniqueFd& fd, const std::string& part) {
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return false;
    struct stat ours {};
    struct stat named {};
    return fstat(fd.get(), &ours) == 0 && lstat(part.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
           ours.st_dev == named.st_dev && S_ISREG(ours.st_mode) && ours.st_nlink == 1 && ours.st_uid == geteuid();
}

/// A new part file, or one that a killed run left behind. Not valid: errno says why; EEXIST when it is in use.
UniqueFd take_part(const std::string& part, bool resume, bool& is_new) {
    constexpr int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    UniqueFd fd(::open(part.c_str(), flags | O_CREAT | O_EXCL, private_mode));
    if (fd.valid() || errno != EEXIST) {
        is_new = true;
        if (fd.valid()) static_cast<void>(::flock(fd.get(), LOCK_EX | LOCK_NB));
        return fd;
    }
    is_new = false;
    fd.reset(::open(part.c_str(), flags));
    if (fd.valid() && lock_part(fd, part) && (resume || ::ftruncate(fd.get(), 0) == 0) &&
        ::fchmod(fd.get(), private_mode) == 0) {
        return fd;
    }
    fd.reset();
    errno = EEXIST;
    return fd;
}

bool is_in_memory(int fd) {
    struct statfs where {};
    return ::fstatfs(fd, &where) == 0 && where.f_type == TMPFS_MAGIC;
}

}  // namespace

Result<std::unique_ptr<port::TargetFile>> TempTarget::open(std::string path, const struct stat* old, const Plan& plan) {
    std::unique_ptr<TempTarget> target(new TempTarget(std::move(path), plan));
    if (old != nullptr) {
        target->replaces_ = true;
        target->mode_ = old->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
        if (old->st_uid != geteuid() || old->st_gid != getegid()) target->owner_ = Owner{old->st_uid, old->st_gid};
    } else {
        target->mode_ = (S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH) & ~plan.umask;
    }
    if (Status opened = target->open_part(); !opened.ok()) return std::move(opened).error();
    return std::unique_ptr<port::TargetFile>(std::move(target));
}

Status TempTarget::open_part() {
    for (unsigned attempt = 0; attempt < limits::part_names_max; ++attempt) {
        std::string part = part_path(path_, attempt);
        // Under another name nobody would look for what is kept.
        own_name_ = attempt == 0;
        bool is_new = false;
        fd_ = take_part(part, plan_.resume && own_name_, is_new);
        if (fd_.valid()) {
            part_ = std::move(part);
            struct stat own {};
            if (plan_.resume && !is_new && ::fstat(fd_.get(), &own) == 0)
                left_over_ = static_cast<uint64_t>(own.st_size);
            return {};
        }
        if (errno != EEXIST) break;
    }
    const int error = errno;
    const std::string folder = split_path(path_).folder;
    if (error == ENOENT) return cannot_write(path_, fmt::format("there is no folder {}", printable(folder)));
    if (error == EACCES)
        return cannot_write(path_,
                            fmt::format("no permission to make files in {}", printable(folder.empty() ? "." : folder)));
    return write_failure(path_, error);
}

// What statvfs(2) cannot know, quotas for instance, fallocate(2) finds. A small file finds out as soon by being
// written.
Status TempTarget::reserve(uint64_t size) {
    if (size < limits::reserve_min_bytes) return {};
    struct statvfs room {};
    struct stat own {};
    if (::fstatvfs(fd_.get(), &room) == 0 && ::fstat(fd_.get(), &own) == 0 && room.f_blocks > 0) {
        const uint64_t blocks = geteuid() == 0 ? room.f_bfree : room.f_bavail;
        const uint64_t has = blocks * room.f_frsize + static_cast<uint64_t>(own.st_blocks) * S_BLKSIZE;
        if (has < size) return cannot_write(path_, no_space(size, has));
    }
    if (size >= limits::room_ahead_min_bytes && is_in_memory(fd_.get())) {
        ahead_ = std::make_unique<RoomAhead>(fd_.get(), size);
        return {};
    }
    if (::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)) == 0) return {};
    if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG) return {};  // a file system that cannot reserve
    // A smaller file may fit all the same: not `disk_full`.
    return Error{ErrorKind::cannot_write, write_failure(path_, errno).message};
}

TempTarget::~TempTarget() {
    ahead_.reset();
    if (committed_ || (keep_ && own_name_)) return;
    if (!part_.empty()) ::unlink(part_.c_str());
    if (plan_.abandoned) plan_.abandoned();
}

std::string TempTarget::kept_as() const {
    if (!own_name_) return {};
    const auto [folder, name] = split_path(path_);
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(folder.empty() ? "." : folder.c_str(), nullptr),
                                                      &::free);
    if (!real) return {};
    std::string kept(real.get());
    if (!kept.ends_with('/')) kept += '/';
    return kept.append(name);
}

Status TempTarget::write_at(uint64_t offset, ByteSpan bytes) {
    end_ = std::max(end_, offset + bytes.size());
    return write_fully_at(fd_.get(), offset, bytes, path_);
}

Status TempTarget::write_next(ByteSpan bytes, std::optional<Instant> /*until*/) {
    Status written = write_at(next_, bytes);
    if (written.ok()) next_ += bytes.size();
    return written;
}

Status TempTarget::truncate(uint64_t size) {
    ahead_.reset();
    if (::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) return write_failure(path_, errno);
    next_ = size;
    return {};
}

Result<std::size_t> TempTarget::read_at(uint64_t offset, MutableByteSpan out) const {
    return read_fully_at(fd_.get(), offset, out, path_);
}

Status TempTarget::commit(std::optional<WallTime> mtime) {
    ahead_.reset();
    if (mtime) {
        const auto whole = std::chrono::floor<seconds>(mtime->time_since_epoch());
        const timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                                  {.tv_sec = whole.count(), .tv_nsec = (mtime->time_since_epoch() - whole).count()}};
        static_cast<void>(::futimens(fd_.get(), times));  // a file system without times is no reason to fail
    }
    // Owner first, since a change of owner takes mode bits away. Only root can give files away.
    if (owner_) static_cast<void>(!::fchown(fd_.get(), owner_->user, owner_->group));
    if (::fchmod(fd_.get(), mode_) != 0 && errno != EPERM && errno != ENOTSUP) return write_failure(path_, errno);
    if (Status settled = settle_data(); !settled.ok()) return settled;
    Status renamed = rename_part();
    committed_ = renamed.ok();
    return renamed;
}

Status TempTarget::settle_data() {
    if (!plan_.synced) return {};
    if (!plan_.durable && !replaces_ && left_over_ == 0 && end_ < limits::sync_wait_from_bytes) {
        // Elsewhere errors may show only when it is synced (network file systems), or a rename overtakes the data.
        struct statfs where {};
        const bool known = ::fstatfs(fd_.get(), &where) == 0;
        if (known && where.f_type == TMPFS_MAGIC) return {};
        if (known && where.f_type == EXT4_SUPER_MAGIC &&
            ::sync_file_range(fd_.get(), 0, 0, SYNC_FILE_RANGE_WRITE) == 0) {
            return {};
        }
    }
    if (::fdatasync(fd_.get()) != 0 && errno != EINVAL) return write_failure(path_, errno);
    return {};
}

Status TempTarget::rename_part() {
    if (!plan_.keep_existing) {
        if (::rename(part_.c_str(), path_.c_str()) == 0) return {};
        return write_failure(path_, errno);
    }
    if (::renameat2(AT_FDCWD, part_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0) return {};
    if (errno != EINVAL && errno != ENOSYS) return write_failure(path_, errno);
    // A file system without that flag: a link fails when the name is taken.
    if (::link(part_.c_str(), path_.c_str()) != 0) return write_failure(path_, errno);
    ::unlink(part_.c_str());
    return {};
}

}  // namespace s3tug::host
