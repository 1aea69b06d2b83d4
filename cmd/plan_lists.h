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
#include "engine/key_selection.h"
#include "port/files.h"

/// Private to the planners.
namespace s3tug::cmd {

/// An operand that is read or deleted, as what it selects: a pattern, or with --recursive or --files-from a tree, else
/// the key alone.
[[nodiscard]] Result<engine::KeySelection> selection_of(const std::string& operand, std::string_view command,
                                                        const Settings& settings);

/// The items that --files-from names: one source.
[[nodiscard]] Result<std::vector<std::unique_ptr<engine::ItemSource>>> list_source(
    CommandId command, const std::vector<std::string>& operands, const Settings& settings, port::Files& files,
    std::optional<Instant> until);

}  // namespace s3tug::cmd
