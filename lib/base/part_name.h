#pragma once

#include <algorithm>
#include <string_view>

namespace s3tug {

/// What the file beside a download's target is called while it is not whole: `.NAME.s3tug-part`, and with
/// `-PID-NUMBER` behind it where another process holds that name.
inline constexpr std::string_view part_suffix = ".s3tug-part";

/// Is this, without its folder, such a name?
[[nodiscard]] constexpr bool is_part_name(std::string_view name) {
    const std::size_t at = name.rfind(part_suffix);
    if (!name.starts_with('.') || at == std::string_view::npos || at < 2) return false;
    const std::string_view rest = name.substr(at + part_suffix.size());
    if (rest.empty()) return true;
    const std::size_t second = rest.find('-', 1);
    const auto number = [](std::string_view text) {
        return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    return rest.front() == '-' && second != std::string_view::npos && number(rest.substr(1, second - 1)) &&
           number(rest.substr(second + 1));
}

}  // namespace s3tug
