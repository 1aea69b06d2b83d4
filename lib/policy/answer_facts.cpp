#include "policy/answer_facts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <system_error>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/endpoint.h"
#include "wire/iso_time.h"
#include "wire/object_headers.h"

namespace s3tug::policy {

namespace {

/// Digits only; a number too long for int64 is the largest one. nullopt for everything else, signs included.
std::optional<int64_t> digits(std::string_view text) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc::result_out_of_range ? INT64_MAX : value;
}

template <class Unit>
Duration bounded(int64_t count) {
    const int64_t most = std::chrono::duration_cast<Unit>(limits::deadline_max).count();
    return Unit(std::min(count, most));
}

bool plausible(WallTime t) {
    const int64_t s = to_unix_seconds(t);
    return s >= limits::server_time_min_s && s < limits::server_time_max_s;
}

std::optional<WallTime> date_of(const wire::Headers& headers) {
    const auto date = headers.find("date");
    return date ? wire::parse_http_date(trim(*date)) : std::nullopt;
}

}  // namespace

std::optional<ServerHint> server_hint(const wire::Headers& headers) {
    if (const auto amz = headers.find("x-amz-retry-after")) {
        if (const auto ms = digits(trim(*amz))) {
            return ServerHint{ServerHint::Unit::amz_retry_after, bounded<milliseconds>(*ms)};
        }
    }
    const auto plain = headers.find("retry-after");
    if (!plain) return std::nullopt;
    if (const auto s = digits(trim(*plain))) { return ServerHint{ServerHint::Unit::retry_after, bounded<seconds>(*s)}; }
    const auto until = wire::parse_http_date(trim(*plain));
    const auto date = date_of(headers);
    if (!until || !date || !plausible(*until) || !plausible(*date) || *until < *date) return std::nullopt;
    return ServerHint{ServerHint::Unit::retry_after, std::min(*until - *date, limits::deadline_max)};
}

std::optional<Duration> clock_difference(const wire::Headers& headers, std::string_view server_time,
                                         WallTime received_at) {
    auto there = date_of(headers);
    if (!there) there = wire::parse_iso_time(trim(server_time));
    if (there) there = wall_from_unix_seconds(to_unix_seconds(*there));  // the resolution of Date
    if (!there || !plausible(*there) || received_at <= WallTime{}) return std::nullopt;
    return *there - received_at;
}

std::string named_region(const wire::Headers& headers, const wire::ErrorBody& error) {
    if (const auto region = headers.find("x-amz-bucket-region"); region && wire::valid_region(trim(*region))) {
        return std::string(trim(*region));
    }
    return wire::valid_region(error.region) ? error.region : std::string{};
}

std::string safe_text(std::string_view text) {
    // What stores and proxies echo when they explain a refused signature. The words alone do no harm: "The
    // authorization header is malformed" stays.
    constexpr std::array<std::string_view, 6> secrets_follow = {
        "authorization:",        "credential=",           "signature=",
        "x-amz-security-token:", "x-amz-security-token=", "<signatureprovided>"};
    const std::string lower = to_lower(text);
    std::size_t end = text.size();
    for (const std::string_view mark : secrets_follow) end = std::min(end, lower.find(mark));
    std::string shown = printable(text.substr(0, end), limits::trace_text_max_bytes);
    if (end < text.size()) shown += "[cut]";
    return shown;
}

}  // namespace s3tug::policy
