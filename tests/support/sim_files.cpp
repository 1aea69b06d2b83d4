#include <algorithm>
#include <cstring>

#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

std::size_t copy_out(const std::string& bytes, uint64_t offset, MutableByteSpan out) {
    if (offset >= bytes.size()) return 0;
    const std::size_t n = std::min<std::size_t>(out.size(), bytes.size() - offset);
    std::memcpy(out.data(), bytes.data() + offset, n);
    return n;
}

port::FileFacts facts_of(const SimFiles::File& file) {
    port::FileFacts facts;
    facts.size = file.bytes.size();
    facts.mtime = wall_from_unix_seconds(1'700'000'000 + file.version);
    facts.inode = 7;
    return facts;
}

class Source final : public port::SourceFile {
  public:
    Source(SimFiles& world, std::string path)
        : world_(world), path_(std::move(path)), at_open_(facts_of(world_.files.at(path_))) {}
    const port::FileFacts& at_open() const override { return at_open_; }
    Result<port::FileFacts> now() const override {
        if (std::optional<Error> error = world_.fails("stat")) return *std::move(error);
        return facts_of(world_.files.at(path_));
    }
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override {
        if (world_.on_read) world_.on_read(path_, offset);
        if (std::optional<Error> error = world_.fails("read")) return *std::move(error);
        return copy_out(world_.files.at(path_).bytes, offset, out);
    }
    Result<std::size_t> read_next(MutableByteSpan out, std::optional<Instant>) override {
        const std::size_t n = copy_out(world_.files.at(path_).bytes, position_, out);
        position_ += n;
        return n;
    }

  private:
    SimFiles& world_;
    std::string path_;
    port::FileFacts at_open_;
    uint64_t position_ = 0;
};

class Stream final : public port::SourceFile {
  public:
    explicit Stream(SimFiles& world) : world_(world), bytes_(world.stdin_bytes), position_(world.stdin_read) {
        position_ = 0;
        facts_.type = port::FileType::stream;
    }
    const port::FileFacts& at_open() const override { return facts_; }
    Result<port::FileFacts> now() const override { return facts_; }
    Result<std::size_t> read_at(uint64_t, MutableByteSpan) const override {
        return Error{ErrorKind::bug, "a stream has no offsets"};
    }
    Result<std::size_t> read_next(MutableByteSpan out, std::optional<Instant>) override {
        if (std::optional<Error> error = world_.fails("read on")) return *std::move(error);
        const std::size_t n = copy_out(bytes_, position_, out);
        position_ += n;
        return n;
    }

  private:
    SimFiles& world_;
    std::string& bytes_;
    port::FileFacts facts_;
    std::size_t& position_;
};

class Target final : public port::TargetFile {
  public:
    Target(SimFiles& world, std::string path, const port::TargetOptions& options)
        : world_(world), path_(std::move(path)), own_name_(!world.parts[path_].locked), name_(path_) {
        while (world_.parts[name_].locked) name_ += "+";
        world_.parts[name_].locked = true;
        if (!options.resume || !own_name_) world_.parts[name_].bytes.clear();
        left_over_ = world_.parts[name_].bytes.size();
    }
    ~Target() override {
        if (world_.killed) return;
        if (keep_ && own_name_ && !committed_)
            world_.parts[name_].locked = false;
        else
            world_.parts.erase(name_);
    }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    bool seekable() const override { return true; }
    Status reserve(uint64_t size) override {
        if (size > world_.room) return Error{ErrorKind::cannot_write, path_ + ": no space"};
        if (std::optional<Error> error = world_.fails("reserve")) return *std::move(error);
        return {};
    }
    Status write_at(uint64_t offset, ByteSpan bytes) override {
        if (std::optional<Error> error = world_.fails("write")) return *std::move(error);
        std::string& part = world_.parts[name_].bytes;
        part.resize(std::max<std::size_t>(part.size(), offset + bytes.size()));
        std::memcpy(part.data() + offset, bytes.data(), bytes.size());
        world_.bytes_written += bytes.size();
        if (world_.on_write) world_.on_write(part, offset);
        return {};
    }
    Status write_next(ByteSpan, std::optional<Instant>) override { return Error{ErrorKind::bug, "seekable"}; }
    Status truncate(uint64_t size) override {
        if (std::optional<Error> error = world_.fails("truncate")) return *std::move(error);
        world_.parts[name_].bytes.resize(size);
        return {};
    }
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override {
        if (std::optional<Error> error = world_.fails("read back")) return *std::move(error);
        return copy_out(world_.parts[name_].bytes, offset, out);
    }
    std::string kept_as() const override { return own_name_ ? path_ : std::string(); }
    void keep(bool stay) override { keep_ = stay; }
    uint64_t left_over() const override { return left_over_; }
    Status commit(std::optional<WallTime>) override {
        if (world_.on_commit) world_.on_commit();
        if (std::optional<Error> error = world_.fails("commit")) return *std::move(error);
        world_.files[path_].bytes = world_.parts[name_].bytes;
        committed_ = true;
        return {};
    }

  private:
    SimFiles& world_;
    std::string path_;
    bool own_name_;
    std::string name_;
    bool keep_ = false;
    bool committed_ = false;
    uint64_t left_over_ = 0;
};

class Stdout final : public port::TargetFile {
  public:
    explicit Stdout(SimFiles& world) : world_(world) {}
    bool seekable() const override { return false; }
    Status reserve(uint64_t) override { return {}; }
    Status write_at(uint64_t, ByteSpan) override { return Error{ErrorKind::bug, "not seekable"}; }
    Status write_next(ByteSpan bytes, std::optional<Instant>) override {
        if (std::optional<Error> error = world_.fails("write")) return *std::move(error);
        if (world_.stdout_breaks) return Error{ErrorKind::broken_pipe, "the reader of stdout went away"};
        world_.stdout_bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    }
    Status truncate(uint64_t) override { return Error{ErrorKind::bug, "not seekable"}; }
    Result<std::size_t> read_at(uint64_t, MutableByteSpan) const override {
        return Error{ErrorKind::bug, "not seekable"};
    }
    Status commit(std::optional<WallTime>) override { return {}; }

  private:
    SimFiles& world_;
};

class Spool final : public port::SpoolFile {
  public:
    explicit Spool(SimFiles& world) : world_(world) {}
    Status append(ByteSpan bytes) override {
        if (std::optional<Error> error = world_.fails("spool")) return *std::move(error);
        bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    }
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override {
        if (std::optional<Error> error = world_.fails("read spool")) return *std::move(error);
        return copy_out(bytes_, offset, out);
    }

  private:
    SimFiles& world_;
    std::string bytes_;
};

}  // namespace

