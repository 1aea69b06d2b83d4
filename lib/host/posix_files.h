#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "host/signal_flag.h"
#include "host/target_folders.h"
#include "port/clock.h"
#include "port/files.h"

namespace s3tug::host {

/// What a crash of the machine may do to a file that was fetched: with `synced` it leaves the old one or the whole new
/// one, at the price of one flush per file: 4 ms on the SSD it was measured on, nearly nothing for small new files on
/// ext4 (temp_target.h says why), seconds for a large file on a slow disk, during which nothing else happens. Without,
/// some file systems leave an empty one. A crash of the process is harmless either way.
enum class Durability : uint8_t { synced, renamed_only };

/// The local file system (see posix_source.h, temp_target.h, posix_target.h, posix_spool.h for what the files do).
///
/// Names of descriptors - /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N, /proc/self/fd/N - mean the descriptor itself
/// from where it stands, as `-` does, whatever is behind it. Other links are followed, so that what they point to is
/// read, or replaced.
class PosixFiles final : public port::Files {
  public:
    /// Reads the umask, so to be made before there are other threads that make files. SIGPIPE must be ignored
    /// (SignalFlag). `clock` and what `stop` points to outlive this and all its files.
    PosixFiles(port::Clock& clock, const StopSignal& stop, Durability durability = Durability::synced);

    [[nodiscard]] Result<port::FileFacts> stat(const std::string& path) override;
    [[nodiscard]] Result<std::unique_ptr<port::SourceFile>> open_source(const std::string& path) override;
    [[nodiscard]] Result<std::unique_ptr<port::SourceFile>> open_stdin() override;
    [[nodiscard]] Result<std::unique_ptr<port::TargetFile>> open_target(const std::string& path,
                                                                        const port::TargetOptions& options) override;
    [[nodiscard]] Result<std::unique_ptr<port::TargetFile>> open_stdout() override;
    [[nodiscard]] Result<std::unique_ptr<port::SpoolFile>> open_spool(const std::string& folder) override;
    [[nodiscard]] Status remove(const std::string& path, const port::FileFacts& seen) override;
    [[nodiscard]] Result<std::unique_ptr<port::Folder>> open_folder(const std::string& path) override;

  private:
    [[nodiscard]] Result<std::unique_ptr<port::SourceFile>> open_descriptor_source(int fd, const std::string& name);
    [[nodiscard]] Result<std::unique_ptr<port::TargetFile>> open_descriptor_target(int fd, const std::string& name);
    [[nodiscard]] Result<std::unique_ptr<port::TargetFile>> open_in_place(const std::string& path, mode_t type);

    port::Clock& clock_;
    StopSignal stop_;
    Durability durability_;
    mode_t umask_;
    TargetFolders target_folders_;
};

}  // namespace s3tug::host
