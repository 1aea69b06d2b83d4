#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/unique_fd.h"

namespace s3tug::host {

/// A file that lines are appended to, each in one write, so that several processes can share it (O_APPEND). Made 0600.
/// A pipe or terminal works too; a line that it does not take at once is lost rather than waited for,
/// unless it is written by write_all().
class AppendFile {
  public:
    enum class Content : uint8_t { kept, emptied };

    /// `cannot_write` with path and reason. A FIFO that nobody reads is one.
    [[nodiscard]] static Result<AppendFile> open(const std::string& path, Content content = Content::kept);

    /// Writes the line and its end.
    [[nodiscard]] Status write_line(std::string_view line);

    /// Writes the text whole. A pipe that does not take it at once is waited for, up to limits::output_wait.
    [[nodiscard]] Status write_all(std::string_view text);

  private:
    AppendFile(UniqueFd fd, std::string path);

    UniqueFd fd_;
    std::string path_;
    std::string buffer_;
};

}  // namespace s3tug::host
