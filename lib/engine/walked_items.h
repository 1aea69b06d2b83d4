#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/glob.h"
#include "engine/item_source.h"
#include "port/files.h"

namespace s3tug::engine {

/// What a file becomes: its path, and its name below the folder that was named, with '/' between its segments.
using FileItem = std::function<Transfer(const std::string& path, const std::string& name)>;

/// The error of a pipe, a socket or a device where a file is wanted; `cure` ends it: "leave it out".
[[nodiscard]] Error no_file(const std::string& path, std::string_view cure);

/// The files of a folder and of all folders below it, in the order of the file system. Holds one open folder for each
/// level, at most limits::tree_depth_max. What cannot be uploaded - a folder that cannot be read, a pipe, a socket, a
/// device, a link that leads nowhere or back to a folder that it stands in, what lies too deep - is an item that is
/// refused, and the walk goes on. A folder without files gives none.
class WalkedItems final : public ItemSource {
  public:
    /// @param root          as typed; `files` outlives this
    /// @param follow_links  false: links are left out, whatever they lead to
    WalkedItems(port::Files& files, std::string root, PathFilter filter, bool follow_links, FileItem make);

    [[nodiscard]] std::optional<Transfer> next() override;
    [[nodiscard]] bool ended() const override { return ended_; }
    void stop() override;

  private:
    struct Level {
        std::unique_ptr<port::Folder> folder;
        std::string path;  ///< with its '/'
        std::string name;  ///< below the root, with its '/'; empty for the root
    };
    [[nodiscard]] std::optional<Transfer> look_at(const port::FolderEntry& entry);
    [[nodiscard]] std::optional<Transfer> enter(std::string path, std::string name);
    [[nodiscard]] Transfer refused(const std::string& path, const std::string& name, Error error) const;

    port::Files& files_;
    std::string root_;
    PathFilter filter_;
    bool follow_links_;
    FileItem make_;
    std::vector<Level> open_;
    bool begun_ = false;
    bool ended_ = false;
};

/// "dir" and "dir/" -> "dir/"; what a path of the walk begins with.
[[nodiscard]] std::string as_folder(std::string path);

}  // namespace s3tug::engine
