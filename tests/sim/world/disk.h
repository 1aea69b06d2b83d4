#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/world/store.h"
#include "support/memory_files.h"

namespace s3tug::simworld {

/// The local disk that all processes share. Files keep all the contents that they ever had, so that a mix of two can be
/// told from each of them.
class Disk {
  public:
    struct File {
        std::string bytes;
        int64_t version = 1;  ///< of the mtime
        bool exists = true;
        Instant since{};
        std::vector<BlobPtr> contents;  ///< all, in order of time
    };
    struct Part {
        std::string bytes;
        int64_t locked_by = 0;  ///< pid
        uint64_t last_write_at = 0;
        std::size_t last_write_bytes = 0;
    };
    std::map<std::string, File> files;
    std::map<std::string, Part> parts;
    std::map<std::string, std::string> streams;  ///< what comes on stdin, by the command's name

    void set(const std::string& path, BlobPtr blob, Instant now = {});  ///< written through links
    void link(const std::string& path, const std::string& target);
    void unlink(const std::string& path);  ///< of a link: the link

    [[nodiscard]] const File* find(const std::string& path) const;  ///< what stands there now, or a link leads to
    /// What stands or stood there, also when the link to it has gone since.
    [[nodiscard]] File& behind(const std::string& path) { return files[path_behind(path)]; }
    [[nodiscard]] std::string path_behind(const std::string& path) const {
        return sim::without_links(all_links_, path);
    }
    [[nodiscard]] bool is_link(const std::string& path) const { return all_links_.contains(path); }  ///< or was one
    [[nodiscard]] std::string real_path(const std::string& path) const { return sim::without_links(links_, path); }
    [[nodiscard]] bool stands(const std::string& path) const;  ///< a file, or a folder
    /// Where a file would be written by this name; with `root_bytes` one of a tree.
    [[nodiscard]] Result<std::string> target_of(const std::string& path, std::size_t root_bytes) const;
    [[nodiscard]] bool stood_since(const std::string& path, Instant from) const;
    [[nodiscard]] std::vector<port::FolderEntry> entries_of(const std::string& folder) const;

  private:
    [[nodiscard]] bool is_link_itself(const std::string& path) const;  ///< not only below one
    sim::Links links_;
    sim::Links all_links_;  ///< gone ones too
};

}  // namespace s3tug::simworld
