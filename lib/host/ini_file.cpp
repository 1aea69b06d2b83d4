#include "host/ini_file.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/text.h"

namespace s3tug::host {

namespace {

constexpr std::string_view blanks = " \t";

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool begins_comment(char c) { return c == '#' || c == ';'; }

/// The value up to a blank followed by `#` or `;`. A quote without its partner is a character like any other.
std::string_view without_comment(std::string_view value) {
    for (std::size_t i = 0; i < value.size(); ++i) {
        const char c = value[i];
        if (c == '"' || c == '\'') {
            const std::size_t partner = value.find(c, i + 1);
            if (partner != std::string_view::npos) i = partner;
        } else if (begins_comment(c) && (i == 0 || is_blank(value[i - 1]))) {
            return trim(value.substr(0, i));
        }
    }
    return value;
}

std::string section_name(std::string_view inner) {
    std::string name;
    char quote = '\0';  // the one that is open
    bool parted = false;
    for (const char c : inner) {
        if (quote == '\0' ? (c == '"' || c == '\'') : c == quote) {
            quote = quote == '\0' ? c : '\0';
            continue;
        }
        if (quote == '\0' && is_blank(c)) {
            parted = !name.empty();
            continue;
        }
        if (std::exchange(parted, false)) name += ' ';
        name += c;
    }
    return name;
}

class Parser {
  public:
    explicit Parser(IniFile& file) : file_(file) {}

    /// One line without its end. nullopt = fine, else what is wrong with it.
    std::optional<std::string_view> take(std::string_view line, unsigned number) {
        if (line.find('\0') != std::string_view::npos) return "holds a zero byte; this is not a text file";
        const std::size_t indent = line.find_first_not_of(blanks);
        const std::string_view content = trim(line);
        if (content.empty() || begins_comment(content.front())) return std::nullopt;
        if (content.front() == '[' && (indent == 0 || property_ == nullptr)) return take_section(content, number);
        if (section_ == nullptr) return "stands before the first [section]";
        if (property_ != nullptr && indent > indent_) return take_continuation(content, number);
        return take_property(content, indent, number);
    }

  private:
    std::optional<std::string_view> take_section(std::string_view content, unsigned number) {
        const std::size_t end = content.find(']');
        if (end == std::string_view::npos) return "has no ] after its [";
        const std::string_view rest = trim(content.substr(end + 1));
        if (!rest.empty() && !begins_comment(rest.front())) return "has text after the ]";
        std::string name = section_name(content.substr(1, end - 1));
        if (name.empty()) return "has no name between [ and ]";
        property_ = nullptr;
        for (IniSection& known : file_.sections) {
            if (known.name == name) {
                section_ = &known;
                return std::nullopt;
            }
        }
        section_ = &file_.sections.emplace_back(IniSection{std::move(name), number, {}});
        return std::nullopt;
    }

    static bool split(std::string_view content, std::string& name, std::string_view& value) {
        std::size_t sign = content.find('=');
        if (sign == std::string_view::npos) sign = content.find(':');
        if (sign == std::string_view::npos) return false;
        name = to_lower(trim(content.substr(0, sign)));
        value = without_comment(trim(content.substr(sign + 1)));
        return !name.empty();
    }

    static IniProperty& put(std::vector<IniProperty>& properties, IniProperty property) {
        for (IniProperty& known : properties) {
            if (known.name == property.name) return known = std::move(property);
        }
        return properties.emplace_back(std::move(property));
    }

    std::optional<std::string_view> take_property(std::string_view content, std::size_t indent, unsigned number) {
        std::string name;
        std::string_view value;
        if (!split(content, name, value)) return "is not `name = value`";
        property_ = &put(section_->properties, {std::move(name), std::string(value), number, {}});
        indent_ = indent;
        return std::nullopt;
    }

    std::optional<std::string_view> take_continuation(std::string_view content, unsigned number) {
        if (!property_->value.empty()) {
            property_->value.append("\n").append(content);
            return std::nullopt;
        }
        std::string name;
        std::string_view value;
        if (!split(content, name, value)) return "is not `name = value`, though it belongs to the property above";
        put(property_->nested, {std::move(name), std::string(value), number, {}});
        return std::nullopt;
    }

    IniFile& file_;
    IniSection* section_ = nullptr;
    IniProperty* property_ = nullptr;  ///< the last one of section_
    std::size_t indent_ = 0;           ///< of property_
};

}  // namespace

const IniProperty* find_property(const std::vector<IniProperty>& properties, std::string_view name) {
    for (const IniProperty& property : properties) {
        if (property.name == name) return &property;
    }
    return nullptr;
}

const IniProperty* IniSection::find(std::string_view property) const { return find_property(properties, property); }

const IniSection* IniFile::find(std::string_view section) const {
    for (const IniSection& known : sections) {
        if (known.name == section) return &known;
    }
    return nullptr;
}

Result<IniFile> parse_ini(std::string_view text, std::string path) {
    IniFile file;
    file.path = std::move(path);
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());

    Parser parser(file);
    for (unsigned number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        if (const auto wrong = parser.take(text.substr(0, end), number)) {
            return Error{ErrorKind::config, fmt::format("{}:{}: the line {}", file.path, number, *wrong)};
        }
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return file;
}

}  // namespace s3tug::host
