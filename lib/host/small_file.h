#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"

namespace s3tug::host {

/// The whole content of a small file. nullopt when there is none of that name. Errors are `cannot_read` and name the
/// path and the reason: no permission, a folder, a pipe (which could keep us waiting for ever), more than `limit`
/// bytes.
[[nodiscard]] Result<std::optional<std::string>> read_small_file(const std::string& path, std::size_t limit);

}  // namespace s3tug::host
