#include "support/memory_files.h"
#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

port::FileFacts facts_of(const SimFiles::File& file) { return regular_facts(file.bytes.size(), file.version); }

class Source final : public MemorySource {
  public:
    Source(SimFiles& world, std::string path)
        : MemorySource(facts_of(world.files.at(path))), world_(world), path_(std::move(path)) {}
    Result<port::FileFacts> now() const override {
        if (std::optional<Error> error = world_.fails("stat")) return *std::move(error);
        return facts_of(world_.files.at(path_));
    }

  private:
    std::string_view bytes() const override { return world_.files.at(path_).bytes; }
    std::optional<Error> fails(uint64_t offset) const override {
        if (world_.on_read) world_.on_read(path_, offset);
        return world_.fails("read");
    }
    SimFiles& world_;
    std::string path_;
};

class Stream final : public MemoryStream {
  public:
    explicit Stream(SimFiles& world) : world_(world) { world_.stdin_read = 0; }

  private:
    std::string_view bytes() const override { return world_.stdin_bytes; }
    std::optional<Error> fails() override { return world_.fails("read on"); }
    void took(std::size_t bytes) override { world_.stdin_read += bytes; }
    SimFiles& world_;
};

class Target final : public MemoryTarget {
  public:
    Target(SimFiles& world, std::string path, const port::TargetOptions& options)
        : MemoryTarget(std::move(path)), world_(world) {
        take_name([this](const std::string& name) { return world_.parts[name].locked; }, options);
        world_.parts[name_].locked = true;
    }
    ~Target() override {
        if (world_.killed) return;
        if (stays())
            world_.parts[name_].locked = false;
        else
            world_.parts.erase(name_);
    }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    Status commit(std::optional<WallTime>) override {
        if (world_.on_commit) world_.on_commit();
        if (std::optional<Error> error = world_.fails("commit")) return *std::move(error);
        world_.files[path_].bytes = part();
        committed_ = true;
        return {};
    }

  private:
    std::string& part() const override { return world_.parts[name_].bytes; }
    std::optional<Error> fails(std::string_view call, uint64_t size) const override {
        if (call == "reserve" && size > world_.room) return Error{ErrorKind::cannot_write, path_ + ": no space"};
        return world_.fails(call);
    }
    void wrote(uint64_t offset, std::size_t bytes) override {
        world_.bytes_written += bytes;
        if (world_.on_write) world_.on_write(part(), offset);
    }
    SimFiles& world_;
};

class Stdout final : public MemoryStdout {
  public:
    explicit Stdout(SimFiles& world) : world_(world) {}

  private:
    Status take(ByteSpan bytes) override {
        if (std::optional<Error> error = world_.fails("write")) return *std::move(error);
        if (world_.stdout_breaks) return Error{ErrorKind::broken_pipe, "the reader of stdout went away"};
        world_.stdout_bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    }
    SimFiles& world_;
};

class Spool final : public MemorySpool {
  public:
    explicit Spool(SimFiles& world) : world_(world) {}

  private:
    std::optional<Error> fails(std::string_view call) const override { return world_.fails(call); }
    SimFiles& world_;
};

}  // namespace

Result<port::FileFacts> SimFiles::stat(const std::string& path) {
    const auto found = files.find(without_links(links, path));
    if (found != files.end()) return facts_of(found->second);
    if (!is_folder(without_links(links, path))) return Error{ErrorKind::not_found, path + ": no such file"};
    port::FileFacts facts;
    facts.type = port::FileType::directory;
    return facts;
}

Result<std::unique_ptr<port::SourceFile>> SimFiles::open_source(const std::string& named) {
    const std::string path = without_links(links, named);
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
