#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/glob.h"
#include "wire/list_requests.h"

namespace s3tug::engine {

/// Which keys of a bucket an operand means: a tree (`--recursive s3://b/ROOT`, see is_in_tree) or a pattern.
struct KeySelection {
    std::string bucket;
    std::string root;                   ///< of a tree; empty = the whole bucket
    std::optional<KeyPattern> pattern;  ///< then no tree
    PathFilter filter;                  ///< --include, --exclude: on the names below base()

    /// The folder that names are relative to: "" or with a '/' at its end. Of a tree ROOT it is `ROOT/`, as with
    /// `aws s3` and rclone: what is below goes to the target, not the folder itself.
    [[nodiscard]] std::string base() const;

    /// The name of a key below base(), which is empty for the marker of base() itself; of the key ROOT it is its last
    /// segment. Nothing when the key is not meant. Does not ask the filter.
    [[nodiscard]] std::optional<std::string> name_of(std::string_view key) const;
    [[nodiscard]] bool is_root(std::string_view key) const;  ///< the key ROOT, where names are relative to `ROOT/`

    /// What has to be listed for it, one after the other. A tree without '/' needs two: whether ROOT is a key, which is
    /// then the first of its listing, and what is below, without a walk through all of `ROOT-old/`.
    [[nodiscard]] std::vector<wire::ListObjectsInput> listings() const;

    [[nodiscard]] std::string text() const;  ///< for messages
};

}  // namespace s3tug::engine
