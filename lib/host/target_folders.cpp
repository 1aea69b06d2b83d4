#include "host/target_folders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>

#include "host/posix_error.h"

namespace s3tug::host {

namespace {

constexpr mode_t folder_mode = 0777;  // less the umask

/// Calls `step` for each folder that `path` leads through from `from` on: for "a/b/c" that is a, then a/b.
template <class Step>
Status for_each_folder(const std::string& path, std::size_t from, Step step) {
    for (std::size_t slash = path.find('/', from); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        if (slash == 0) continue;
        if (Status status = step(path.substr(0, slash)); !status) return status;
    }
    return {};
}

}  // namespace

Status TargetFolders::prepare(const std::string& path, std::size_t root_bytes) {
    const std::string root = path.substr(0, root_bytes);
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    if (root != root_ || folder != last_) made_.clear();
    if (root != root_) {
        root_.clear();
        if (Status made = make_root(root); !made) return made;
        root_ = root;
    }
    if (folder != last_) {
        last_.clear();
        Status made = for_each_folder(folder, root.size(), [this](const std::string& f) { return make_folder(f); });
        if (!made) return made;
        last_ = folder;
    }
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return {};
    return stays_inside(path);
}

void TargetFolders::unmake(const std::vector<std::string>& made) {
    for (auto folder = made.rbegin(); folder != made.rend() && ::rmdir(folder->c_str()) == 0; ++folder) {
        root_.clear();
        last_.clear();
    }
}

Status TargetFolders::make_one(const std::string& folder) {
    if (::mkdir(folder.c_str(), folder_mode) == 0) {
        made_.push_back(folder);
        return {};
    }
    return errno == EEXIST ? Status() : Status(write_failure(folder, errno));
}

Status TargetFolders::make_root(const std::string& root) {
    if (Status made = for_each_folder(root, 0, [this](const std::string& f) { return make_one(f); }); !made)
        return made;
    char real[PATH_MAX];
    if (::realpath(root.c_str(), real) == nullptr) return write_failure(root, errno);
    real_root_ = real;
    if (real_root_ == "/") real_root_.clear();
    return {};
}

Status TargetFolders::make_folder(const std::string& folder) {
    if (folder.ends_with("/..")) return cannot_write(folder, "it leads out of the target folder");
    struct stat status {};
    if (::lstat(folder.c_str(), &status) != 0) {
        return errno == ENOENT ? make_one(folder) : Status(write_failure(folder, errno));
    }
    if (S_ISDIR(status.st_mode)) return {};
    if (!S_ISLNK(status.st_mode)) return cannot_write(folder, "a file stands where a folder must be");
    if (Status inside = stays_inside(folder); !inside) return inside;
    if (::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return {};
    return cannot_write(folder, "a file stands where a folder must be");
}

Status TargetFolders::stays_inside(const std::string& path) const {
    char buffer[PATH_MAX];
    if (::realpath(path.c_str(), buffer) == nullptr)
        return cannot_write(path, "it is a link that leads nowhere; remove it");
    const std::string real = buffer;
    if (real.starts_with(real_root_ + "/")) return {};
    return cannot_write(path,
                        "it is a link that leads out of the target folder; remove it, or name the place it leads to");
}

}  // namespace s3tug::host
