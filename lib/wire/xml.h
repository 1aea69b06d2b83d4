#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>

/// Private to lib/wire: what the parsers of answers share over pugixml. Names are compared without their namespace
/// prefix, since stores differ in it.
namespace s3tug::wire::xml {

/// Reads UTF-8 without looking for another encoding; no DTD, no entities but the five of XML and character references.
[[nodiscard]] pugi::xml_parse_result load(pugi::xml_document& document, std::string_view text);

[[nodiscard]] std::string_view local_name(std::string_view name);

/// The first child element of that local name; a null node when there is none.
[[nodiscard]] pugi::xml_node child(pugi::xml_node parent, std::string_view name);

/// Text of that child without blanks at its ends; empty when it is absent or empty.
[[nodiscard]] std::string child_text(pugi::xml_node parent, std::string_view name);

}  // namespace s3tug::wire::xml
