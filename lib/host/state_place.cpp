#include "host/state_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "host/state_schema.h"
#include "host/unique_fd.h"

namespace s3tug::host {

namespace {

constexpr const char* file_name = "state.db";
constexpr mode_t written_by_others = S_IWGRP | S_IWOTH;

/// nullopt = fine, else why the place is of no use.
using Refusal = std::optional<std::string>;

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

Refusal check_owner(const struct stat& facts) {
    if (facts.st_uid != geteuid()) return fmt::format("belongs to user {}", facts.st_uid);
    if ((facts.st_mode & written_by_others) != 0) {
        return fmt::format("can be written by others (mode {:04o})", facts.st_mode & 07777U);
    }
    return std::nullopt;
}

/// Could the missing folder be made? Looks at the nearest parent that is there.
Refusal check_parents(const std::string& folder) {
    std::string parent = parent_of(folder);
    struct stat facts {};
    while (::stat(parent.c_str(), &facts) != 0) {
        if (errno != ENOENT || parent == "/" || parent == ".") return std::strerror(errno);
        parent = parent_of(parent);
    }
    if (!S_ISDIR(facts.st_mode)) return fmt::format("{} is not a folder", parent);
    // `sudo` may keep HOME: a folder of root's would lock the user out of it.
    if (geteuid() == 0 && facts.st_uid != 0 && (facts.st_mode & S_ISVTX) == 0) {
        return fmt::format("{} belongs to user {}, and we are root", parent, facts.st_uid);
    }
    if (::faccessat(AT_FDCWD, parent.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
        return fmt::format("{}: {}", parent, std::strerror(errno));
    }
    return std::nullopt;
}

Refusal make_folders(const std::string& folder) {
    for (std::size_t slash = folder.find('/', 1);; slash = folder.find('/', slash + 1)) {
        const std::string path = folder.substr(0, slash);
        if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
            return fmt::format("cannot make {}: {}", path, std::strerror(errno));
        }
        if (slash == std::string::npos) return std::nullopt;
    }
}

std::optional<uint64_t> kernel_fs_type(int folder) {
    struct statfs facts {};
    if (::fstatfs(folder, &facts) != 0) return std::nullopt;
    return static_cast<uint64_t>(facts.f_type) & 0xFFFFFFFFU;  // some are sign-extended
}

Refusal check_file(int folder, const std::string& name, StatePlace& place) {
    struct stat facts {};
    if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT) return std::strerror(errno);
        if (::faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) != 0) {
            return fmt::format("cannot make the file: {}", std::strerror(errno));
        }
        return std::nullopt;
    }
    if (S_ISLNK(facts.st_mode)) return "is a link";
    if (S_ISDIR(facts.st_mode)) return "is a folder";
    if (!S_ISREG(facts.st_mode)) return "is not a regular file";
    place.file_exists = true;
    return check_owner(facts);
}

/// Folder and file, as they are now. `own_folder`: one of the usual ones, which must be ours and no link.
Refusal probe(const StatePlaceRequest& request, const std::string& name, bool own_folder, StatePlace& place) {
    const int follow = own_folder ? O_NOFOLLOW : 0;
    const UniqueFd folder(::open(place.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | follow));
    if (!folder.valid()) {
        if (errno == ENOENT && own_folder) return check_parents(place.folder);
        const bool link = errno == ELOOP || (errno == ENOTDIR && own_folder);
        return link ? "is a link or not a folder" : std::strerror(errno);
    }
    place.folder_exists = true;
    struct stat facts {};
    if (::fstat(folder.get(), &facts) != 0) return std::strerror(errno);
    if (own_folder) {
        if (auto refusal = check_owner(facts)) return refusal;
    }
    const auto type = request.fs_type ? request.fs_type(folder.get()) : kernel_fs_type(folder.get());
    if (type && is_network_file_system(*type)) return "lies on a network file system, where locks cannot be trusted";

    // SQLite is told to refuse every link on the way, so it is given a path without any.
    std::array<char, PATH_MAX> resolved{};
    if (::realpath(place.folder.c_str(), resolved.data()) == nullptr) return std::strerror(errno);
    place.folder = resolved.data();
    place.file = place.folder == "/" ? "/" + name : place.folder + "/" + name;
    return check_file(folder.get(), name, place);
}

}  // namespace

