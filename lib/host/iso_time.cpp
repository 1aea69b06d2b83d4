#include "host/iso_time.h"

#include <chrono>
#include <cstdint>

namespace s3tug::host {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes things off the front of a text; after the first that does not fit, `ok` stays false.
struct Taker {
    std::string_view text;
    bool ok = true;

    unsigned number(std::size_t digits) {
        unsigned value = 0;
        if (text.size() < digits) ok = false;
        for (std::size_t i = 0; ok && i < digits; ++i) {
            if (!is_digit(text[i])) ok = false;
            value = value * 10 + static_cast<unsigned>(text[i] - '0');
        }
        if (!ok) return 0;
        text.remove_prefix(digits);
        return value;
    }
    bool optional(std::string_view any_of) {
        if (!ok || text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
        text.remove_prefix(1);
        return true;
    }
    void one(std::string_view any_of) {
        if (!optional(any_of)) ok = false;
    }
};

/// Digits after the point; those beyond nanoseconds are dropped.
Duration take_fraction(Taker& in) {
    Duration fraction{};
    Duration unit = milliseconds(100);
    if (in.text.empty() || !is_digit(in.text.front())) in.ok = false;
    while (!in.text.empty() && is_digit(in.text.front())) {
        fraction += unit * (in.text.front() - '0');
        unit /= 10;
        in.text.remove_prefix(1);
    }
    return fraction;
}

Duration take_zone(Taker& in) {
    if (in.optional("Zz")) return {};
    const bool west = !in.text.empty() && in.text.front() == '-';
    in.one("+-");
    const unsigned hours_off = in.number(2);
    in.optional(":");
    const unsigned minutes_off = in.number(2);
    if (hours_off > 23 || minutes_off > 59) in.ok = false;
    const Duration offset = hours(hours_off) + minutes(minutes_off);
    return west ? -offset : offset;
}

}  // namespace

std::optional<WallTime> parse_iso_time(std::string_view text) {
    Taker in{text};
    const std::chrono::year year(static_cast<int>(in.number(4)));
    in.one("-");
    const std::chrono::month month(in.number(2));
    in.one("-");
    const std::chrono::day day(in.number(2));
    in.one("Tt ");
    const unsigned hour = in.number(2);
    in.one(":");
    const unsigned minute = in.number(2);
    in.one(":");
    const unsigned second = in.number(2);
    const Duration fraction = in.optional(".") ? take_fraction(in) : Duration{};
    const Duration zone = take_zone(in);

    const std::chrono::year_month_day date(year, month, day);
    // WallTime holds nanoseconds in 64 bits: 1677 to 2262.
    const bool in_range = year >= std::chrono::year(1970) && year <= std::chrono::year(2200);
    if (!in.ok || !in.text.empty() || !date.ok() || !in_range) return std::nullopt;
    if (hour > 23 || minute > 59 || second > 60) return std::nullopt;  // 60: a leap second
    const auto days = std::chrono::sys_days(date).time_since_epoch();
    return WallTime(days + hours(hour) + minutes(minute) + seconds(second) + fraction - zone);
}

}  // namespace s3tug::host
