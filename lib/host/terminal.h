#pragma once

#include <cstddef>
#include <optional>

namespace s3tug::host {

/// Columns of the terminal behind the descriptor, asked anew at each call, so that a resized window is seen; nullopt:
/// it is no terminal. A terminal that does not know its width has 80.
[[nodiscard]] std::optional<std::size_t> terminal_width(int fd);

}  // namespace s3tug::host
