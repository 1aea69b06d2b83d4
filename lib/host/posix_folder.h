#pragma once

#include <dirent.h>

#include <memory>
#include <string>

#include "host/signal_flag.h"
#include "port/files.h"

namespace s3tug::host {

/// readdir(3). A look at an entry costs a system call only where the file system does not say its type, and for links.
class PosixFolder final : public port::Folder {
  public:
    [[nodiscard]] static Result<std::unique_ptr<port::Folder>> open(const std::string& path, const StopSignal& stop);

    [[nodiscard]] const port::FileFacts& at_open() const override { return at_open_; }
    [[nodiscard]] Result<std::optional<port::FolderEntry>> next() override;

  private:
    struct Close {
        void operator()(DIR* stream) const { ::closedir(stream); }
    };
    PosixFolder(DIR* stream, std::string path, const StopSignal& stop)
        : stream_(stream), path_(std::move(path)), stop_(stop) {}
    [[nodiscard]] port::FolderEntry look_at(const dirent& raw) const;

    std::unique_ptr<DIR, Close> stream_;
    std::string path_;
    StopSignal stop_;
    port::FileFacts at_open_;
};

}  // namespace s3tug::host
