#pragma once

#include <span>
#include <string>

namespace s3tug::cmd {

/// The whole command: reads the arguments, puts the parts together, runs, tells. Returns the exit code (exit_code.h);
/// a code that stands for a signal is for the caller to die by. Throws only on bugs.
[[nodiscard]] int run(std::span<const std::string> args);

}  // namespace s3tug::cmd
