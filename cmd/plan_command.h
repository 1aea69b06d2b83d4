#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cmd/commands.h"
#include "cmd/plan_trees.h"
#include "cmd/settings.h"
#include "port/files.h"

namespace s3tug::cmd {

/// The items of any command that has some: plan() for put, get, delete and copy; move, which is one of these with the
/// source removed after it; and the short forms cat, pipe and stat. Errors as those of plan().
[[nodiscard]] Result<Plan> plan_command(CommandId id, const std::vector<std::string>& operands,
                                        const Settings& settings, port::Files& files, std::optional<Instant> until);

}  // namespace s3tug::cmd
