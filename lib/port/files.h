#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"

namespace s3tug::port {

enum class FileType : uint8_t { regular, directory, stream, other };  ///< stream: pipe, FIFO, socket, device, /dev/fd/N

struct FileFacts {
    FileType type = FileType::regular;
    uint64_t size = 0;
    WallTime mtime{};
    uint64_t inode = 0;
    uint64_t device = 0;
    bool operator==(const FileFacts&) const = default;
};

/// A file or stream opened for reading, once. `read_at` may be called from several threads.
class SourceFile {
  public:
    virtual ~SourceFile() = default;
    [[nodiscard]] virtual const FileFacts& at_open() const = 0;
    [[nodiscard]] virtual Result<FileFacts> now() const = 0;  ///< fstat of the open file
    /// Regular files only. Fewer bytes than asked means the end of the file.
    [[nodiscard]] virtual Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const = 0;
    /// In order, for streams (and regular files that yield bytes though their size is 0). 0 = end. Waits for the
    /// producer until `until` (min(): not at all), then `deadline`; a signal ends the wait with `interrupted`.
    [[nodiscard]] virtual Result<std::size_t> read_next(MutableByteSpan out, std::optional<Instant> until) = 0;
};

/// A place for downloaded bytes. Nothing stands under the final name before commit(), except for targets that are not
/// regular files, which are written in place. Destroyed without commit: the old file is as it was. A part file is
/// locked while it is open: another live process neither reads nor changes it.
class TargetFile {
  public:
    virtual ~TargetFile() = default;
    [[nodiscard]] virtual bool seekable() const = 0;  ///< write_at works, and a failed attempt can be begun again
    /// Called once the size is known and before the first byte: no room on the disk is `cannot_write` at once, not
    /// after hours. Does nothing where it makes no sense.
    [[nodiscard]] virtual Status reserve(uint64_t size) = 0;
    [[nodiscard]] virtual Status write_at(uint64_t offset, ByteSpan bytes) = 0;
    /// In order, for streams. EPIPE is `broken_pipe`; waits for the reader until `until`, then `deadline`.
    [[nodiscard]] virtual Status write_next(ByteSpan bytes, std::optional<Instant> until) = 0;
    [[nodiscard]] virtual Status truncate(uint64_t size) = 0;
    [[nodiscard]] virtual Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const = 0;
    /// Names the bytes that keep() would leave behind, the same in every process: the absolute path of the target.
    /// Empty where nothing can be kept: streams, devices, and a part file under another name because another process
    /// holds the one of this target.
    [[nodiscard]] virtual std::string kept_as() const { return {}; }
    /// True: when destroyed without commit, what was written stays for a later open with `resume`. False: nothing
    /// stays, which is how a target begins. Does nothing where kept_as() is empty.
    virtual void keep(bool /*stay*/) {}
    /// How many bytes an earlier run left, 0 unless opened with `resume`. Nothing says what they are.
    [[nodiscard]] virtual uint64_t left_over() const { return 0; }
    /// Sets the time when given, makes the bytes durable as the file system's rename promises, renames.
    [[nodiscard]] virtual Status commit(std::optional<WallTime> mtime) = 0;
};

struct TargetOptions {
    bool keep_existing = false;  ///< --no-clobber: a file that exists, also one that appears meanwhile, is not replaced
    bool durable = false;        ///< the source is deleted afterwards: synced before commit() whatever its size
    bool resume = false;         ///< what an earlier run kept is opened as it is, and not emptied
    /// Above 0: a file of a tree, and the first so many bytes of its path, with their '/', are the folder that the user
    /// named. Folders that are missing are made; no link below the named folder is followed out of it.
    std::size_t root_bytes = 0;
};

/// One name in a folder.
struct FolderEntry {
    std::string name;                   ///< as it stands, any bytes but '/' and NUL; never "." or ".."
    FileType type = FileType::other;    ///< of what it leads to, when it is a link
    bool link = false;                  ///< a symbolic link
    std::optional<Error> trouble = {};  ///< why its type is not known: a link that leads nowhere
};

/// A folder opened for reading, once.
class Folder {
  public:
    virtual ~Folder() = default;
    [[nodiscard]] virtual const FileFacts& at_open() const = 0;  ///< device and inode tell whether it is the same one
    /// In the order of the file system. Nothing: that was the last one. After a signal `interrupted`.
    [[nodiscard]] virtual Result<std::optional<FolderEntry>> next() = 0;
};

/// Unlinked temporary file: written once in order, then read by offset.
class SpoolFile {
  public:
    virtual ~SpoolFile() = default;
    [[nodiscard]] virtual Status append(ByteSpan bytes) = 0;
    [[nodiscard]] virtual Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const = 0;
};

/// The local file system. Errors name the path and the system's reason: `not_found`, `cannot_read`, `cannot_write`.
class Files {
  public:
    virtual ~Files() = default;
    [[nodiscard]] virtual Result<FileFacts> stat(const std::string& path) = 0;  ///< follows links
    [[nodiscard]] virtual Result<std::unique_ptr<SourceFile>> open_source(const std::string& path) = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<SourceFile>> open_stdin() = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<TargetFile>> open_target(const std::string& path,
                                                                          const TargetOptions& options) = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<TargetFile>> open_stdout() = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<SpoolFile>> open_spool(const std::string& folder) = 0;
    /// Removes a regular file (a link to one: the link) that is still the one seen before: `source_changed` when
    /// another stands there or it was written to. One that is gone already is a success.
    [[nodiscard]] virtual Status remove(const std::string& path, const FileFacts& seen) = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<Folder>> open_folder(const std::string& path) = 0;  ///< follows links
};

}  // namespace s3tug::port