Result<port::FileFacts> SimFiles::stat(const std::string& path) {
    const auto found = files.find(without_links(path));
    if (found != files.end()) return facts_of(found->second);
    if (!is_folder(without_links(path))) return Error{ErrorKind::not_found, path + ": no such file"};
    port::FileFacts facts;
    facts.type = port::FileType::directory;
    return facts;
}

Result<std::unique_ptr<port::SourceFile>> SimFiles::open_source(const std::string& named) {
    const std::string path = without_links(named);
    if (unreadable.contains(path)) return Error{ErrorKind::cannot_read, path + ": permission denied"};
    if (!files.contains(path)) return Error{ErrorKind::not_found, path + ": no such file"};
    return std::unique_ptr<port::SourceFile>(std::make_unique<Source>(*this, path));
}

Result<std::unique_ptr<port::SourceFile>> SimFiles::open_stdin() {
    return std::unique_ptr<port::SourceFile>(std::make_unique<Stream>(*this));
}

Result<std::unique_ptr<port::TargetFile>> SimFiles::open_target(const std::string& path,
                                                                const port::TargetOptions& options) {
    if (path.starts_with("/readonly/")) return Error{ErrorKind::cannot_write, path + ": permission denied"};
    if (is_folder(path)) return Error{ErrorKind::cannot_write, path + ": it is a folder"};
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        if (files.contains(path.substr(0, slash)))
            return Error{ErrorKind::cannot_write, path + ": a file stands where a folder must be"};
    }
    return std::unique_ptr<port::TargetFile>(std::make_unique<Target>(*this, path, options));
}

Result<std::unique_ptr<port::TargetFile>> SimFiles::open_stdout() {
    return std::unique_ptr<port::TargetFile>(std::make_unique<Stdout>(*this));
}

Status SimFiles::remove(const std::string& path, const port::FileFacts& seen) {
    const auto found = files.find(path);
    if (found == files.end()) return {};
    if (facts_of(found->second) != seen) return Error{ErrorKind::source_changed, path + ": it changed meanwhile"};
    if (path.starts_with("/readonly/")) return Error{ErrorKind::cannot_write, path + ": permission denied"};
    files.erase(found);
    return {};
}

Result<std::unique_ptr<port::SpoolFile>> SimFiles::open_spool(const std::string&) {
    if (std::optional<Error> error = fails("open spool")) return *std::move(error);
    return std::unique_ptr<port::SpoolFile>(std::make_unique<Spool>(*this));
}

}  // namespace s3tug::sim
