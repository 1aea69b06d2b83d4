#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "host/unique_fd.h"
#include "port/files.h"

namespace s3tug::host {

/// A regular file as target: the bytes go to `.NAME.s3tug-part` beside it, and commit() renames. The part file is made
/// anew without following links, locked while it is in use, and removed without commit; one that a killed run left
/// behind is used again, one that another run holds is left alone, and then a suffix is added.
///
/// A file that is replaced keeps its mode and, where permitted, its owner; a new one gets 0666 less the umask. While
/// it is a part only its owner can read it.
///
/// Durability: data is synced before the rename, so that a crash leaves the old file or the whole new one. The folder
/// is not synced: after a crash within the file system's commit interval it may still be the old one.
class TempTarget final : public port::TargetFile {
  public:
    /// @param path  final path, links resolved
    /// @param umask  of the process
    [[nodiscard]] static Result<std::unique_ptr<port::TargetFile>> open(const std::string& path,
                                                                        const port::TargetOptions& options,
                                                                        mode_t umask);
    ~TempTarget() override;
    TempTarget(const TempTarget&) = delete;
    TempTarget& operator=(const TempTarget&) = delete;

    [[nodiscard]] bool seekable() const override { return true; }
    [[nodiscard]] Status reserve(uint64_t size) override;
    [[nodiscard]] Status write_at(uint64_t offset, ByteSpan bytes) override;
    [[nodiscard]] Status write_next(ByteSpan bytes, std::optional<Instant> until) override;
    [[nodiscard]] Status truncate(uint64_t size) override;
    [[nodiscard]] Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override;
    [[nodiscard]] Status commit(std::optional<WallTime> mtime) override;

  private:
    struct Owner {
        uid_t user;
        gid_t group;
    };
    TempTarget(std::string path, bool keep_existing) : path_(std::move(path)), keep_existing_(keep_existing) {}

    [[nodiscard]] Status open_part();
    [[nodiscard]] Status rename_part();

    std::string path_;
    bool keep_existing_;
    std::string part_;
    UniqueFd fd_;
    mode_t mode_ = 0;
    std::optional<Owner> owner_;
    uint64_t next_ = 0;
    bool committed_ = false;
};

}  // namespace s3tug::host
