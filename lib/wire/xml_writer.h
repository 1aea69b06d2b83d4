#pragma once

#include <string>
#include <string_view>

/// Private to lib/wire: the few lines of XML that we send.
namespace s3tug::wire::xml {

/// Appends `text` as character data: the five entities of XML, and everything that a parser would change or drop
/// (tab, CR, LF, U+0085, U+2028) as a character reference. `text` must be one that XML 1.0 can carry (can_carry()).
void append_text(std::string& out, std::string_view text);

/// <name>text</name>
void append_element(std::string& out, std::string_view name, std::string_view text);

/// Can XML 1.0 hold these bytes (section 2.2, Char)? Not what is no UTF-8, not U+FFFE and U+FFFF, and no control
/// characters but tab, CR and LF: a reference to them (`&#x1;`) is as wrong as the byte, and S3, RGW and Swift answer
/// it with 400 MalformedXML.
[[nodiscard]] bool can_carry(std::string_view text);

}  // namespace s3tug::wire::xml
