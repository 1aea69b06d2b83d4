#include "wire/utf8.h"

#include <array>
#include <cstdint>

namespace s3tug::wire {

Utf8Char first_utf8_char(std::string_view text) {
    static constexpr std::array<char32_t, 5> least_of_length = {0, 0, 0x80, 0x800, 0x10000};
    if (text.empty()) return {};
    const auto byte = [text](std::size_t i) { return static_cast<uint8_t>(text[i]); };
    if (byte(0) < 0x80) return {.code = byte(0), .bytes = 1};
    const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
    if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return {};
    char32_t code = byte(0) & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3FU);
    }
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < least_of_length[length] || surrogate || code > 0x10FFFF) return {};
    return {.code = code, .bytes = length};
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const Utf8Char c = first_utf8_char(text);
        if (c.bytes == 0) return false;
        text.remove_prefix(c.bytes);
    }
    return true;
}

}  // namespace s3tug::wire
