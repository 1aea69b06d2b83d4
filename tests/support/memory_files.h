#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/files.h"

/// Open files whose bytes lie in memory: what SimFiles (one process, for unit tests) and the simulator's disk (many
/// processes that are killed) have in common. What makes a call fail, and where the bytes are, is said by who derives.
namespace s3tug::sim {

[[nodiscard]] std::size_t copy_out(std::string_view bytes, uint64_t offset, MutableByteSpan out);
[[nodiscard]] port::FileFacts regular_facts(std::size_t size, int64_t version);  ///< another version, another mtime

/// Symbolic links: absolute path of the link -> absolute path that it names, which need not be there.
using Links = std::map<std::string, std::string>;
/// Follows links anywhere in the path, as often as a system does; of a link that leads to itself some path is left
/// under which nothing stands.
[[nodiscard]] std::string without_links(const Links& links, std::string path);

class MemorySource : public port::SourceFile {
  public:
    explicit MemorySource(const port::FileFacts& at_open) : at_open_(at_open) {}
    const port::FileFacts& at_open() const override { return at_open_; }
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override;
    Result<std::size_t> read_next(MutableByteSpan out, std::optional<Instant> until) override;

  protected:
    [[nodiscard]] virtual std::string_view bytes() const = 0;
    [[nodiscard]] virtual std::optional<Error> fails(uint64_t offset) const = 0;  ///< the read from there

  private:
    port::FileFacts at_open_;
    uint64_t position_ = 0;
};

/// What comes on stdin.
class MemoryStream : public port::SourceFile {
  public:
    MemoryStream() { facts_.type = port::FileType::stream; }
    const port::FileFacts& at_open() const override { return facts_; }
    Result<port::FileFacts> now() const override { return facts_; }
    Result<std::size_t> read_at(uint64_t, MutableByteSpan) const override;
    Result<std::size_t> read_next(MutableByteSpan out, std::optional<Instant> until) override;

  protected:
    [[nodiscard]] virtual std::string_view bytes() const = 0;
    [[nodiscard]] virtual std::optional<Error> fails() = 0;
    [[nodiscard]] virtual std::size_t most(std::size_t asked) { return asked; }  ///< that one read gives
    virtual void took(std::size_t /*bytes*/) {}

  private:
    port::FileFacts facts_;
    std::size_t position_ = 0;
};

/// Bytes beside the target, until they are committed.
class MemoryTarget : public port::TargetFile {
  public:
    bool seekable() const override { return true; }
    Status reserve(uint64_t size) override;
    Status write_at(uint64_t offset, ByteSpan bytes) override;
    Status write_next(ByteSpan bytes, std::optional<Instant> until) override;
    Status truncate(uint64_t size) override;
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override;
    std::string kept_as() const override { return own_name_ ? path_ : std::string(); }
    void keep(bool stay) override { keep_ = stay; }
    uint64_t left_over() const override { return left_over_; }

  protected:
    explicit MemoryTarget(std::string path) : path_(std::move(path)), name_(path_) {}
    /// From the constructor of who derives: the first name that nobody else holds, and what an earlier run left there.
    void take_name(const std::function<bool(const std::string&)>& held, const port::TargetOptions& options);
    [[nodiscard]] bool stays() const { return keep_ && own_name_ && !committed_; }

    [[nodiscard]] virtual std::string& part() const = 0;
    /// "reserve", "write", "truncate", "read back"
    [[nodiscard]] virtual std::optional<Error> fails(std::string_view call, uint64_t size) const = 0;
    [[nodiscard]] virtual bool dead() const { return false; }  ///< killed: nothing has an effect any more
    virtual void wrote(uint64_t /*offset*/, std::size_t /*bytes*/) {}

    const std::string path_;
    std::string name_;  ///< of the part
    bool committed_ = false;

  private:
    bool own_name_ = true;
    bool keep_ = false;
    uint64_t left_over_ = 0;
};

/// Stdout: in order only. As with lib/host, a truncate to what was written is no change, and any other is refused.
class MemoryStdout : public port::TargetFile {
  public:
    bool seekable() const override { return false; }
    Status reserve(uint64_t) override { return {}; }
    Status write_at(uint64_t offset, ByteSpan bytes) override;
    Status write_next(ByteSpan bytes, std::optional<Instant> until) override;
    Status truncate(uint64_t size) override;
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override;
    Status commit(std::optional<WallTime>) override { return {}; }

  protected:
    virtual Status take(ByteSpan bytes) = 0;

  private:
    uint64_t written_ = 0;
};

class MemorySpool : public port::SpoolFile {
  public:
    Status append(ByteSpan bytes) override;
    Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override;

  protected:
    [[nodiscard]] virtual std::optional<Error> fails(std::string_view call) const = 0;  ///< "spool", "read spool"
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  private:
    std::string bytes_;
};

/// What stands in one folder, gathered from the paths of all that there is.
class FolderNames {
  public:
    explicit FolderNames(std::string path) : path_(std::move(path)) {}  ///< without '/' at its end
    void add(std::string_view full, port::FileType type);
    /// @param leads_to  nothing: nowhere
    void add_link(std::string_view full, std::optional<port::FileType> leads_to);
    [[nodiscard]] std::vector<port::FolderEntry> take();  ///< in the order of names

  private:
    [[nodiscard]] std::string_view below(std::string_view full) const;  ///< empty: not in it
    std::string path_;
    std::map<std::string, port::FolderEntry> found_;
};

/// Entries are found when the folder is opened.
class MemoryFolder : public port::Folder {
  public:
    MemoryFolder(std::vector<port::FolderEntry> entries, uint64_t inode);
    const port::FileFacts& at_open() const override { return facts_; }
    Result<std::optional<port::FolderEntry>> next() override;

  protected:
    [[nodiscard]] virtual std::optional<Error> fails() const = 0;

  private:
    std::vector<port::FolderEntry> entries_;
    port::FileFacts facts_;
    std::size_t position_ = 0;
};

}  // namespace s3tug::sim
