#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "port/files.h"

namespace s3tug::cmd {

/// Lines of a file or stream as they come. Holds one line and one chunk.
class LineReader {
  public:
    explicit LineReader(std::unique_ptr<port::SourceFile> source) : source_(std::move(source)) {}

    enum class Got : uint8_t { line, nothing_yet, end };
    /// The next line without its end (LF or CRLF); the last one needs none. A byte order mark before the first is no
    /// part of it.
    /// @param until  how long to wait for the writer; nullopt = until a signal. Then `nothing_yet`.
    /// Errors: a line beyond limits::run_line_max_bytes (`usage`), NUL bytes (`usage`), a read that failed.
    [[nodiscard]] Result<Got> next(std::string& line, std::optional<Instant> until);

    [[nodiscard]] std::size_t number() const { return number_; }  ///< of the last line, from 1

  private:
    std::unique_ptr<port::SourceFile> source_;
    std::string held_;
    std::size_t position_ = 0;
    std::size_t number_ = 0;
    bool end_ = false;
};

}  // namespace s3tug::cmd
