#pragma once

#include "base/error.h"
#include "cmd/output.h"

namespace s3tug::cmd {

/// Tells the error as the last line of the command; gives its exit code.
[[nodiscard]] int fail(Output& output, const Error& error);

/// The exit code of a command that printed to standard output. What could not be written there changes it: the reader
/// went away, or the disk is full.
[[nodiscard]] int end_with(Output& output, int code);

}  // namespace s3tug::cmd
