#pragma once

#include <string>

#include "host/unique_fd.h"
#include "port/files.h"

namespace s3tug::host {

/// A temporary file without a name, so that nothing stays behind whatever ends the process.
class PosixSpool final : public port::SpoolFile {
  public:
    /// `cannot_write` names the folder.
    [[nodiscard]] static Result<std::unique_ptr<port::SpoolFile>> open(const std::string& folder);

    [[nodiscard]] Status append(ByteSpan bytes) override;
    [[nodiscard]] Result<std::size_t> read_at(uint64_t offset, MutableByteSpan out) const override;

  private:
    PosixSpool(UniqueFd fd, std::string what) : fd_(std::move(fd)), what_(std::move(what)) {}

    UniqueFd fd_;
    std::string what_;
    uint64_t size_ = 0;
};

}  // namespace s3tug::host
