#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace s3tug::host {

struct IniProperty {
    std::string name;  ///< lower case
    std::string value;
    unsigned line = 0;
    std::vector<IniProperty> nested;  ///< `s3 =` followed by indented `name = value` lines; one level
};

[[nodiscard]] const IniProperty* find_property(const std::vector<IniProperty>& properties, std::string_view name);

struct IniSection {
    std::string name;  ///< words parted by one blank, quotes taken off: `[profile "a b"]` is "profile a b"
    unsigned line = 0;
    std::vector<IniProperty> properties;  ///< each name once: the last one wins

    [[nodiscard]] const IniProperty* find(std::string_view name) const;
};

struct IniFile {
    std::string path;                  ///< for messages
    std::vector<IniSection> sections;  ///< each name once: a repeated section goes on where it ended

    [[nodiscard]] const IniSection* find(std::string_view section) const;
};

/// Reads the form of the shared AWS files (AWS SDKs and Tools Reference Guide, "Shared config and credentials files"),
/// as tolerant as the AWS CLI, whose configparser also takes `name: value` and indented properties:
/// - a line whose first character that is no blank is `#` or `;` is a comment; ` #` and ` ;` outside quotes end a
/// value;
/// - a line indented deeper than the property above belongs to it: nested when that has no value, else more of its
/// text;
/// - BOM and CRLF are understood.
/// Errors are `config`, "PATH:LINE: what is wrong", and never show the line, which may hold a secret.
[[nodiscard]] Result<IniFile> parse_ini(std::string_view text, std::string path);

}  // namespace s3tug::host
