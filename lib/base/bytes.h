#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace s3tug {

using ByteSpan = std::span<const std::byte>;
using MutableByteSpan = std::span<std::byte>;

[[nodiscard]] ByteSpan as_bytes(std::string_view text);

/// Lower-case hex.
[[nodiscard]] std::string to_hex(ByteSpan bytes);
/// Both cases are read; odd length or another character is a `refused` error that names the position.
[[nodiscard]] Result<std::vector<std::byte>> from_hex(std::string_view text);

/// RFC 4648 section 4, with padding. Reading refuses missing padding, blanks, other alphabets and bits left over, so
/// that equal bytes have equal texts.
[[nodiscard]] std::string to_base64(ByteSpan bytes);
[[nodiscard]] Result<std::vector<std::byte>> from_base64(std::string_view text);

/// Percent-encoding as S3 signs it (facts/sigv4.md, Path and Query): unreserved bytes stay, all others become %XX with
/// upper-case hex. The one encoder for paths, queries and copy sources.
enum class Slash { keep, encode };
[[nodiscard]] std::string percent_encode(std::string_view bytes, Slash slash);
/// A lone `%` or a bad pair is an error. `+` stays `+`.
[[nodiscard]] Result<std::string> percent_decode(std::string_view text);

/// For messages, logs and terminals: control characters and bytes that are not UTF-8 become \xNN, so that a key can
/// neither break a line nor drive a terminal. Line separators and marks that turn the writing direction count as
/// control characters. At most `limit` bytes of the input are shown (as at most 4 * limit), then "...".
[[nodiscard]] std::string printable(std::string_view bytes, std::size_t limit = 1024);

}  // namespace s3tug
