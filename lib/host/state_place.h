#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/environment.h"

namespace s3tug::host {

/// Where the state file stands (design section 5; hazards: facts/breaker.md section 4). Who can write it can switch our
/// transfers off, so it is used only when folder and file are ours, are no links and cannot be written by others.

struct StatePlaceRequest {
    std::string explicit_file;                                   ///< --state-file; empty = the usual places
    Environment environment = Environment::system();             ///< XDG_STATE_HOME, HOME
    std::function<std::optional<uint64_t>(int folder)> fs_type;  ///< statfs f_type; empty = ask the kernel
};

struct StatePlace {
    std::string folder;  ///< without links when `folder_exists`
    std::string file;    ///< full path
    bool folder_exists = false;
    bool file_exists = false;
};

struct StatePlaceChoice {
    std::optional<StatePlace> place;
    std::vector<std::string> refused;  ///< "PATH: why" for each place that was passed over
};

/// Folders in order: $XDG_STATE_HOME/s3tug, ~/.local/state/s3tug, /var/tmp/s3tug-UID. Relative paths are ignored, as
/// the XDG Base Directory Specification says.
[[nodiscard]] std::vector<std::string> state_folders(const Environment& environment, uid_t user);

/// The first place that works, or could. An explicit file has no second choice, its folder may belong to anybody, and
/// is not made. With `make_folder` the folder is created (0700, its missing parents too) and a place where that fails
/// is passed over; else nothing is written.
[[nodiscard]] StatePlaceChoice choose_state_place(const StatePlaceRequest& request, bool make_folder);

/// File systems over a network, whose locks cannot be trusted: NFS, SMB, CIFS, AFS, Coda, 9P, Ceph, Lustre, GPFS,
/// BeeGFS, OCFS2, GFS2, and FUSE, of which we cannot know. `type` is f_type of statfs(2).
[[nodiscard]] bool is_network_file_system(uint64_t type);

/// Creates the empty file, 0600, unless it is there. errno, or 0.
[[nodiscard]] int create_state_file(const StatePlace& place);

/// Which file stands under a name.
struct FileId {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileId&) const = default;
};
[[nodiscard]] std::optional<FileId> file_id(const std::string& path);

/// Moves the damaged file and its log and index to FILE.bad, FILE.bad-wal, FILE.bad-shm, over those of an earlier time.
/// The log goes first: killed in between, the next process finds the damaged file again, never an old log beside a new
/// file. The caller holds StateFileLock alone. errno, or 0.
[[nodiscard]] int set_state_file_aside(const StatePlace& place);

/// May the file be treated as a damaged state file of ours: SQLite's header with our application id, or a first page of
/// zeros as a power cut leaves it? Anything else under an explicit path is somebody's data and stays as it is.
[[nodiscard]] bool looks_like_state_file(const std::string& path);

}  // namespace s3tug::host
