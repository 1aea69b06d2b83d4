#pragma once

#include <cstddef>
#include <string_view>

namespace s3tug::wire {

/// One character at the front of a text (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
struct Utf8Char {
    char32_t code = 0;
    std::size_t bytes = 0;  ///< 0 when the text is empty or its first byte begins no character
};
[[nodiscard]] Utf8Char first_utf8_char(std::string_view text);

/// S3 keys are UTF-8; file names can be any bytes.
[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace s3tug::wire
