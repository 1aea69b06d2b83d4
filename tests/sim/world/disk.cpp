#include "sim/world/disk.h"

#include "sim/world/world.h"
#include "support/memory_files.h"

namespace s3tug::simworld {
namespace {

port::FileFacts facts_of(const Disk::File& file) { return sim::regular_facts(file.bytes.size(), file.version); }

Error gone(const std::string& path) { return {ErrorKind::cannot_read, path + ": input/output error"}; }

class Source final : public sim::MemorySource {
  public:
    Source(World& world, Process& process, std::string path, const Disk::File& file)
        : MemorySource(facts_of(file)), world_(world), process_(process), path_(std::move(path)), file_(file) {}
    Result<port::FileFacts> now() const override { return facts_of(file_); }

  private:
    std::string_view bytes() const override { return file_.bytes; }
    std::optional<Error> fails(uint64_t) const override {
        if (process_.life.fails(Call::read, world_.read_trouble())) return gone(path_);
        return std::nullopt;
    }
    World& world_;
    Process& process_;
    std::string path_;
    const Disk::File& file_;  ///< open, whatever becomes of its name
};

class Stream final : public sim::MemoryStream {
  public:
    Stream(World& world, Process& process, std::string_view bytes) : world_(world), process_(process), bytes_(bytes) {}

  private:
    std::string_view bytes() const override { return bytes_; }
    std::optional<Error> fails() override {
        if (process_.life.fails(Call::read, world_.read_trouble())) return gone("stdin");
        return std::nullopt;
    }
    std::size_t most(std::size_t) override { return 1 + world_.up_to(200); }
    void took(std::size_t bytes) override { process_.memory.read(bytes); }
    World& world_;
    Process& process_;
    std::string_view bytes_;
};

class Target final : public sim::MemoryTarget {
  public:
    /// @param asked  the path that the engine named; `path`: where it leads
    Target(World& world, Process& process, std::string asked, std::string path, const port::TargetOptions& options)
        : MemoryTarget(std::move(path)), world_(world), process_(process), asked_(std::move(asked)), options_(options) {
        take_name([&](const std::string& name) { return world.held_by_other(name, process); }, options);
        world_.disk.parts[name_].locked_by = process_.id.pid;
    }
    ~Target() override {
        if (process_.life.killed)
            tear();
        else if (stays())
            world_.disk.parts[name_].locked_by = 0;
        else
            world_.disk.parts.erase(name_);
    }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    Status commit(std::optional<WallTime>) override {
        if (process_.life.fails(Call::commit, 0)) return Error{ErrorKind::cannot_write, path_ + ": no space"};
        if (process_.life.killed) return {};
        const auto there = world_.disk.files.find(path_);
        if (options_.keep_existing && there != world_.disk.files.end() && there->second.exists)
            return Error{ErrorKind::cannot_write, path_ + ": exists"};
        world_.on_commit(process_, asked_, part());
        committed_ = true;
        return {};
    }

  private:
    std::string& part() const override { return world_.disk.parts[name_].bytes; }
    std::optional<Error> fails(std::string_view call, uint64_t) const override {
        const bool writes = call == "reserve" || call == "write";
        if (!writes || !process_.life.fails(Call::write, world_.disk_full())) return std::nullopt;
        return Error{ErrorKind::cannot_write, path_ + ": no space left on device"};
    }
    bool dead() const override { return process_.life.killed; }
    void wrote(uint64_t offset, std::size_t bytes) override {
        Disk::Part& file = world_.disk.parts[name_];
        if (!process_.memory.at_hand(bytes))
            world_.violated("memory", path_ + ": " + std::to_string(bytes) + " bytes come to the file that were held");
        file.last_write_at = offset;
        file.last_write_bytes = bytes;
    }
    /// What the last write left of itself when the machine went down with the process.
    void tear() {
        if (committed_ || !world_.options.torn_writes) return;
        Disk::Part& file = world_.disk.parts[name_];
        const std::size_t half = file.last_write_at + file.last_write_bytes / 2;
        for (std::size_t i = half; i < file.last_write_at + file.last_write_bytes && i < file.bytes.size(); ++i)
            file.bytes[i] = '\0';
    }

