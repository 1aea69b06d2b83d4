#include "lab/xml.h"

#include <algorithm>
#include <charconv>

#include "lab/bytes.h"

namespace s3tug::lab {

namespace {

void append_utf8(std::string& out, uint32_t code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0U | code >> 6U);
        out += static_cast<char>(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0U | code >> 12U);
        out += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
        out += static_cast<char>(0x80U | (code & 0x3FU));
    } else {
        out += static_cast<char>(0xF0U | code >> 18U);
        out += static_cast<char>(0x80U | (code >> 12U & 0x3FU));
        out += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
        out += static_cast<char>(0x80U | (code & 0x3FU));
    }
}

bool append_entity(std::string& out, std::string_view name) {
    if (name == "lt") return out += '<', true;
    if (name == "gt") return out += '>', true;
    if (name == "amp") return out += '&', true;
    if (name == "quot") return out += '"', true;
    if (name == "apos") return out += '\'', true;
    if (!name.starts_with('#')) return false;
    const bool hex = name.starts_with("#x");
    name.remove_prefix(hex ? 2 : 1);
    uint32_t code = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
    if (error != std::errc{} || stop != name.data() + name.size() || code == 0 || code > 0x10FFFF) return false;
    append_utf8(out, code);
    return true;
}

class Reader {
  public:
    explicit Reader(std::string_view text) : rest_(text) {}

    void skip_prolog() {
        skip_blanks();
        if (!rest_.starts_with("<?")) return;
        const size_t end = rest_.find("?>");
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
        skip_blanks();
    }

    bool element(XmlElement& out, int depth) {
        if (depth > 8 || !rest_.starts_with('<')) return false;
        const size_t end = rest_.find('>');
        if (end == std::string_view::npos) return false;
        std::string_view tag = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        const bool empty = tag.ends_with('/');
        if (empty) tag.remove_suffix(1);
        const std::string_view qualified = tag.substr(0, tag.find_first_of(" \t\r\n"));
        if (qualified.empty() || qualified.front() == '!' || qualified.front() == '/') return false;
        const size_t colon = qualified.find(':');
        out.name = colon == std::string_view::npos ? qualified : qualified.substr(colon + 1);
        return empty || content(out, qualified, depth);
    }

    bool at_end() {
        skip_blanks();
        return rest_.empty();
    }

  private:
    bool content(XmlElement& out, std::string_view qualified, int depth) {
        while (true) {
            const size_t next = rest_.find('<');
            if (next == std::string_view::npos || !text(out.text, rest_.substr(0, next))) return false;
            rest_.remove_prefix(next);
            if (rest_.starts_with("</")) break;
            out.children.emplace_back();
            if (!element(out.children.back(), depth + 1)) return false;
        }
        const size_t end = rest_.find('>');
        if (end == std::string_view::npos || trim(rest_.substr(2, end - 2)) != qualified) return false;
        rest_.remove_prefix(end + 1);
        return true;
    }

    static bool text(std::string& out, std::string_view raw) {
        while (!raw.empty()) {
            const size_t amp = raw.find('&');
            out += raw.substr(0, amp);
            if (amp == std::string_view::npos) return true;
            const size_t end = raw.find(';', amp);
            if (end == std::string_view::npos || !append_entity(out, raw.substr(amp + 1, end - amp - 1))) return false;
            raw.remove_prefix(end + 1);
        }
        return true;
    }

    void skip_blanks() {
        const size_t first = rest_.find_first_not_of(" \t\r\n");
        rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
    }

    std::string_view rest_;
};

}  // namespace

std::string XmlElement::text_of(std::string_view child) const {
    const auto found = std::ranges::find(children, child, &XmlElement::name);
    return found == children.end() ? std::string() : found->text;
}

std::vector<const XmlElement*> XmlElement::children_named(std::string_view child) const {
    std::vector<const XmlElement*> out;
    for (const XmlElement& element : children)
        if (element.name == child) out.push_back(&element);
    return out;
}

std::optional<XmlElement> parse_xml(std::string_view text) {
    Reader reader(text);
    XmlElement root;
    reader.skip_prolog();
    if (!reader.element(root, 0) || !reader.at_end()) return std::nullopt;
    return root;
}

}  // namespace s3tug::lab
