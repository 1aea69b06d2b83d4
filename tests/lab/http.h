#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lab/bytes.h"

namespace s3tug::lab {

inline constexpr size_t head_limit = size_t{64} << 10U;
inline constexpr size_t line_limit = size_t{16} << 10U;

/// A request head as it stood on the wire. Nothing is decoded or normalised: the signature is checked against it.
struct Head {
    std::string method;
    std::string target;
    std::string version;  ///< "HTTP/1.1" or "HTTP/1.0"
    Fields headers;       ///< in the order received, values without blanks around them

    [[nodiscard]] const std::string* header(std::string_view name) const { return find_field(headers, name); }
    [[nodiscard]] std::string header_or(std::string_view name, std::string_view otherwise) const;
    /// Whether a comma-separated header such as Connection holds that word.
    [[nodiscard]] bool header_has(std::string_view name, std::string_view word) const;
    [[nodiscard]] bool keep_alive() const;
};

/// @param text  everything up to and including the empty line
/// The second alternative says what is wrong with it.
[[nodiscard]] std::variant<Head, std::string> parse_head(std::string_view text);

/// How the body is framed.
struct Framing {
    bool chunked = false;
    uint64_t length = 0;  ///< when not chunked
    bool has_length = false;
};
[[nodiscard]] std::variant<Framing, std::string> framing_of(const Head& head);

[[nodiscard]] std::string_view reason_phrase(int status);

/// "Wed, 21 Oct 2015 07:28:00 GMT" and back.
[[nodiscard]] std::string http_date(int64_t unix_seconds);
[[nodiscard]] std::optional<int64_t> parse_http_date(std::string_view text);
/// "2015-10-21T07:28:00.123Z"
[[nodiscard]] std::string iso_date(int64_t unix_milliseconds);
/// "20151021T072800Z"
[[nodiscard]] std::string amz_date(int64_t unix_seconds);
[[nodiscard]] std::optional<int64_t> parse_amz_date(std::string_view text);

}  // namespace s3tug::lab
