#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cmd/commands.h"
#include "cmd/settings.h"
#include "engine/item_source.h"
#include "port/files.h"

namespace s3tug::cmd {

/// The items of a command that moves, copies or deletes.
struct Plan {
    std::unique_ptr<engine::ItemSource> items;
    bool several = false;  ///< there may be more than one
};

/// What was typed as operands, be they files, folders, objects, trees, patterns or lists of names, as a source of
/// items. Where each operand is one item this is plan_items(); else folders are only looked at, and nothing is sent,
/// before the source is asked. Errors are `usage`, and those of opening the list of --files-from. `files` outlives the
/// source.
/// @param until  bound on waiting for names of a list that is a stream
[[nodiscard]] Result<Plan> plan(CommandId command, const std::vector<std::string>& operands, const Settings& settings,
                                port::Files& files, std::optional<Instant> until);

}  // namespace s3tug::cmd
