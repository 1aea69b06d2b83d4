#include <functional>

#include "support/memory_files.h"
#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

class Folder final : public MemoryFolder {
  public:
    Folder(std::vector<port::FolderEntry> entries, uint64_t inode, SimFiles& world)
        : MemoryFolder(std::move(entries), inode), world_(world) {
        ++world_.open_folders;
    }
    ~Folder() override { --world_.open_folders; }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

  private:
    std::optional<Error> fails() const override { return world_.fails("read folder"); }
    SimFiles& world_;
};

}  // namespace

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
    std::string path = without_links(links, named);
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (unreadable.contains(path)) return Error{ErrorKind::cannot_read, named + ": permission denied"};
    if (!is_folder(path)) return Error{ErrorKind::not_found, named + ": no such folder"};
    FolderNames names(path);
    for (const auto& [full, file] : files) names.add(full, port::FileType::regular);
    for (const auto& [full, type] : specials) names.add(full, type);
    for (const std::string& full : folders) names.add(full, port::FileType::directory);
    for (const auto& [full, target] : links) {
        const std::string real = without_links(links, full);
        std::optional<port::FileType> leads_to;
        if (is_folder(real))
            leads_to = port::FileType::directory;
        else if (files.contains(real))
            leads_to = port::FileType::regular;
        names.add_link(full, leads_to);
    }
    return std::unique_ptr<port::Folder>(std::make_unique<Folder>(names.take(), std::hash<std::string>()(path), *this));
}

}  // namespace s3tug::sim
