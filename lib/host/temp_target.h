#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "host/unique_fd.h"
#include "port/files.h"

namespace s3tug::host {

/// A regular file as target: the bytes go to `.NAME.s3tug-part` beside it, and commit() renames. The part file is made
/// anew without following links, locked (flock) while it is in use, and removed without commit unless it is to be kept;
/// one that an earlier run left behind is used again, emptied unless it is to be resumed; one that another run holds is
/// left alone, and then a suffix is added.
///
/// A file that is replaced keeps its mode and, where permitted, its owner; a new one gets 0666 less the umask. While
/// it is a part only its owner can read it.
///
/// Durability: data is synced before the rename, so that a crash leaves the old file or the whole new one. The folder
/// is not synced: after a crash within the file system's commit interval it may still be the old one. A part file that
/// is kept is not synced: who resumes must check what it holds.
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
    [[nodiscard]] std::string kept_as() const override;
    void keep(bool stay) override { keep_ = stay; }
    [[nodiscard]] uint64_t left_over() const override { return left_over_; }
    [[nodiscard]] Status commit(std::optional<WallTime> mtime) override;

  private:
    struct Owner {
        uid_t user;
        gid_t group;
    };
    TempTarget(std::string path, const port::TargetOptions& options) : path_(std::move(path)), options_(options) {}

    [[nodiscard]] Status open_part();
    [[nodiscard]] Status rename_part();

    std::string path_;
    port::TargetOptions options_;
    std::string part_;
    bool own_name_ = false;  ///< of the part: the one that a later run looks for
    bool keep_ = false;
    uint64_t left_over_ = 0;
    UniqueFd fd_;
    mode_t mode_ = 0;
    std::optional<Owner> owner_;
    uint64_t next_ = 0;
    bool committed_ = false;
};

}  // namespace s3tug::host
