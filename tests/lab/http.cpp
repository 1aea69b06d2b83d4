#include "lab/http.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace s3tug::lab {

namespace {

bool token_char(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) { return !text.empty() && std::ranges::all_of(text, token_char); }

std::optional<std::string> parse_request_line(std::string_view line, Head& head) {
    const std::vector<std::string_view> words = split(line, ' ');
    if (words.size() != 3) return "the request line is not METHOD TARGET VERSION";
    if (!is_token(words[0])) return "the method is not a token";
    if (words[1].empty() || words[1].front() != '/') return "the request target does not begin with /";
    if (words[2] != "HTTP/1.1" && words[2] != "HTTP/1.0") return "the version is neither HTTP/1.1 nor HTTP/1.0";
    head.method = words[0];
    head.target = words[1];
    head.version = words[2];
    return std::nullopt;
}

tm utc(int64_t seconds) {
    const auto time = static_cast<time_t>(seconds);
    tm parts{};
    gmtime_r(&time, &parts);
    return parts;
}

constexpr std::array<std::string_view, 7> day_names = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> month_names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<int> digits(std::string_view text, size_t at, size_t count) {
    if (at + count > text.size()) return std::nullopt;
    const auto value = to_number(text.substr(at, count));
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<int64_t> to_time(std::optional<int> year, std::optional<int> month, std::optional<int> day,
                               std::optional<int> hour, std::optional<int> minute, std::optional<int> second) {
    if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
    if (*month < 1 || *month > 12 || *day < 1 || *day > 31 || *hour > 23 || *minute > 59 || *second > 60)
        return std::nullopt;
    tm parts{};
    parts.tm_year = *year - 1900;
    parts.tm_mon = *month - 1;
    parts.tm_mday = *day;
    parts.tm_hour = *hour;
    parts.tm_min = *minute;
    parts.tm_sec = *second;
    return timegm(&parts);
}

}  // namespace

std::string Head::header_or(std::string_view name, std::string_view otherwise) const {
    const std::string* found = header(name);
    return found != nullptr ? *found : std::string(otherwise);
}

bool Head::header_has(std::string_view name, std::string_view word) const {
    return std::ranges::any_of(headers, [&](const Field& field) {
        return equal_nocase(field.name, name) &&
               std::ranges::any_of(split(field.value, ','),
                                   [&](std::string_view item) { return equal_nocase(trim(item), word); });
    });
}

bool Head::keep_alive() const {
    if (header_has("connection", "close")) return false;
    return version == "HTTP/1.1" || header_has("connection", "keep-alive");
}

std::variant<Head, std::string> parse_head(std::string_view text) {
    Head head;
    size_t end = text.find("\r\n");
    if (end == std::string_view::npos) return "the request line has no end";
    if (auto wrong = parse_request_line(text.substr(0, end), head)) return *wrong;
    text.remove_prefix(end + 2);
    while ((end = text.find("\r\n")) != std::string_view::npos && end > 0) {
        const std::string_view line = text.substr(0, end);
        const size_t colon = line.find(':');
        if (line.front() == ' ' || line.front() == '\t') return "a header is folded over two lines";
        if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
            return fmt::format("a header line has no name: {}", json_quote(line.substr(0, 60)));
        if (line.find('\0') != std::string_view::npos || line.find('\n') != std::string_view::npos)
            return "a header holds a NUL or a bare line feed";
        head.headers.push_back({std::string(line.substr(0, colon)), std::string(trim(line.substr(colon + 1)))});
        text.remove_prefix(end + 2);
    }
    if (head.header("host") == nullptr && head.version == "HTTP/1.1") return "the Host header is missing";
    return head;
}

std::variant<Framing, std::string> framing_of(const Head& head) {
    Framing framing;
    framing.chunked = head.header_has("transfer-encoding", "chunked");
    for (const Field& field : head.headers) {
        if (!equal_nocase(field.name, "content-length")) continue;
        const auto length = to_number(field.value);
        if (!length) return "Content-Length is not a number";
        if (framing.has_length && framing.length != *length) return "two Content-Length headers differ";
        framing.has_length = true;
        framing.length = *length;
    }
    if (framing.chunked && framing.has_length) return "both Content-Length and Transfer-Encoding: chunked";
    return framing;
}

std::string_view reason_phrase(int status) {
    switch (status) {
        case 100: return "Continue";
        case 200: return "OK";
        case 204: return "No Content";
        case 206: return "Partial Content";
        case 301: return "Moved Permanently";
        case 304: return "Not Modified";
        case 307: return "Temporary Redirect";
        case 400: return "Bad Request";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 409: return "Conflict";
        case 411: return "Length Required";
        case 412: return "Precondition Failed";
        case 416: return "Requested Range Not Satisfiable";
        case 429: return "Too Many Requests";
        case 500: return "Internal Server Error";
        case 501: return "Not Implemented";
        case 502: return "Bad Gateway";
        case 503: return "Service Unavailable";
        case 504: return "Gateway Timeout";
        default: return "Status";
    }
}

std::string http_date(int64_t unix_seconds) {
    const tm t = utc(unix_seconds);
    return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", day_names[static_cast<size_t>(t.tm_wday)], t.tm_mday,
                       month_names[static_cast<size_t>(t.tm_mon)], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

std::optional<int64_t> parse_http_date(std::string_view text) {
    if (text.size() != 29 || !text.ends_with(" GMT")) return std::nullopt;
    const auto month = std::ranges::find(month_names, text.substr(8, 3));
    if (month == month_names.end()) return std::nullopt;
    return to_time(digits(text, 12, 4), static_cast<int>(month - month_names.begin()) + 1, digits(text, 5, 2),
                   digits(text, 17, 2), digits(text, 20, 2), digits(text, 23, 2));
}

std::string iso_date(int64_t unix_milliseconds) {
    const tm t = utc(unix_milliseconds / 1000);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                       t.tm_hour, t.tm_min, t.tm_sec, unix_milliseconds % 1000);
}

std::string amz_date(int64_t unix_seconds) {
    const tm t = utc(unix_seconds);
    return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour,
                       t.tm_min, t.tm_sec);
}

std::optional<int64_t> parse_amz_date(std::string_view text) {
    if (text.size() != 16 || text[8] != 'T' || text[15] != 'Z') return std::nullopt;
    return to_time(digits(text, 0, 4), digits(text, 4, 2), digits(text, 6, 2), digits(text, 9, 2), digits(text, 11, 2),
                   digits(text, 13, 2));
}

}  // namespace s3tug::lab
