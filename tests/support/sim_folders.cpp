#include <functional>

#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

/// Entries are found when the folder is opened, in the order of their names.
class FolderOfMap final : public port::Folder {
  public:
    FolderOfMap(std::vector<port::FolderEntry> entries, port::FileFacts facts, SimFiles& world)
        : entries_(std::move(entries)), facts_(facts), world_(world) {
        ++world_.open_folders;
    }
    ~FolderOfMap() override { --world_.open_folders; }
    FolderOfMap(const FolderOfMap&) = delete;
    FolderOfMap& operator=(const FolderOfMap&) = delete;
    const port::FileFacts& at_open() const override { return facts_; }
    Result<std::optional<port::FolderEntry>> next() override {
        if (std::optional<Error> error = world_.fails("read folder")) return *std::move(error);
        if (position_ == entries_.size()) return std::optional<port::FolderEntry>();
        return std::optional(entries_[position_++]);
    }

  private:
    std::vector<port::FolderEntry> entries_;
    port::FileFacts facts_;
    SimFiles& world_;
    std::size_t position_ = 0;
};

}  // namespace

std::string SimFiles::without_links(std::string path) const {
    for (unsigned hops = 0; hops < 40; ++hops) {
        bool changed = false;
        for (const auto& [link, target] : links) {
            if (path != link && !path.starts_with(link + "/")) continue;
            path = target + path.substr(link.size());
            changed = true;
            break;
        }
        if (!changed) break;
    }
    return path;
}

bool SimFiles::is_folder(const std::string& named) const {
    const std::string path = named.size() > 1 && named.ends_with('/') ? named.substr(0, named.size() - 1) : named;
    if (folders.contains(path)) return true;
    const auto below = [&path](const auto& map) {
        const auto at = map.lower_bound(path + "/");
        return at != map.end() && at->first.starts_with(path + "/");
    };
    return below(files) || below(links) || below(specials);
}

Result<std::unique_ptr<port::Folder>> SimFiles::open_folder(const std::string& named) {
    std::string path = without_links(named);
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (unreadable.contains(path)) return Error{ErrorKind::cannot_read, named + ": permission denied"};
    if (!is_folder(path)) return Error{ErrorKind::not_found, named + ": no such folder"};
    std::map<std::string, port::FolderEntry> found;
    const auto name_of = [&path](const std::string& full) {
        return full.substr(path.size() + 1, full.find('/', path.size() + 1) - path.size() - 1);
    };
    const auto add = [&](const std::string& full, port::FileType type) {
        if (!full.starts_with(path + "/")) return;
        const std::string name = name_of(full);
        const bool direct = path.size() + 1 + name.size() == full.size();
        found[name] = {name, direct ? type : port::FileType::directory, false, {}};
    };
    for (const auto& [full, file] : files) add(full, port::FileType::regular);
    for (const auto& [full, type] : specials) add(full, type);
    for (const std::string& full : folders) add(full, port::FileType::directory);
    for (const auto& [full, target] : links) {
        add(full, port::FileType::other);
        if (!full.starts_with(path + "/") || path.size() + 1 + name_of(full).size() != full.size()) continue;
        port::FolderEntry& entry = found[name_of(full)];
        entry.link = true;
        const std::string real = without_links(full);
        if (is_folder(real))
            entry.type = port::FileType::directory;
        else if (files.contains(real))
            entry.type = port::FileType::regular;
        else
            entry.trouble = Error{ErrorKind::not_found, full + ": a link that leads nowhere"};
    }
    std::vector<port::FolderEntry> entries;
    for (auto& [name, entry] : found) entries.push_back(std::move(entry));
    port::FileFacts facts;
    facts.type = port::FileType::directory;
    facts.inode = std::hash<std::string>()(path);
    return std::unique_ptr<port::Folder>(std::make_unique<FolderOfMap>(std::move(entries), facts, *this));
}

}  // namespace s3tug::sim
