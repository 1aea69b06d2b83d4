#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace s3tug {

/// Sizes: digits with an optional fraction and KiB MiB GiB TiB, the same as K M G T, or KB MB GB TB or B,
/// case-insensitive; no unit = bytes. Blanks before the unit are allowed. What is finer than a byte is cut off
/// ("0.3KiB" is 307), but without a unit it is refused. Overflow, negative values and rest after the unit are `usage`
/// errors that name the text and show right forms.
[[nodiscard]] Result<uint64_t> parse_size(std::string_view text);

/// Durations: number with ms, s, m, h or d ("500ms", "1.5s", "2m"), largest unit first when there are several
/// ("1h30m"); a bare number is seconds. Errors as parse_size.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);

[[nodiscard]] std::string format_size(uint64_t bytes);  ///< "16.0 MiB"
[[nodiscard]] std::string format_duration(Duration d);  ///< "350ms", "2.41s", "3m20s"
[[nodiscard]] std::string format_utc(WallTime t);       ///< "2026-11-29T21:01:30.123Z"

/// The candidate nearest to what was typed (Damerau-Levenshtein, any case, at most a third of the candidate's length
/// away; the first of equals), for "did you mean". nullopt when nothing is near.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view typed,
                                                      std::span<const std::string_view> candidates);

/// What some editors begin a UTF-8 file with: no part of its text.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

[[nodiscard]] std::string to_lower(std::string_view ascii);
[[nodiscard]] std::string_view trim(std::string_view text);  ///< blanks, tabs, CR and LF at both ends

}  // namespace s3tug
