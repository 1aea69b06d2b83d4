#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace s3tug::wire {

/// The time in S3's XML: "2026-11-29T21:01:30Z", with or without a fraction (kept to the millisecond, the rest is cut
/// off). nullopt when it is none, for days that the month does not have and outside of the years 1900 to 2261.
[[nodiscard]] std::optional<WallTime> parse_iso_time(std::string_view text);

}  // namespace s3tug::wire
