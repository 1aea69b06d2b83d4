#include "cmd/unknown_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/flags.h"

namespace s3tug::cmd {
namespace {

/// Names without the prefix, which all have in common.
std::optional<std::string_view> meant(std::string_view typed, std::span<const std::string_view> known) {
    if (const auto near = nearest(typed, known)) return near;
    if (typed.size() < 4) return std::nullopt;
    const auto longer = std::ranges::find_if(known, [typed](std::string_view name) { return name.starts_with(typed); });
    return longer == known.end() ? std::nullopt : std::optional(*longer);
}

}  // namespace

std::vector<std::string> unknown_variables(std::span<const std::string> names) {
    // An option of the command line only has a warning of its own, where it applies.
    std::vector<std::string> unknown;
    std::ranges::copy_if(names, std::back_inserter(unknown), [](const std::string& name) {
        return std::ranges::none_of(flags(), [&name](const Flag& f) { return environment_name(f) == name; });
    });
    std::vector<std::string> out;
    if (unknown.empty()) return out;
    std::vector<std::string> settings;  // alive as long as the views of them
    for (const Flag& f : flags()) {
        if (f.use != Use::this_time) settings.push_back(environment_name(f).substr(variable_prefix.size()));
    }
    const std::vector<std::string_view> known(settings.begin(), settings.end());
    for (const std::string& name : unknown) {
        const auto near = meant(std::string_view(name).substr(variable_prefix.size()), known);
        if (near) {
            out.push_back(fmt::format("{} is set, and no such variable is known; did you mean {}{}?", printable(name),
                                      variable_prefix, *near));
        }
    }
    return out;
}

}  // namespace s3tug::cmd
