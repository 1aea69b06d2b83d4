#pragma once

namespace s3tug::host {

/// Keeps descriptors 0, 1 and 2 from being given to files that we open, when the caller closed them: else data that
/// was meant for stdout would end up in such a file, and a closed stdin would read as one. First thing in main().
/// A descriptor that was closed still fails on use, with EBADF.
void reserve_standard_streams();

/// False when the descriptor was closed by the caller.
[[nodiscard]] bool is_open(int fd);

}  // namespace s3tug::host