std::vector<std::string> state_folders(const Environment& environment, uid_t user) {
    std::vector<std::string> folders;
    if (const auto base = environment.get("XDG_STATE_HOME"); base && base->front() == '/') {
        folders.push_back(*base + "/s3tug");
    }
    if (const auto home = environment.home()) folders.push_back(*home + "/.local/state/s3tug");
    folders.push_back(fmt::format("/var/tmp/s3tug-{}", user));
    return folders;
}

StatePlaceChoice choose_state_place(const StatePlaceRequest& request, bool make_folder) {
    StatePlaceChoice choice;
    if (!request.explicit_file.empty()) {
        const std::string& path = request.explicit_file;
        const std::string name = path.substr(path.rfind('/') + 1);
        StatePlace place{parent_of(path), path};
        Refusal refusal = name.empty() ? "is a folder" : probe(request, name, false, place);
        if (refusal) {
            choice.refused.push_back(fmt::format("{}: {}", path, *refusal));
        } else {
            choice.place = std::move(place);
        }
        return choice;
    }
    for (const std::string& folder : state_folders(request.environment, geteuid())) {
        StatePlace place{folder, fmt::format("{}/{}", folder, file_name)};
        Refusal refusal = probe(request, file_name, true, place);
        if (!refusal && make_folder && !place.folder_exists) {
            refusal = make_folders(folder);
            if (!refusal) refusal = probe(request, file_name, true, place);
        }
        if (!refusal) {
            choice.place = std::move(place);
            break;
        }
        choice.refused.push_back(fmt::format("{}: {}", folder, *refusal));
    }
    return choice;
}

bool is_network_file_system(uint64_t type) {
    // linux/magic.h and statfs(2); those that are not there are named by their makers.
    constexpr std::array<uint64_t, 17> types = {
        0x6969,      // NFS
        0x517B,      // SMB
        0xFE534D42,  // SMB2
        0xFF534D42,  // CIFS
        0x564C,      // NCP
        0x5346414F,  // AFS
        0x6B414653,  // kAFS
        0x73757245,  // Coda
        0x01021997,  // 9P
        0x00C36400,  // Ceph
        0x0BD00BD0,  // Lustre
        0x47504653,  // GPFS
        0x19830326,  // BeeGFS
        0x7461636F,  // OCFS2
        0x01161970,  // GFS2
        0x786F4256,  // VirtualBox shared folder
        0x65735546,  // FUSE
    };
    return std::find(types.begin(), types.end(), type) != types.end();
}

int create_state_file(const StatePlace& place) {
    // Closed again at once: this process has no lock on a file that has just come to be.
    const UniqueFd file(::open(place.file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    return file.valid() || errno == EEXIST ? 0 : errno;
}

std::optional<FileId> file_id(const std::string& path) {
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) != 0) return std::nullopt;
    return FileId{facts.st_dev, facts.st_ino};
}

int set_state_file_aside(const StatePlace& place) {
    const std::string bad = place.file + ".bad";
    for (const char* suffix : {"-wal", "-shm", "-journal", ""}) {
        const std::string from = place.file + suffix;
        const std::string to = bad + suffix;
        if (::rename(from.c_str(), to.c_str()) == 0) continue;
        if (errno != ENOENT) return errno;
        ::unlink(to.c_str());  // of an earlier time: would not belong to this file
    }
    return 0;
}

bool looks_like_state_file(const std::string& path) {
    // File format of SQLite: 16 bytes of magic; application id at 68, big-endian.
    constexpr std::string_view magic("SQLite format 3\0", 16);
    std::array<unsigned char, 100> header{};
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid()) return false;
    if (::read(file.get(), header.data(), header.size()) != static_cast<ssize_t>(header.size())) return false;
    if (std::all_of(header.begin(), header.end(), [](unsigned char c) { return c == 0; })) return true;
    const uint32_t id = static_cast<uint32_t>(header[68]) << 24 | static_cast<uint32_t>(header[69]) << 16 |
                        static_cast<uint32_t>(header[70]) << 8 | header[71];
    return std::memcmp(header.data(), magic.data(), magic.size()) == 0 &&
           id == static_cast<uint32_t>(state_application_id);
}

}  // namespace s3tug::host