    World& world_;
    Process& process_;
    std::string asked_;
    port::TargetOptions options_;
};

class Stdout final : public sim::MemoryStdout {
  public:
    explicit Stdout(Process& process) : process_(process) {}

  private:
    Status take(ByteSpan bytes) override {
        if (process_.life.fails(Call::write, 0)) return Error{ErrorKind::broken_pipe, "the reader went away"};
        process_.memory.written(bytes.size());
        process_.output.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    }
    Process& process_;
};

class Spool final : public sim::MemorySpool {
  public:
    explicit Spool(World& world, Process& process) : world_(world), process_(process) {}
    ~Spool() override { process_.memory.spool_gone(size()); }
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;
    Status append(ByteSpan bytes) override {
        Status done = MemorySpool::append(bytes);
        if (done) process_.memory.spooled(bytes.size());
        return done;
    }

  private:
    std::optional<Error> fails(std::string_view call) const override {
        if (call != "spool" || !process_.life.fails(Call::write, world_.disk_full())) return std::nullopt;
        return Error{ErrorKind::cannot_write, "/spool: no space left on device"};
    }
    World& world_;
    Process& process_;
};

/// Folders stay when their last file goes.
class Folder final : public sim::MemoryFolder {
  public:
    Folder(World& world, Process& process, std::string path, const std::string& real)
        : MemoryFolder(world.disk.entries_of(real), number_of(real)),
          world_(world),
          process_(process),
          path_(std::move(path)) {}

  private:
    static uint64_t number_of(const std::string& path) {
        TraceHash number;
        number.add(path);
        return number.value();
    }
    std::optional<Error> fails() const override {
        if (process_.life.fails(Call::read, world_.read_trouble())) return gone(path_);
        return std::nullopt;
    }
    World& world_;
    Process& process_;
    std::string path_;
};

class ProcessFiles final : public port::Files {
  public:
    ProcessFiles(World& world, Process& process) : world_(world), process_(process) {}
    Result<port::FileFacts> stat(const std::string& path) override {
        const Disk::File* found = world_.disk.find(path);
        if (found == nullptr) return Error{ErrorKind::not_found, path + ": no such file"};
        return facts_of(*found);
    }
    Result<std::unique_ptr<port::SourceFile>> open_source(const std::string& path) override {
        if (process_.life.fails(Call::open, 0)) return gone(path);
        const Disk::File* found = world_.disk.find(path);
        if (found == nullptr) return Error{ErrorKind::not_found, path + ": no such file"};
        return std::unique_ptr<port::SourceFile>(std::make_unique<Source>(world_, process_, path, *found));
    }
    Result<std::unique_ptr<port::SourceFile>> open_stdin() override {
        if (process_.life.fails(Call::open, 0)) return gone("stdin");
        return std::unique_ptr<port::SourceFile>(std::make_unique<Stream>(world_, process_, world_.stdin_of(process_)));
    }
    Result<std::unique_ptr<port::TargetFile>> open_target(const std::string& path,
                                                          const port::TargetOptions& options) override {
        if (process_.life.fails(Call::open, 0)) return Error{ErrorKind::cannot_write, path + ": permission denied"};
        Result<std::string> real = world_.disk.target_of(path, options.root_bytes);
        if (!real) return std::move(real).error();
        return std::unique_ptr<port::TargetFile>(
            std::make_unique<Target>(world_, process_, path, *std::move(real), options));
    }
    Result<std::unique_ptr<port::TargetFile>> open_stdout() override {
        return std::unique_ptr<port::TargetFile>(std::make_unique<Stdout>(process_));
    }
    Result<std::unique_ptr<port::SpoolFile>> open_spool(const std::string&) override {
        if (process_.life.fails(Call::open, 0)) return Error{ErrorKind::cannot_write, "/spool: permission denied"};
        return std::unique_ptr<port::SpoolFile>(std::make_unique<Spool>(world_, process_));
    }
    Status remove(const std::string& path, const port::FileFacts& seen) override {
        if (process_.life.fails(Call::write, world_.disk_full()))
            return Error{ErrorKind::cannot_write, path + ": permission denied"};
        const Disk::File* found = world_.disk.find(path);
        if (process_.life.killed || found == nullptr) return {};
        if (facts_of(*found) != seen) return Error{ErrorKind::source_changed, path + ": it changed meanwhile"};
        world_.on_remove(process_, path);
        world_.disk.unlink(path);
        return {};
    }
    Result<std::unique_ptr<port::Folder>> open_folder(const std::string& path) override {
        if (process_.life.fails(Call::open, world_.read_trouble())) return gone(path);
        std::string real = world_.disk.real_path(path);
        while (real.size() > 1 && real.ends_with('/')) real.pop_back();
        return std::unique_ptr<port::Folder>(std::make_unique<Folder>(world_, process_, path, real));
    }

