#include "engine/walked_items.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/part_name.h"

namespace s3tug::engine {

namespace {

Error cannot_read(const std::string& path, std::string_view why) {
    return {ErrorKind::cannot_read,
            "cannot read " + printable(path, limits::trace_text_max_bytes) + ": " + std::string(why)};
}

}  // namespace

Error no_file(const std::string& path, std::string_view cure) {
    return cannot_read(path, std::string("it is no file but a pipe, a socket or a device; ").append(cure));
}

std::string as_folder(std::string path) {
    if (!path.empty() && !path.ends_with('/')) path += '/';
    return path;
}

WalkedItems::WalkedItems(port::Files& files, std::string root, PathFilter filter, bool follow_links, FileItem make)
    : files_(files),
      root_(std::move(root)),
      filter_(std::move(filter)),
      follow_links_(follow_links),
      make_(std::move(make)) {}

std::optional<Transfer> WalkedItems::next() {
    if (!std::exchange(begun_, true)) {
        if (std::optional<Transfer> trouble = enter(root_, {})) {
            ended_ = true;
            return trouble;
        }
    }
    while (!open_.empty()) {
        Result<std::optional<port::FolderEntry>> entry = open_.back().folder->next();
        if (!entry) {
            const Level level = std::move(open_.back());
            open_.pop_back();
            // Told as an item too: what was not walked must not look like what is not there.
            if (entry.error().kind == ErrorKind::interrupted) stop();
            return refused(level.path, level.name, std::move(entry).error());
        }
        if (!*entry) {
            open_.pop_back();
            continue;
        }
        if (std::optional<Transfer> item = look_at(**entry)) return item;
    }
    stop();
    return std::nullopt;
}

std::optional<Transfer> WalkedItems::look_at(const port::FolderEntry& entry) {
    if (entry.link && !follow_links_) return std::nullopt;
    const Level& level = open_.back();
    std::string path = level.path + entry.name;
    std::string name = level.name + entry.name;
    if (entry.type == port::FileType::directory && !entry.trouble) {
        if (filter_.drops_all_below(name)) return std::nullopt;
        return enter(std::move(path), std::move(name));
    }
    if (!filter_.keeps(name)) return std::nullopt;
    // What a download of ours has not finished is nobody's data.
    if (entry.type == port::FileType::regular && is_part_name(entry.name)) return std::nullopt;
    if (entry.trouble) return refused(path, name, *entry.trouble);
    if (entry.type != port::FileType::regular) {
        return refused(path, name, no_file(path, "leave it out with --exclude"));
    }
    return make_(path, name);
}

std::optional<Transfer> WalkedItems::enter(std::string path, std::string name) {
    if (open_.size() >= limits::tree_depth_max) {
        return refused(path, name,
                       cannot_read(path, "more than " + std::to_string(limits::tree_depth_max) +
                                             " folders stand in one another there"));
    }
    Result<std::unique_ptr<port::Folder>> folder = files_.open_folder(path);
    if (!folder) {
        // Nothing in it was wanted, so nobody misses it.
        if (!name.empty() && !filter_.keeps(name + "/")) return std::nullopt;
        return refused(path, name, std::move(folder).error());
    }
    const port::FileFacts& facts = (*folder)->at_open();
    const bool cycle = std::any_of(open_.begin(), open_.end(), [&facts](const Level& above) {
        const port::FileFacts& other = above.folder->at_open();
        return other.inode == facts.inode && other.device == facts.device;
    });
    if (cycle) return refused(path, name, cannot_read(path, "it leads back to a folder that it stands in"));
    open_.push_back({std::move(*folder), as_folder(std::move(path)), as_folder(std::move(name))});
    return std::nullopt;
}

Transfer WalkedItems::refused(const std::string& path, const std::string& name, Error error) const {
    Transfer item = make_(path, name);
    item.refused = std::move(error);
    return item;
}

void WalkedItems::stop() {
    ended_ = true;
    open_.clear();
}

}  // namespace s3tug::engine
