#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/world/store.h"

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

    void set(const std::string& path, BlobPtr blob, Instant now = {}) {
        File& file = files[path];
        if (!file.exists) file.since = now;
        file.exists = true;
        file.bytes = blob->bytes;
        ++file.version;
        file.contents.push_back(std::move(blob));
    }
    [[nodiscard]] bool stood_since(const std::string& path, Instant from) const {
        const auto found = files.find(path);
        return found != files.end() && found->second.exists && found->second.since <= from;
    }
};

}  // namespace s3tug::simworld
