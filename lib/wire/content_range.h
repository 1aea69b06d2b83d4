#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace s3tug::wire {

struct ContentRange {
    uint64_t first = 0, last = 0;
    std::optional<uint64_t> total;  ///< empty for "*"

    [[nodiscard]] bool whole() const { return first == 0 && total && last + 1 == *total; }
};

/// "bytes 0-9/100" of a 206 (RFC 9110 section 14.4). nullopt unless first <= last < total and nothing overflows.
[[nodiscard]] std::optional<ContentRange> parse_content_range(std::string_view text);

/// "bytes */100" of a 416: the size of the object.
[[nodiscard]] std::optional<uint64_t> parse_unsatisfied_range(std::string_view text);

/// Decimal digits and nothing else, as in Content-Length.
[[nodiscard]] std::optional<uint64_t> parse_decimal(std::string_view text);

}  // namespace s3tug::wire
