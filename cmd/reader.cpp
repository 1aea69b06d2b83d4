#include "cmd/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "base/text.h"

namespace s3tug::cmd {

void Reader::fail(Error error) {
    if (!error_) error_ = std::move(error);
}

void Reader::fail(const Found& where, std::string_view why) {
    fail(Error{where.blame, fmt::format("{}: {}", where.origin, why)});
}

Status Reader::status() const { return error_ ? Status(*error_) : Status(); }

void Reader::text(FlagId id, std::string& out) {
    if (std::optional<Found> found = layers_.find(id)) out = std::move(found->text);
}

void Reader::toggle(FlagId id, bool& out) {
    const std::optional<Found> found = layers_.find(id);
    if (!found) return;
    const std::string word = to_lower(found->text);
    if (word == "true" || word == "1" || word == "yes" || word == "on") {
        out = true;
    } else if (word == "false" || word == "0" || word == "no" || word == "off") {
        out = false;
    } else {
        fail(*found, fmt::format("'{}' is neither true nor false", printable(found->text)));
    }
}

void Reader::size(FlagId id, uint64_t lowest, std::optional<uint64_t>& out) {
    const std::optional<Found> found = layers_.find(id);
    if (!found) return;
    const Result<uint64_t> value = parse_size(found->text);
    if (!value) return fail(*found, value.error().message);
    if (*value < lowest)
        return fail(*found, fmt::format("'{}' is less than {}", printable(found->text), format_size(lowest)));
    out = *value;
}

void Reader::duration(FlagId id, Duration highest, Duration& out) {
    const std::optional<Found> found = layers_.find(id);
    if (!found) return;
    const Result<Duration> value = parse_duration(found->text);
    if (!value) return fail(*found, value.error().message);
    if (*value <= Duration::zero() || *value > highest) {
        return fail(*found, fmt::format("'{}' is not a time above 0 and up to {}", printable(found->text),
                                        format_duration(highest)));
    }
    out = *value;
}

std::optional<uint64_t> Reader::number(FlagId id, uint64_t lowest, uint64_t highest) {
    const std::optional<Found> found = layers_.find(id);
    if (!found) return std::nullopt;
    uint64_t value = 0;
    const char* end = found->text.data() + found->text.size();
    const auto [rest, error] = std::from_chars(found->text.data(), end, value);
    if (found->text.empty() || error != std::errc() || rest != end || value < lowest || value > highest) {
        fail(*found, fmt::format("'{}' is not a whole number from {} to {}", printable(found->text), lowest, highest));
        return std::nullopt;
    }
    return value;
}

std::optional<std::size_t> Reader::choice(FlagId id) {
    const std::optional<Found> found = layers_.find(id);
    if (!found) return std::nullopt;
    const std::vector<std::string_view> right = choices(flag(id));
    const auto place = std::find(right.begin(), right.end(), to_lower(found->text));
    if (place != right.end()) return static_cast<std::size_t>(place - right.begin());
    std::string why = fmt::format("'{}' is not one of {}", printable(found->text), flag(id).value);
    if (const auto near = nearest(found->text, right)) why += fmt::format("; did you mean {}?", *near);
    fail(*found, why);
    return std::nullopt;
}

}  // namespace s3tug::cmd
