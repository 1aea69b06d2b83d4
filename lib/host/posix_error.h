#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "port/files.h"

namespace s3tug::host {

/// Errors of the file port from errno. `what` is a path or "standard input", shown printable; `reason` follows it.
[[nodiscard]] Error read_failure(std::string_view what, int error);  ///< `cannot_read`; ENOENT is `not_found`
[[nodiscard]] Error write_failure(std::string_view what,
                                  int error);  ///< `cannot_write`, `disk_full`; EPIPE is `broken_pipe`
[[nodiscard]] Error cannot_read(std::string_view what, std::string_view reason);
[[nodiscard]] Error cannot_write(std::string_view what, std::string_view reason);
[[nodiscard]] std::string no_space(uint64_t needs, uint64_t has);  ///< the reason, for cannot_write

[[nodiscard]] port::FileFacts facts_of(const struct stat& status);

}  // namespace s3tug::host
