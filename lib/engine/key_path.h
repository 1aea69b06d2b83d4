#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

/// Keys and local paths. A key is any bytes; only where it becomes a path it must be one that cannot leave the target
/// folder nor fall together with another (design section 4, Keys).
namespace s3tug::engine {

struct LocalName {
    std::string path;            ///< relative, with '/' between its segments; empty for the marker of the root
    bool folder_marker = false;  ///< the key ends in '/': a folder, not a file
};
/// The local path of a key, relative to the target folder; `key` is already without the part that was asked for, so an
/// empty one is the marker of the folder that was asked for. Refused (`cannot_write`, with the key and the reason):
/// absolute, with a `.`, `..` or empty segment (two keys would become one file), with NUL, and too long for Linux
/// (limits::file_name_max_bytes, path_max_bytes).
[[nodiscard]] Result<LocalName> local_name_of(std::string_view key);

/// The key of a file: `prefix` and its path relative to the source, as it stands. Empty and `.` segments are left out.
/// `unsupported` for paths that are not UTF-8, and for keys over limits::key_max_bytes; `usage` for `..` and for an
/// empty path.
[[nodiscard]] Result<std::string> key_of_local_path(std::string_view relative_path, std::string_view prefix);

/// What `--recursive s3://b/ROOT` means: the key ROOT and all below `ROOT/`, never `ROOT-old/`. An empty root is the
/// whole bucket; one that ends in '/' is all that begins with it.
[[nodiscard]] bool is_in_tree(std::string_view key, std::string_view root);

/// Finds keys of one listing that cannot be local files side by side: the same one twice, or one that is a folder for
/// another (`a` and `a/b`). Needs them in rising order of bytes, as listings have them, and keeps only those that the
/// next key may lie below: at most one for each of its bytes, whatever the number of keys.
class CollisionCheck {
  public:
    /// The earlier key that `key` collides with.
    [[nodiscard]] std::optional<std::string> add(std::string_view key);

    /// False once a key came out of order (directory buckets, lists of a user's own). Then collisions can be missed;
    /// the file system still refuses a file where a folder stands and the other way round.
    [[nodiscard]] bool complete() const { return complete_; }

  private:
    std::vector<std::string> open_;  ///< each one the beginning of the next; the last is the key before
    bool complete_ = true;
};

}  // namespace s3tug::engine
