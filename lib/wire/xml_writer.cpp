#include "wire/xml_writer.h"

#include "wire/utf8.h"

namespace s3tug::wire::xml {

namespace {

constexpr std::string_view next_line = "\xC2\x85";           // U+0085
constexpr std::string_view line_separator = "\xE2\x80\xA8";  // U+2028

std::string_view reference_for(char c) {
    switch (c) {
        case '&': return "&amp;";
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '"': return "&quot;";
        case '\'': return "&apos;";
        case '\t': return "&#x9;";
        case '\n': return "&#xA;";
        case '\r': return "&#xD;";
        default: return {};
    }
}

}  // namespace

void append_text(std::string& out, std::string_view text) {
    while (!text.empty()) {
        std::size_t taken = 1;
        if (const std::string_view reference = reference_for(text.front()); !reference.empty()) {
            out.append(reference);
        } else if (text.starts_with(next_line)) {
            out.append("&#x85;");
            taken = next_line.size();
        } else if (text.starts_with(line_separator)) {
            out.append("&#x2028;");
            taken = line_separator.size();
        } else {
            out.push_back(text.front());
        }
        text.remove_prefix(taken);
    }
}

void append_element(std::string& out, std::string_view name, std::string_view text) {
    out.append("<").append(name).append(">");
    append_text(out, text);
    out.append("</").append(name).append(">");
}

bool can_carry(std::string_view text) {
    while (!text.empty()) {
        const Utf8Char c = first_utf8_char(text);
        if (c.bytes == 0 || c.code == 0xFFFE || c.code == 0xFFFF) return false;
        if (c.code < 0x20 && c.code != '\t' && c.code != '\n' && c.code != '\r') return false;
        text.remove_prefix(c.bytes);
    }
    return true;
}

}  // namespace s3tug::wire::xml
