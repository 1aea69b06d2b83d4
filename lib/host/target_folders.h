#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace s3tug::host {

/// Makes the folders that the files of a tree stand in (port::TargetOptions::root_bytes). What a bucket holds must not
/// decide where in the file system is written: below the folder that the user named a link is followed only to where it
/// stays inside of it.
class TargetFolders {
  public:
    /// `path` is a file of a tree below its first `root_bytes`. Errors are `cannot_write` and name what is in the way.
    [[nodiscard]] Status prepare(const std::string& path, std::size_t root_bytes);
    /// What the last prepare() made, outermost first; the same for all files of one folder that come one after another,
    /// since any of them may be the last that does not come.
    [[nodiscard]] const std::vector<std::string>& made() const { return made_; }
    /// A file that they were made for does not come: those that are empty go again.
    void unmake(const std::vector<std::string>& made);

  private:
    [[nodiscard]] Status make_one(const std::string& folder);
    [[nodiscard]] Status make_root(const std::string& root);
    [[nodiscard]] Status make_folder(const std::string& folder);
    /// Does the link (or anything) at `path` lead to a place inside the root?
    [[nodiscard]] Status stays_inside(const std::string& path) const;

    std::string root_;
    std::string real_root_;  ///< without links, without a '/' at its end
    std::string last_;       ///< the folder that was made sure of last: files of one folder come one after another
    std::vector<std::string> made_;
};

}  // namespace s3tug::host
