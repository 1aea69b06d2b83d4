#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/verdict.h"
#include "wire/answers.h"
#include "wire/headers.h"
#include "wire/reply.h"

/// Facts that classify() reads from an answer besides its code. Inputs are hostile; what cannot be read is absent.
namespace s3tug::policy {

/// x-amz-retry-after (milliseconds), else Retry-After (seconds, or a date judged against the answer's own Date;
/// facts/backoff.md section 3). Negative and unreadable ones are ignored, absurd ones stop at limits::deadline_max.
[[nodiscard]] std::optional<ServerHint> server_hint(const wire::Headers& headers);

/// Server time (Date header, else the error document's ServerTime) minus `received_at`. Absent too when one of the
/// times is implausible: limits::server_time_min_s and _max_s.
[[nodiscard]] std::optional<Duration> clock_difference(const wire::Headers& headers, std::string_view server_time,
                                                       WallTime received_at);

/// x-amz-bucket-region, else <Region>; empty unless wire::valid_region() accepts it.
[[nodiscard]] std::string named_region(const wire::Headers& headers, const wire::ErrorBody& error);

/// For messages: printable, at most limits::trace_text_max_bytes, and cut where the text echoes a signature or token.
[[nodiscard]] std::string safe_text(std::string_view text);

}  // namespace s3tug::policy
