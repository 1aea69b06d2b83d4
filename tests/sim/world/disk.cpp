#include "sim/world/disk.h"

#include <algorithm>
#include <cstring>

#include "sim/world/world.h"

namespace s3tug::simworld {
namespace {

std::size_t copy_out(std::string_view bytes, uint64_t offset, MutableByteSpan out) {
    if (offset >= bytes.size()) return 0;
    const std::size_t n = std::min<std::size_t>(out.size(), bytes.size() - offset);
    std::memcpy(out.data(), bytes.data() + offset, n);
    return n;
}

port::FileFacts facts_of(const Disk::File& file) {
    port::FileFacts facts;
    facts.size = file.bytes.size();
    facts.mtime = wall_from_unix_seconds(1'700'000'000 + file.version);
    facts.inode = 7;
    return facts;
}

Error gone(const std::string& path) { return {ErrorKind::cannot_read, path + ": input/output error"}; }

class Source final : public port::SourceFile {
  public:
    Source(World& world, Process& process, std::string path)
        : world_(world), process_(process), path_(std::move(path)), at_open_(facts_of(file())) {}
    const port::FileFacts& at_open() const override { return at_open_; }
    Result<port::FileFacts> now() const override { return facts_of(file()); }
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override {
        if (process_.life.fails(Call::read, world_.read_trouble())) return gone(path_);
        return copy_out(file().bytes, offset, out);
    }
    Result<std::size_t> read_next(MutableByteSpan out, std::optional<Instant>) override {
        if (process_.life.fails(Call::read, world_.read_trouble())) return gone(path_);
        const std::size_t n = copy_out(file().bytes, position_, out);
        position_ += n;
        return n;
    }

  private:
    [[nodiscard]] const Disk::File& file() const { return world_.disk.files.at(path_); }
    World& world_;
    Process& process_;
    std::string path_;
    port::FileFacts at_open_;
    uint64_t position_ = 0;
};

class Stream final : public port::SourceFile {
  public:
    Stream(World& world, Process& process, std::string_view bytes) : world_(world), process_(process), bytes_(bytes) {
        facts_.type = port::FileType::stream;
    }
    const port::FileFacts& at_open() const override { return facts_; }
    Result<port::FileFacts> now() const override { return facts_; }
    Result<std::size_t> read_at(uint64_t, MutableByteSpan) const override {
        return Error{ErrorKind::bug, "a stream has no offsets"};
    }
    Result<std::size_t> read_next(MutableByteSpan out, std::optional<Instant>) override {
        if (process_.life.fails(Call::read, world_.read_trouble())) return gone("stdin");
        const std::size_t most = std::min<std::size_t>(out.size(), 1 + world_.up_to(200));
        const std::size_t n = copy_out(bytes_, position_, out.first(most));
        position_ += n;
        process_.memory.read(n);
        return n;
    }

  private:
    World& world_;
    Process& process_;
    std::string_view bytes_;
    uint64_t position_ = 0;
    port::FileFacts facts_;
};

class Target final : public port::TargetFile {
  public:
    Target(World& world, Process& process, std::string path, const port::TargetOptions& options)
        : world_(world), process_(process), path_(std::move(path)), name_(path_), options_(options) {
        while (world_.held_by_other(name_, process_)) name_ += "+";
        own_name_ = name_ == path_;
        part().locked_by = process_.id.pid;
        if (!options.resume || !own_name_) part().bytes.clear();
        left_over_ = part().bytes.size();
    }
    ~Target() override {
        if (process_.life.killed)
            tear();
        else if (keep_ && own_name_ && !committed_)
            part().locked_by = 0;
        else
            world_.disk.parts.erase(name_);
    }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    bool seekable() const override { return true; }
    Status reserve(uint64_t) override { return full(); }
    Status write_at(uint64_t offset, ByteSpan bytes) override {
        if (Status room = full(); !room) return room;
        if (process_.life.killed) return {};
        Disk::Part& file = part();
        file.bytes.resize(std::max<std::size_t>(file.bytes.size(), offset + bytes.size()));
        if (!bytes.empty()) std::memcpy(file.bytes.data() + offset, bytes.data(), bytes.size());
        file.last_write_at = offset;
        file.last_write_bytes = bytes.size();
        return {};
    }
    Status write_next(ByteSpan, std::optional<Instant>) override { return Error{ErrorKind::bug, "seekable"}; }
    Status truncate(uint64_t size) override {
        if (!process_.life.killed) part().bytes.resize(size);
        return {};
    }
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override {
        const auto found = world_.disk.parts.find(name_);
        return found == world_.disk.parts.end() ? 0 : copy_out(found->second.bytes, offset, out);
    }
    std::string kept_as() const override { return own_name_ ? path_ : std::string(); }
    void keep(bool stay) override { keep_ = stay; }
    uint64_t left_over() const override { return left_over_; }
    Status commit(std::optional<WallTime>) override {
        if (process_.life.fails(Call::commit, 0)) return Error{ErrorKind::cannot_write, path_ + ": no space"};
        if (process_.life.killed) return {};
        const auto there = world_.disk.files.find(path_);
        if (options_.keep_existing && there != world_.disk.files.end() && there->second.exists)
            return Error{ErrorKind::cannot_write, path_ + ": exists"};
        world_.on_commit(process_, path_, part().bytes);
        committed_ = true;
        return {};
    }

  private:
    Disk::Part& part() { return world_.disk.parts[name_]; }
    Status full() {
        if (!process_.life.fails(Call::write, world_.disk_full())) return {};
        return Error{ErrorKind::cannot_write, path_ + ": no space left on device"};
    }
    /// What the last write left of itself when the machine went down with the process.
    void tear() {
        if (committed_ || !world_.options.torn_writes) return;
        Disk::Part& file = part();
        const std::size_t half = file.last_write_at + file.last_write_bytes / 2;
        for (std::size_t i = half; i < file.last_write_at + file.last_write_bytes && i < file.bytes.size(); ++i)
            file.bytes[i] = '\0';
    }

    World& world_;
    Process& process_;
    std::string path_;
    std::string name_;
    port::TargetOptions options_;
    bool own_name_ = true;
    bool keep_ = false;
    bool committed_ = false;
    uint64_t left_over_ = 0;
};

class Stdout final : public port::TargetFile {
  public:
    explicit Stdout(Process& process) : process_(process) {}
    bool seekable() const override { return false; }
    Status reserve(uint64_t) override { return {}; }
    Status write_at(uint64_t, ByteSpan) override { return Error{ErrorKind::bug, "not seekable"}; }
    Status write_next(ByteSpan bytes, std::optional<Instant>) override {
        if (process_.life.fails(Call::write, 0)) return Error{ErrorKind::broken_pipe, "the reader went away"};
        process_.memory.written(bytes.size());
        written_ += bytes.size();
        process_.output.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    }
    Status truncate(uint64_t size) override {
        if (size == written_) return {};
        return Error{ErrorKind::bug, "not seekable"};
    }
    Result<std::size_t> read_at(uint64_t, MutableByteSpan) const override {
        return Error{ErrorKind::bug, "not seekable"};
    }
    Status commit(std::optional<WallTime>) override { return {}; }

  private:
    Process& process_;
    uint64_t written_ = 0;
};

class Spool final : public port::SpoolFile {
  public:
    explicit Spool(World& world, Process& process) : world_(world), process_(process) {}
    ~Spool() override { process_.memory.spool_gone(bytes_.size()); }
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;
    Status append(ByteSpan bytes) override {
        if (process_.life.fails(Call::write, world_.disk_full()))
            return Error{ErrorKind::cannot_write, "/spool: no space left on device"};
        bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        process_.memory.spooled(bytes.size());
        return {};
    }
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override {
        return copy_out(bytes_, offset, out);
    }

  private:
    World& world_;
    Process& process_;
    std::string bytes_;
};

/// What stands in it when it is opened, in the order of names. Folders stay when their last file goes.
class Folder final : public port::Folder {
  public:
    Folder(World& world, Process& process, std::string path)
        : world_(world), process_(process), path_(std::move(path)) {
        if (!path_.ends_with('/')) path_ += '/';
        facts_.type = port::FileType::directory;
        TraceHash number;
        number.add(path_);
        facts_.inode = number.value();
        std::string before;
        for (auto at = world_.disk.files.lower_bound(path_);
             at != world_.disk.files.end() && at->first.starts_with(path_); ++at) {
            const std::string_view below = std::string_view(at->first).substr(path_.size());
            const std::size_t slash = below.find('/');
            port::FileType type = port::FileType::regular;
            if (slash != std::string_view::npos) type = port::FileType::directory;
            std::string name(below.substr(0, slash));
            const bool seen = type == port::FileType::directory && name == before;
            if (seen || (type == port::FileType::regular && !at->second.exists)) continue;
            if (type == port::FileType::directory) before = name;
            entries_.push_back({std::move(name), type, false});
        }
    }
    const port::FileFacts& at_open() const override { return facts_; }
    Result<std::optional<port::FolderEntry>> next() override {
        if (process_.life.fails(Call::read, world_.read_trouble())) return gone(path_);
        if (position_ == entries_.size()) return std::optional<port::FolderEntry>();
        return std::optional(entries_[position_++]);
    }

  private:
    World& world_;
    Process& process_;
    std::string path_;
    port::FileFacts facts_;
    std::vector<port::FolderEntry> entries_;
    std::size_t position_ = 0;
};

class ProcessFiles final : public port::Files {
  public:
    ProcessFiles(World& world, Process& process) : world_(world), process_(process) {}
    Result<port::FileFacts> stat(const std::string& path) override {
        const auto found = world_.disk.files.find(path);
        if (found == world_.disk.files.end() || !found->second.exists)
            return Error{ErrorKind::not_found, path + ": no such file"};
        return facts_of(found->second);
    }
    Result<std::unique_ptr<port::SourceFile>> open_source(const std::string& path) override {
        if (process_.life.fails(Call::open, 0)) return gone(path);
        if (const auto facts = stat(path); !facts) return facts.error();
        return std::unique_ptr<port::SourceFile>(std::make_unique<Source>(world_, process_, path));
    }
    Result<std::unique_ptr<port::SourceFile>> open_stdin() override {
        if (process_.life.fails(Call::open, 0)) return gone("stdin");
        return std::unique_ptr<port::SourceFile>(std::make_unique<Stream>(world_, process_, world_.stdin_of(process_)));
    }
    Result<std::unique_ptr<port::TargetFile>> open_target(const std::string& path,
                                                          const port::TargetOptions& options) override {
        if (process_.life.fails(Call::open, 0)) return Error{ErrorKind::cannot_write, path + ": permission denied"};
        return std::unique_ptr<port::TargetFile>(std::make_unique<Target>(world_, process_, path, options));
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
        const auto found = world_.disk.files.find(path);
        if (process_.life.killed || found == world_.disk.files.end() || !found->second.exists) return {};
        if (facts_of(found->second) != seen) return Error{ErrorKind::source_changed, path + ": it changed meanwhile"};
        world_.on_remove(process_, path);
        found->second.exists = false;
        return {};
    }
    Result<std::unique_ptr<port::Folder>> open_folder(const std::string& path) override {
        if (process_.life.fails(Call::open, world_.read_trouble())) return gone(path);
        return std::unique_ptr<port::Folder>(std::make_unique<Folder>(world_, process_, path));
    }

  private:
    World& world_;
    Process& process_;
};

}  // namespace

std::unique_ptr<port::Files> make_files(World& world, Process& process) {
    return std::make_unique<ProcessFiles>(world, process);
}

}  // namespace s3tug::simworld
