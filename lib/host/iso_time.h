#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace s3tug::host {

/// RFC 3339 date and time as credential documents carry it: "2026-11-29T21:01:30Z", with a fraction, or with an offset
/// ("+02:00", "+0200"). nullopt for anything else, a day that does not exist included.
[[nodiscard]] std::optional<WallTime> parse_iso_time(std::string_view text);

}  // namespace s3tug::host
