#include "wire/iso_time.h"

#include <chrono>

namespace s3tug::wire {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Text after the seconds, without the Z: nothing, or a dot and digits.
std::optional<int64_t> fraction_ms(std::string_view text) {
    if (text.empty()) return 0;
    if (text.front() != '.' || text.size() < 2) return std::nullopt;
    int64_t ms = 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (!is_digit(text[i])) return std::nullopt;
        if (i <= 3) ms = ms * 10 + (text[i] - '0');
    }
    for (std::size_t i = text.size(); i <= 3; ++i) ms *= 10;
    return ms;
}

}  // namespace

std::optional<WallTime> parse_iso_time(std::string_view text) {
    constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd";
    if (text.size() <= form.size() || text.back() != 'Z') return std::nullopt;
    for (std::size_t i = 0; i < form.size(); ++i) {
        if (form[i] == 'd' ? !is_digit(text[i]) : text[i] != form[i]) return std::nullopt;
    }
    const auto ms = fraction_ms(text.substr(form.size(), text.size() - form.size() - 1));
    const auto number = [text](std::size_t at, std::size_t length) {
        int value = 0;
        for (const char c : text.substr(at, length)) value = value * 10 + (c - '0');
        return value;
    };
    const std::chrono::year_month_day day(std::chrono::year(number(0, 4)),
                                          std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                          std::chrono::day(static_cast<unsigned>(number(8, 2))));
    const int hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
    if (!ms || !day.ok() || number(0, 4) < 1900 || number(0, 4) > 2261) return std::nullopt;
    if (hour > 23 || minute > 59 || second > 60) return std::nullopt;  // 60: a leap second
    const auto since_epoch = std::chrono::sys_days(day).time_since_epoch();
    return WallTime(since_epoch + hours(hour) + minutes(minute) + seconds(second) + milliseconds(*ms));
}

}  // namespace s3tug::wire
