#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cmd/commands.h"
#include "cmd/settings.h"
#include "engine/transfer.h"
#include "port/files.h"

namespace s3tug::cmd {

/// What was typed as operands, as complete items: directions checked, folder targets given their names, content types
/// filled in. Nothing is sent and nothing is opened; `files` is asked only whether a path is a folder or a stream.
/// Errors (`usage`) name the operand and say what to type instead: a wrong direction names the right command, several
/// sources need a folder, a target equal to its source is refused.
[[nodiscard]] Result<std::vector<engine::Transfer>> plan_items(CommandId command,
                                                               const std::vector<std::string>& operands,
                                                               const Settings& settings, port::Files& files);

}  // namespace s3tug::cmd
