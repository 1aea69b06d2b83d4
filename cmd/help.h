#pragma once

#include <string>

#include "cmd/commands.h"
#include "cmd/flags.h"

namespace s3tug::cmd {

/// Text of --help, with its last line's end: of one command with the options that apply to it, or of all.
[[nodiscard]] std::string help_text(const Command* chosen);

[[nodiscard]] std::string version_text();  ///< "s3tug 0.1.0 (0123456789ab)"

}  // namespace s3tug::cmd
