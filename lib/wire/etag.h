#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace s3tug::wire {

/// ETags are held without quotes and weak prefix, as S3 compares them. On the wire they stand in quotes (RFC 9110
/// section 8.8.3). RGW 16 is known to match `If-Match` of a PUT only without quotes (facts/servers.md): that is a quirk
/// to be met by the caller (WriteConditions::bare_etag), not a spelling to begin with.

/// ETag without surrounding quotes and weak prefix.
[[nodiscard]] std::string unquote_etag(std::string_view etag);

/// The value for If-Match and its kin: in quotes, whatever was typed; `*` stays `*`.
[[nodiscard]] std::string quote_etag(std::string_view etag);

/// Checks an ETag as a user typed it (quotes optional, `*` allowed) and gives it back without quotes. Blanks, control
/// characters, quotes inside and more than limits::etag_max_bytes are `usage` errors.
[[nodiscard]] Result<std::string> parse_etag(std::string_view typed);

}  // namespace s3tug::wire
