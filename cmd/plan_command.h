#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cmd/commands.h"
#include "cmd/settings.h"
#include "engine/transfer.h"
#include "port/files.h"

namespace s3tug::cmd {

/// The items of any command that has some: plan_items() for put, get, delete and copy; move, which is one of these with
/// the source removed after it; and the short forms cat, pipe and stat. Errors are `usage` and name the operand.
[[nodiscard]] Result<std::vector<engine::Transfer>> plan_command(CommandId id, const std::vector<std::string>& operands,
                                                                 const Settings& settings, port::Files& files);

}  // namespace s3tug::cmd
