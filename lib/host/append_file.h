#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "host/unique_fd.h"

namespace s3tug::host {

/// A file that lines are appended to, each in one write, so that several processes can share it (O_APPEND). Made 0600.
/// A pipe or terminal works too; a line that it does not take at once is lost rather than waited for.
class AppendFile {
  public:
    /// `cannot_write` with path and reason. A FIFO that nobody reads is one.
    [[nodiscard]] static Result<AppendFile> open(const std::string& path);

    /// Writes the line and its end.
    [[nodiscard]] Status write_line(std::string_view line);

  private:
    AppendFile(UniqueFd fd, std::string path);

    UniqueFd fd_;
    std::string path_;
    std::string buffer_;
};

}  // namespace s3tug::host