  private:
    World& world_;
    Process& process_;
};

}  // namespace

const Disk::File* Disk::find(const std::string& path) const {
    const auto found = files.find(real_path(path));
    return found != files.end() && found->second.exists ? &found->second : nullptr;
}

bool Disk::stands(const std::string& path) const {
    if (find(path) != nullptr) return true;
    const std::string inside = real_path(path) + "/";
    const auto below = files.lower_bound(inside);
    return below != files.end() && below->first.starts_with(inside);
}

/// As lib/host/target_folders.h promises of the files of a tree; a target that was named by itself may lead anywhere.
Result<std::string> Disk::target_of(const std::string& path, std::size_t root_bytes) const {
    std::string real = real_path(path);
    if (links_.contains(real)) return Error{ErrorKind::cannot_write, path + ": too many levels of symbolic links"};
    if (root_bytes == 0) return real;
    const std::string root = real_path(path.substr(0, root_bytes - 1)) + "/";
    for (std::size_t slash = path.find('/', root_bytes);; slash = path.find('/', slash + 1)) {
        const std::string beginning = path.substr(0, slash);
        if (is_link_itself(beginning) && (!stands(beginning) || !real_path(beginning).starts_with(root)))
            return Error{ErrorKind::cannot_write, beginning + ": it is a link that leads out of the target folder"};
        if (slash == std::string::npos) return real;
    }
}

bool Disk::is_link_itself(const std::string& path) const {
    const std::size_t slash = path.rfind('/');
    return links_.contains(real_path(path.substr(0, slash)) + path.substr(slash));
}

void Disk::set(const std::string& path, BlobPtr blob, Instant now) {
    File& file = behind(path);
    if (!file.exists) file.since = now;
    file.exists = true;
    file.bytes = blob->bytes;
    ++file.version;
    file.contents.push_back(std::move(blob));
}

bool Disk::stood_since(const std::string& path, Instant from) const {
    const File* file = find(path);
    return file != nullptr && file->since <= from;
}

void Disk::link(const std::string& path, const std::string& target) {
    links_[path] = target;
    all_links_[path] = target;
}

void Disk::unlink(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string real = real_path(path.substr(0, slash)) + path.substr(slash);  // the name itself, link or file
    if (links_.erase(real) == 0) files.at(real).exists = false;
}

std::vector<port::FolderEntry> Disk::entries_of(const std::string& folder) const {
    sim::FolderNames names(folder);
    const std::string inside = folder + "/";
    for (auto at = files.lower_bound(inside); at != files.end() && at->first.starts_with(inside); ++at) {
        const bool in_subfolder = at->first.find('/', inside.size()) != std::string::npos;
        if (at->second.exists || in_subfolder) names.add(at->first, port::FileType::regular);
    }
    for (const auto& [path, target] : links_) {
        const std::string real = real_path(path);
        const auto below = files.lower_bound(real + "/");
        std::optional<port::FileType> leads_to;
        if (find(real) != nullptr)
            leads_to = port::FileType::regular;
        else if (below != files.end() && below->first.starts_with(real + "/"))
            leads_to = port::FileType::directory;
        names.add_link(path, leads_to);
    }
    return names.take();
}

std::unique_ptr<port::Files> make_files(World& world, Process& process) {
    return std::make_unique<ProcessFiles>(world, process);
}

}  // namespace s3tug::simworld
