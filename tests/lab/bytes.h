#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace s3tug::lab {

/// One header, query parameter or XML element: a name and a value, both as the bytes that were received.
struct Field {
    std::string name;
    std::string value;

    friend bool operator==(const Field&, const Field&) = default;
};

using Fields = std::vector<Field>;

[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] bool equal_nocase(std::string_view a, std::string_view b);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// Digits only, no sign, no blanks; empty on overflow.
[[nodiscard]] std::optional<uint64_t> to_number(std::string_view text);

[[nodiscard]] std::string to_hex(std::string_view bytes);
[[nodiscard]] std::string to_base64(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

/// `%XX` becomes its byte, everything else stays (a `+` too). A broken escape stays as it is.
[[nodiscard]] std::string percent_decode(std::string_view text);
/// S3's form: unreserved bytes stay, all others become `%XX` in upper case.
[[nodiscard]] std::string percent_encode(std::string_view bytes, bool keep_slash);

[[nodiscard]] std::string xml_escape(std::string_view bytes);
/// A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, so that the line always parses.
[[nodiscard]] std::string json_quote(std::string_view bytes);

/// Shell-like match of the whole text: `*` any run (`/` too), `?` one byte.
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view text);

/// The candidate with the smallest edit distance, or empty when none is near.
[[nodiscard]] std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

/// The first field of that name (ASCII case ignored), or null.
[[nodiscard]] const std::string* find_field(const Fields& fields, std::string_view name);

}  // namespace s3tug::lab
