#include "lab/bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace s3tug::lab {

namespace {

constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char l = lower(c);
    return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

bool unreserved(char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' || c == '.' || c == '_' ||
           c == '~';
}

/// Length of the well-formed UTF-8 sequence at `at`, 0 when there is none.
size_t utf8_length(std::string_view bytes, size_t at) {
    const auto lead = static_cast<unsigned char>(bytes[at]);
    const size_t length = lead < 0x80                   ? 1
                          : lead >= 0xC2 && lead < 0xE0 ? 2
                          : lead >= 0xE0 && lead < 0xF0 ? 3
                          : lead >= 0xF0 && lead < 0xF5 ? 4
                                                        : 0;
    if (length == 0 || at + length > bytes.size()) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(bytes[at + i]) & 0xC0U) != 0x80U) return 0;
    return length;
}

}  // namespace

std::string to_lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), lower);
    return out;
}

bool equal_nocase(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trim(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::optional<uint64_t> to_number(std::string_view text) {
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value;
}

std::string to_hex(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const char c : bytes) fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned char>(c));
    return out;
}

std::string to_base64(std::string_view bytes) {
    std::string out;
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t group = 0;
        const size_t have = std::min<size_t>(3, bytes.size() - i);
        for (size_t k = 0; k < 3; ++k) group = group << 8U | (k < have ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (size_t k = 0; k < 4; ++k) out += k <= have ? base64_alphabet[group >> (18 - 6 * k) & 63U] : '=';
    }
    return out;
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::string out;
    for (size_t i = 0; i < text.size(); i += 4) {
        uint32_t group = 0;
        size_t padding = 0;
        for (size_t k = 0; k < 4; ++k) {
            const char c = text[i + k];
            const size_t value = base64_alphabet.find(c);
            const bool pad = c == '=' && i + 4 == text.size() && k >= 2;
            if (!pad && (value == std::string_view::npos || padding > 0)) return std::nullopt;
            padding += pad ? 1 : 0;
            group = group << 6U | (pad ? 0U : static_cast<uint32_t>(value));
        }
        for (size_t k = 0; k < 3 - padding; ++k) out += static_cast<char>(group >> (16 - 8 * k) & 0xFFU);
    }
    return out;
}

std::string percent_decode(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
            out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string percent_encode(std::string_view bytes, bool keep_slash) {
    std::string out;
    for (const char c : bytes) {
        if (unreserved(c) || (keep_slash && c == '/'))
            out += c;
        else
            fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string xml_escape(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\r': out += "&#13;"; break;
            default: out += c;
        }
    }
    return out;
}

std::string json_quote(std::string_view bytes) {
    std::string out = "\"";
    for (size_t i = 0; i < bytes.size();) {
        const char c = bytes[i];
        const size_t length = utf8_length(bytes, i);
        if (length == 0) {
            out += "\\ufffd";
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
        } else {
            out += bytes.substr(i, length);
        }
        i += std::max<size_t>(length, 1);
    }
    return out + '"';
}

bool glob_match(std::string_view pattern, std::string_view text) {
    size_t p = 0;
    size_t t = 0;
    size_t star = std::string_view::npos;
    size_t resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
    std::string_view best;
    size_t best_distance = std::max<size_t>(2, word.size() / 2) + 1;
    for (const std::string_view candidate : candidates) {
        std::vector<size_t> row(candidate.size() + 1);
        std::iota(row.begin(), row.end(), 0U);
        for (size_t i = 0; i < word.size(); ++i) {
            size_t diagonal = row[0]++;
            for (size_t j = 0; j < candidate.size(); ++j) {
                const size_t change = diagonal + (lower(word[i]) == lower(candidate[j]) ? 0 : 1);
                diagonal = row[j + 1];
                row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
            }
        }
        if (row.back() < best_distance) {
            best_distance = row.back();
            best = candidate;
        }
    }
    return best;
}

const std::string* find_field(const Fields& fields, std::string_view name) {
    const auto found = std::ranges::find_if(fields, [&](const Field& f) { return equal_nocase(f.name, name); });
    return found == fields.end() ? nullptr : &found->value;
}

}  // namespace s3tug::lab
