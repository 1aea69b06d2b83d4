#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>

/// Private to lib/wire: what the parsers of answers share over pugixml. Names are compared without their namespace
/// prefix, since stores differ in it.
namespace s3tug::wire::xml {

/// Reads UTF-8 without looking for another encoding; no DTD, no entities but the five of XML and character references,
/// also to characters that XML forbids. Line ends stay as they are, and a text of blanks alone is kept: keys have both.
/// A text with more than limits::xml_tags_max tags is refused before memory is spent on it.
[[nodiscard]] pugi::xml_parse_result load(pugi::xml_document& document, std::string_view text);

[[nodiscard]] std::string_view local_name(std::string_view name);

/// The first child element of that local name; a null node when there is none.
[[nodiscard]] pugi::xml_node child(pugi::xml_node parent, std::string_view name);

/// Text of that child without blanks at its ends; empty when it is absent or empty.
[[nodiscard]] std::string child_text(pugi::xml_node parent, std::string_view name);

/// All text of a node as it stands, blanks included: for keys.
[[nodiscard]] std::string raw_text(pugi::xml_node node);

}  // namespace s3tug::wire::xml
