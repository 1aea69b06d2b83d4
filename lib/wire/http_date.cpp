#include "wire/http_date.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>

namespace s3tug::wire {

namespace {

constexpr std::array<std::string_view, 7> days = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::array<std::string_view, 7> long_days = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                       "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr int year_min = 1900;
constexpr int year_max = 2261;

/// Eats a text from its front. After the first thing that does not fit, `good` stays false.
class Cursor {
  public:
    explicit Cursor(std::string_view text) : rest_(text) {}

    void literal(std::string_view expected) {
        if (rest_.starts_with(expected)) {
            rest_.remove_prefix(expected.size());
        } else {
            fail();
        }
    }

    /// Exactly `width` digits; with `blank_padded` the first may be a blank (asctime's day).
    int number(std::size_t width, bool blank_padded = false) {
        if (rest_.size() < width) return fail();
        int value = 0;
        for (std::size_t i = 0; i < width; ++i) {
            const char c = rest_[i];
            if (i == 0 && blank_padded && c == ' ') continue;
            if (c < '0' || c > '9') return fail();
            value = value * 10 + (c - '0');
        }
        rest_.remove_prefix(width);
        return value;
    }

    /// Position of the name that stands here.
    unsigned one_of(std::span<const std::string_view> names) {
        const auto name = std::ranges::find_if(names, [this](std::string_view n) { return rest_.starts_with(n); });
        if (name == names.end()) return static_cast<unsigned>(fail());
        rest_.remove_prefix(name->size());
        return static_cast<unsigned>(name - names.begin());
    }

    [[nodiscard]] bool finished() const { return good_ && rest_.empty(); }

  private:
    int fail() {
        good_ = false;
        return 0;
    }

    std::string_view rest_;
    bool good_ = true;
};

struct Fields {
    int year = 0;
    unsigned month = 0;
    int day = 0, hour = 0, minute = 0, second = 0;
};

void read_clock(Cursor& cursor, Fields& fields) {
    fields.hour = cursor.number(2);
    cursor.literal(":");
    fields.minute = cursor.number(2);
    cursor.literal(":");
    fields.second = cursor.number(2);
}

std::optional<WallTime> to_time(const Fields& f) {
    if (f.year < year_min || f.year > year_max || f.hour > 23 || f.minute > 59 || f.second > 60) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(f.year), std::chrono::month(f.month + 1),
                                           std::chrono::day(static_cast<unsigned>(f.day))};
    if (!date.ok()) return std::nullopt;
    const auto of_day = std::chrono::hours(f.hour) + std::chrono::minutes(f.minute) + std::chrono::seconds(f.second);
    return wall_from_unix_seconds((std::chrono::sys_days(date).time_since_epoch() + of_day).count());
}

/// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<WallTime> parse_imf_fixdate(std::string_view text) {
    Cursor cursor(text);
    Fields f;
    cursor.one_of(days);
    cursor.literal(", ");
    f.day = cursor.number(2);
    cursor.literal(" ");
    f.month = cursor.one_of(months);
    cursor.literal(" ");
    f.year = cursor.number(4);
    cursor.literal(" ");
    read_clock(cursor, f);
    cursor.literal(" GMT");
    return cursor.finished() ? to_time(f) : std::nullopt;
}

/// "Sunday, 06-Nov-94 08:49:37 GMT"
std::optional<WallTime> parse_rfc850(std::string_view text) {
    Cursor cursor(text);
    Fields f;
    cursor.one_of(long_days);
    cursor.literal(", ");
    f.day = cursor.number(2);
    cursor.literal("-");
    f.month = cursor.one_of(months);
    cursor.literal("-");
    const int year = cursor.number(2);
    f.year = year >= 70 ? 1900 + year : 2000 + year;
    cursor.literal(" ");
    read_clock(cursor, f);
    cursor.literal(" GMT");
    return cursor.finished() ? to_time(f) : std::nullopt;
}

/// "Sun Nov  6 08:49:37 1994"
std::optional<WallTime> parse_asctime(std::string_view text) {
    Cursor cursor(text);
    Fields f;
    cursor.one_of(days);
    cursor.literal(" ");
    f.month = cursor.one_of(months);
    cursor.literal(" ");
    f.day = cursor.number(2, true);
    cursor.literal(" ");
    read_clock(cursor, f);
    cursor.literal(" ");
    f.year = cursor.number(4);
    return cursor.finished() ? to_time(f) : std::nullopt;
}

}  // namespace

std::optional<WallTime> parse_http_date(std::string_view text) {
    if (const auto time = parse_imf_fixdate(text)) return time;
    if (const auto time = parse_rfc850(text)) return time;
    return parse_asctime(text);
}

}  // namespace s3tug::wire
