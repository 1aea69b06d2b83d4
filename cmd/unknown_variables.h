#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace s3tug::cmd {

/// What variables of ours begin with.
inline constexpr std::string_view variable_prefix = "S3TUG_";

/// One warning for each name that is no variable of ours but looks like one mistyped or cut short: a setting that does
/// not take effect is noticed too late. Other names are left in peace: scripts around s3tug have variables too.
/// @param names  of the variables that begin with variable_prefix
[[nodiscard]] std::vector<std::string> unknown_variables(std::span<const std::string> names);

}  // namespace s3tug::cmd
