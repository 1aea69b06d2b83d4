#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace s3tug::wire {

/// An HTTP date in any of the three forms of RFC 9110 section 5.6.7; nullopt when it is not one. Strict: names in the
/// RFC's spelling, days that the month has, no rest. Two-digit years (RFC 850 form) 70 to 99 are 19xx, others 20xx.
/// Years from 1900 to 2261, what WallTime can hold. A leap second counts as the second after it.
[[nodiscard]] std::optional<WallTime> parse_http_date(std::string_view text);

}  // namespace s3tug::wire
