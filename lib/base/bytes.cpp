#include "base/bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace s3tug {

namespace {

constexpr std::string_view lower_digits = "0123456789abcdef";
constexpr std::string_view upper_digits = "0123456789ABCDEF";
constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t not_a_digit = 0xFF;

constexpr std::array<uint8_t, 256> hex_values = [] {
    std::array<uint8_t, 256> values{};
    values.fill(not_a_digit);
    for (uint8_t v = 0; v < 16; ++v) {
        values[static_cast<uint8_t>(lower_digits[v])] = v;
        values[static_cast<uint8_t>(upper_digits[v])] = v;
    }
    return values;
}();

constexpr std::array<uint8_t, 256> base64_values = [] {
    std::array<uint8_t, 256> values{};
    values.fill(not_a_digit);
    for (uint8_t v = 0; v < 64; ++v) values[static_cast<uint8_t>(base64_alphabet[v])] = v;
    return values;
}();

constexpr std::array<bool, 256> unreserved = [] {
    std::array<bool, 256> kept{};
    for (unsigned c = 'A'; c <= 'Z'; ++c) kept[c] = true;
    for (unsigned c = 'a'; c <= 'z'; ++c) kept[c] = true;
    for (unsigned c = '0'; c <= '9'; ++c) kept[c] = true;
    for (const char c : std::string_view("-._~")) kept[static_cast<uint8_t>(c)] = true;
    return kept;
}();

uint8_t hex_value(char c) { return hex_values[static_cast<uint8_t>(c)]; }
uint8_t base64_value(char c) { return base64_values[static_cast<uint8_t>(c)]; }
std::byte byte_of(unsigned v) { return static_cast<std::byte>(v & 0xFF); }

Error refused(std::string_view what, std::size_t position) {
    return {ErrorKind::refused, fmt::format("{} at position {}", what, position)};
}

}  // namespace

ByteSpan as_bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

std::string to_hex(ByteSpan bytes) {
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const std::byte b : bytes) {
        const auto v = std::to_integer<unsigned>(b);
        out += lower_digits[v >> 4];
        out += lower_digits[v & 0xF];
    }
    return out;
}

Result<std::vector<std::byte>> from_hex(std::string_view text) {
    std::vector<std::byte> out;
    out.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        if (hex_value(text[i]) == not_a_digit) return refused("not a hex digit", i);
        if (i + 1 == text.size()) return refused("odd number of hex digits, the text ends", text.size());
        if (hex_value(text[i + 1]) == not_a_digit) return refused("not a hex digit", i + 1);
        out.push_back(byte_of(hex_value(text[i]) * 16U + hex_value(text[i + 1])));
    }
    return out;
}

std::string to_base64(ByteSpan bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
        uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < n ? std::to_integer<uint32_t>(bytes[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k) out += k <= n ? base64_alphabet[group >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

Result<std::vector<std::byte>> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return refused("base64 without its padding, the text ends", text.size());
    std::vector<std::byte> out;
    out.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool last = i + 4 == text.size();
        const std::size_t pads = !last || text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
        uint32_t group = 0;
        for (std::size_t k = 0; k < 4 - pads; ++k) {
            const uint8_t value = base64_value(text[i + k]);
            if (value == not_a_digit) return refused("not a base64 character", i + k);
            group |= static_cast<uint32_t>(value) << (18 - 6 * k);
        }
        // Bits below the last byte must be zero: then each value has one text, and texts can be compared.
        if ((group & ((1U << (8 * pads)) - 1)) != 0) return refused("base64 with bits left over", i + 3 - pads);
        for (std::size_t k = 0; k < 3 - pads; ++k) out.push_back(byte_of(group >> (16 - 8 * k)));
    }
    return out;
}

std::string percent_encode(std::string_view bytes, Slash slash) {
    std::string out;
    out.reserve(bytes.size() + bytes.size() / 4);
    for (const char c : bytes) {
        const auto v = static_cast<uint8_t>(c);
        if (unreserved[v] || (c == '/' && slash == Slash::keep)) {
            out += c;
        } else {
            out += '%';
            out += upper_digits[v >> 4];
            out += upper_digits[v & 0xF];
        }
    }
    return out;
}

Result<std::string> percent_decode(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        if (text.size() - i < 3 || hex_value(text[i + 1]) == not_a_digit || hex_value(text[i + 2]) == not_a_digit) {
            return refused("'%' without two hex digits", i);
        }
        out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
        i += 2;
    }
    return out;
}

namespace {

/// Length of the well-formed UTF-8 sequence at the front (RFC 3629: no overlong forms, no surrogates, no more than
/// U+10FFFF) and its code point; length 0 when there is none.
struct Utf8Char {
    std::size_t bytes = 0;
    char32_t code = 0;
};

Utf8Char first_utf8_char(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<uint8_t>(text[i]); };
    const uint8_t lead = at(0);
    if (lead < 0x80) return {1, lead};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
    char32_t code = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xC0) != 0x80) return {};
        code = code << 6 | (at(i) & 0x3FU);
    }
    constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[length] || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return {};
    return {length, code};
}

/// C0, DEL and C1 (U+009B starts a terminal sequence), line and paragraph separators, and the marks that turn the
/// direction of what follows.
bool is_control(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x061C || c == 0x200E || c == 0x200F ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

}  // namespace

std::string printable(std::string_view bytes, std::size_t limit) {
    std::string out;
    out.reserve(std::min(bytes.size(), limit) + 3);
    std::size_t i = 0;
    while (i < bytes.size()) {
        const Utf8Char c = first_utf8_char(bytes.substr(i));
        const std::size_t length = std::max<std::size_t>(c.bytes, 1);
        if (length > limit - i) break;
        if (c.bytes != 0 && !is_control(c.code)) {
            out += bytes.substr(i, length);
        } else {
            for (const char b : bytes.substr(i, length)) {
                const auto v = static_cast<uint8_t>(b);
                out += "\\x";
                out += lower_digits[v >> 4];
                out += lower_digits[v & 0xF];
            }
        }
        i += length;
    }
    if (i < bytes.size()) out += "...";
    return out;
}

}  // namespace s3tug
