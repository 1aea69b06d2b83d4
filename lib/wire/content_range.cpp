#include "wire/content_range.h"

#include <charconv>

#include "base/text.h"

namespace s3tug::wire {

namespace {

/// What follows "bytes " (any case); nullopt for another unit.
std::optional<std::string_view> after_unit(std::string_view text) {
    static constexpr std::string_view unit = "bytes ";
    if (to_lower(text.substr(0, unit.size())) != unit) return std::nullopt;
    return text.substr(unit.size());
}

}  // namespace

std::optional<uint64_t> parse_decimal(std::string_view text) {
    uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, code] = std::from_chars(text.data(), end, value);
    if (text.empty() || code != std::errc{} || stopped != end) return std::nullopt;
    return value;
}

std::optional<ContentRange> parse_content_range(std::string_view text) {
    const auto rest = after_unit(text);
    if (!rest) return std::nullopt;
    const std::size_t dash = rest->find('-');
    const std::size_t slash = rest->find('/');
    if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash) return std::nullopt;
    const auto first = parse_decimal(rest->substr(0, dash));
    const auto last = parse_decimal(rest->substr(dash + 1, slash - dash - 1));
    if (!first || !last || *first > *last) return std::nullopt;

    ContentRange range{.first = *first, .last = *last, .total = std::nullopt};
    const std::string_view total = rest->substr(slash + 1);
    if (total == "*") return range;
    range.total = parse_decimal(total);
    if (!range.total || *last >= *range.total) return std::nullopt;
    return range;
}

std::optional<uint64_t> parse_unsatisfied_range(std::string_view text) {
    const auto rest = after_unit(text);
    if (!rest || !rest->starts_with("*/")) return std::nullopt;
    return parse_decimal(rest->substr(2));
}

}  // namespace s3tug::wire
