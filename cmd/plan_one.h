#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cmd/settings.h"
#include "engine/transfer.h"
#include "port/files.h"
#include "wire/uri.h"

/// Private to the planners: one operand as one item, and what their messages share.
namespace s3tug::cmd::planning {

[[nodiscard]] Error usage(std::string message);
[[nodiscard]] std::string shown(std::string_view operand);
[[nodiscard]] Error needs_operands(CommandId id);
[[nodiscard]] Error many_to_one(std::string_view command, std::size_t sources, const std::string& target);
[[nodiscard]] Error local_in_copy(const std::string& operand, bool is_target);
/// The target of a put is an object.
[[nodiscard]] Result<wire::S3Uri> put_target(const std::string& operand, const std::string& first);
/// The target of a get is no object, and is there.
[[nodiscard]] Status check_get_target(const std::vector<std::string>& operands, const Settings& settings);

[[nodiscard]] std::optional<port::FileType> type_of(port::Files& files, const std::string& path);

[[nodiscard]] Result<engine::Transfer> plan_put(const std::string& source, const wire::S3Uri& target,
                                                const Settings& settings, port::Files& files);
[[nodiscard]] Result<engine::Transfer> plan_get(const std::string& source, const std::string& target, bool into_folder,
                                                const Settings& settings);
[[nodiscard]] Result<engine::Transfer> plan_delete(const std::string& operand, const Settings& settings);
[[nodiscard]] Result<engine::Transfer> plan_copy(const std::string& source, const wire::S3Uri& target,
                                                 const Settings& settings);

/// The option that is about one object and was given all the same; empty = none.
[[nodiscard]] std::string_view single_option(const engine::Transfer& item);

}  // namespace s3tug::cmd::planning
