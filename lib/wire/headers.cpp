#include "wire/headers.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace s3tug::wire {

void Headers::add(std::string_view name, std::string_view value) {
    lines_.push_back({.name = to_lower(name), .value = std::string(value)});
}

void Headers::set(std::string_view name, std::string_view value) {
    remove(name);
    add(name, value);
}

void Headers::remove(std::string_view name) {
    const std::string lower = to_lower(name);
    std::erase_if(lines_, [&lower](const Header& line) { return line.name == lower; });
}

std::optional<std::string_view> Headers::find(std::string_view lower_name) const {
    const auto line =
        std::ranges::find_if(lines_, [lower_name](const Header& candidate) { return candidate.name == lower_name; });
    if (line == lines_.end()) return std::nullopt;
    return line->value;
}

bool is_secret_header(std::string_view lower_name) {
    // By parts of the name, so that a header which a user adds for a gateway of their own is covered as well.
    static constexpr std::array<std::string_view, 10> marks = {"authorization", "token",    "cookie",  "customer-key",
                                                               "secret",        "password", "api-key", "apikey",
                                                               "credential",    "-mfa"};
    return std::ranges::any_of(
        marks, [lower_name](std::string_view mark) { return lower_name.find(mark) != std::string_view::npos; });
}

}  // namespace s3tug::wire
