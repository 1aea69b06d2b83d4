#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/room_ahead.h"
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
/// Data is synced before the rename (Durability in posix_files.h), so that the name never shows an empty or half file
/// after a crash of the machine. A small new file on ext4 need not wait for its sync, which is 4 to 6 ms: its blocks
/// are sent on their way before the rename, and ext4's journal (data=ordered, the default) commits no rename before the
/// blocks of the file; that is what ext4 does by itself where a rename replaces a file (auto_da_alloc). The folder is
/// not synced: after a crash within the file system's commit interval (5 s on ext4) the old file may be back, or a new
/// one not be there, and a rerun fetches it. A part file that is kept is not synced: who resumes must check what it
/// holds.
class TempTarget final : public port::TargetFile {
  public:
    struct Plan {
        bool keep_existing = false;  ///< commit fails when the name is taken meanwhile
        bool resume = false;         ///< what an earlier run kept is opened as it is
        bool durable = false;        ///< synced and waited for, whatever its size
        bool synced = true;
        mode_t umask = 0;                           ///< of the process
        std::function<void()> abandoned = nullptr;  ///< it went without commit, and nothing of it was kept
    };
    /// @param path  final path, links resolved
    /// @param old   of the file that stands there; null = none
    [[nodiscard]] static Result<std::unique_ptr<port::TargetFile>> open(std::string path, const struct stat* old,
                                                                        const Plan& plan);
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
    TempTarget(std::string path, const Plan& plan) : path_(std::move(path)), plan_(plan) {}

    [[nodiscard]] Status open_part();
    [[nodiscard]] Status settle_data();
    [[nodiscard]] Status rename_part();

    std::string path_;
    Plan plan_;
    std::string part_;
    bool own_name_ = false;  ///< of the part: the one that a later run looks for
    bool keep_ = false;
    bool replaces_ = false;  ///< a file that stood there when this one was opened
    uint64_t end_ = 0;       ///< of what was written
    uint64_t left_over_ = 0;
    UniqueFd fd_;
    std::unique_ptr<RoomAhead> ahead_;
    mode_t mode_ = 0;
    std::optional<Owner> owner_;
    uint64_t next_ = 0;
    bool committed_ = false;
};

}  // namespace s3tug::host
