#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "base/bytes.h"

namespace s3tug {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::string_view size_forms = "right forms: 1048576, 512KiB, 16MiB, 1.5GiB, 20M (MiB), 5GB";
constexpr std::string_view duration_forms = "right forms: 500ms, 1.5s, 30 (seconds), 2m, 1h30m, 7d";

struct Unit {
    std::string_view name;  ///< lower case
    uint64_t factor;
};
/// One letter is a power of 1024, as for curl, rclone and the shell's tools.
constexpr std::array<Unit, 14> size_units = {{{"", 1},
                                              {"b", 1},
                                              {"kib", 1ULL << 10},
                                              {"mib", 1ULL << 20},
                                              {"gib", 1ULL << 30},
                                              {"tib", 1ULL << 40},
                                              {"k", 1ULL << 10},
                                              {"m", 1ULL << 20},
                                              {"g", 1ULL << 30},
                                              {"t", 1ULL << 40},
                                              {"kb", 1'000},
                                              {"mb", 1'000'000},
                                              {"gb", 1'000'000'000},
                                              {"tb", 1'000'000'000'000}}};
constexpr std::array<Unit, 6> duration_units = {{{"", 1'000'000'000},
                                                 {"ms", 1'000'000},
                                                 {"s", 1'000'000'000},
                                                 {"m", 60'000'000'000},
                                                 {"h", 3'600'000'000'000},
                                                 {"d", 86'400'000'000'000}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// A decimal number, exactly: whole + fraction / scale.
struct Decimal {
    uint64_t whole = 0;
    uint64_t fraction = 0;
    uint64_t scale = 1;

    /// Rounded down. The product fits: 64 + 64 bits, and fraction < scale.
    [[nodiscard]] Wide times(uint64_t factor) const {
        return static_cast<Wide>(whole) * factor + static_cast<Wide>(fraction) * factor / scale;
    }
};

enum class NumberFault { none, not_a_number, too_large };

/// Takes digits, or digits '.' digits, off the front of `text`.
NumberFault take_decimal(std::string_view& text, Decimal& out) {
    if (text.empty() || !is_digit(text.front())) return NumberFault::not_a_number;
    while (!text.empty() && is_digit(text.front())) {
        const Wide next = static_cast<Wide>(out.whole) * 10 + static_cast<unsigned>(text.front() - '0');
        if (next > UINT64_MAX) return NumberFault::too_large;
        out.whole = static_cast<uint64_t>(next);
        text.remove_prefix(1);
    }
    if (text.empty() || text.front() != '.') return NumberFault::none;
    text.remove_prefix(1);
    if (text.empty() || !is_digit(text.front())) return NumberFault::not_a_number;
    constexpr uint64_t finest = 1'000'000'000'000'000'000;  // more digits than any unit has
    while (!text.empty() && is_digit(text.front())) {
        if (out.scale < finest) {
            out.fraction = out.fraction * 10 + static_cast<unsigned>(text.front() - '0');
            out.scale *= 10;
        }
        text.remove_prefix(1);
    }
    return NumberFault::none;
}

/// Takes the letters at the front, in lower case, with blanks before them.
std::string take_unit(std::string_view& text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    std::size_t length = 0;
    while (length < text.size() && is_letter(text[length])) ++length;
    std::string unit = to_lower(text.substr(0, length));
    text.remove_prefix(length);
    return unit;
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
    const auto found = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
    return found == units.end() ? nullptr : &*found;
}

}  // namespace

Result<uint64_t> parse_size(std::string_view text) {
    const auto wrong = [&](std::string_view why) {
        return Error{ErrorKind::usage, fmt::format("size '{}' {}; {}", printable(text, 64), why, size_forms)};
    };
    std::string_view rest = text;
    Decimal number;
    switch (take_decimal(rest, number)) {
        case NumberFault::none: break;
        case NumberFault::not_a_number: return wrong(text.starts_with('-') ? "is negative" : "is not a number");
        case NumberFault::too_large: return wrong("is too large");
    }
    const Unit* unit = find_unit(size_units, take_unit(rest));
    if (unit == nullptr || !rest.empty()) return wrong("has an unknown unit");
    if (unit->factor == 1 && number.fraction != 0) return wrong("has a fraction of a byte");
    const Wide bytes = number.times(unit->factor);
    if (bytes > UINT64_MAX) return wrong("is too large");
    return static_cast<uint64_t>(bytes);
}

Result<Duration> parse_duration(std::string_view text) {
    const auto wrong = [&](std::string_view why) {
        return Error{ErrorKind::usage, fmt::format("duration '{}' {}; {}", printable(text, 64), why, duration_forms)};
    };
    std::string_view rest = text;
    Wide total_ns = 0;
    uint64_t previous_factor = UINT64_MAX;
    do {  // each part has a smaller unit than the one before, so there are at most five
        Decimal number;
        switch (take_decimal(rest, number)) {
            case NumberFault::none: break;
            case NumberFault::not_a_number: return wrong(text.starts_with('-') ? "is negative" : "is not a number");
            case NumberFault::too_large: return wrong("is too large");
        }
        const std::string name = take_unit(rest);
        const Unit* unit = find_unit(duration_units, name);
        const bool first = previous_factor == UINT64_MAX;
        if (unit == nullptr || (name.empty() && !(first && rest.empty()))) return wrong("has an unknown unit");
        if (unit->factor >= previous_factor) return wrong("has its units out of order");
        previous_factor = unit->factor;
        total_ns += number.times(unit->factor);
        if (total_ns > static_cast<Wide>(Duration::max().count())) return wrong("is too large");
    } while (!rest.empty());
    return Duration(static_cast<int64_t>(total_ns));
}

std::string format_size(uint64_t bytes) {
    if (bytes < 1024) return fmt::format("{} B", bytes);
    constexpr std::array<std::string_view, 6> names = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t i = 0;
    const auto tenths = [&] {
        const Wide unit = static_cast<Wide>(1024) << (10 * i);
        return static_cast<uint64_t>((static_cast<Wide>(bytes) * 10 + unit / 2) / unit);
    };
    while (tenths() >= 10240) ++i;
    return fmt::format("{}.{} {}", tenths() / 10, tenths() % 10, names[i]);
}

namespace {

/// `value` / 10^digits without trailing zeros.
std::string decimal_text(uint64_t value, unsigned digits) {
    uint64_t scale = 1;
    for (unsigned i = 0; i < digits; ++i) scale *= 10;
    std::string out = fmt::format("{}.{:0{}}", value / scale, value % scale, digits);
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
    return out;
}

}  // namespace

std::string format_duration(Duration d) {
    const std::string sign = d < Duration::zero() ? "-" : "";
    const uint64_t ns =
        d < Duration::zero() ? uint64_t{0} - static_cast<uint64_t>(d.count()) : static_cast<uint64_t>(d.count());
    // Rounded first, so that the text never shows 1000ms or 60s.
    const uint64_t tenths_of_ms = (ns + 50'000) / 100'000;
    if (tenths_of_ms == 0) return "0ms";
    if (tenths_of_ms < 100) return sign + decimal_text(tenths_of_ms, 1) + "ms";
    const uint64_t ms = (ns + 500'000) / 1'000'000;
    if (ms < 1'000) return fmt::format("{}{}ms", sign, ms);
    const uint64_t hundredths = (ns + 5'000'000) / 10'000'000;
    if (hundredths < 6'000) return sign + decimal_text(hundredths, 2) + "s";
    const uint64_t s = (ns + 500'000'000) / 1'000'000'000;
    std::string out = sign;
    if (s >= 3600) out += fmt::format("{}h", s / 3600);
    if (s / 60 % 60 != 0) out += fmt::format("{}m", s / 60 % 60);
    if (s % 60 != 0) out += fmt::format("{}s", s % 60);
    return out;
}

std::string format_utc(WallTime t) {
    const auto since_epoch = t.time_since_epoch();
    const auto days = std::chrono::floor<std::chrono::days>(since_epoch);
    const std::chrono::year_month_day date{std::chrono::sys_days(days)};
    const auto ms = std::chrono::floor<milliseconds>(since_epoch - days).count();
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), ms / 3'600'000,
                       ms / 60'000 % 60, ms / 1'000 % 60, ms % 1'000);
}

namespace {

/// Optimal string alignment: insert, delete, replace, and swap of two neighbours cost 1 each.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) current[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before_last.swap(last);
        last.swap(current);
        current[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({replace, last[j] + 1, current[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                current[j] = std::min(current[j], before_last[j - 2] + 1);
            }
        }
    }
    return current[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view typed, std::span<const std::string_view> candidates) {
    std::optional<std::string_view> best;
    std::size_t best_distance = 0;
    const std::string wanted = to_lower(typed);
    for (const std::string_view candidate : candidates) {
        const std::size_t limit = candidate.size() / 3;
        const std::size_t longer = std::max(wanted.size(), candidate.size());
        if (longer - std::min(wanted.size(), candidate.size()) > limit) continue;
        const std::size_t distance = edit_distance(wanted, to_lower(candidate));
        if (distance > limit || (best && distance >= best_distance)) continue;
        best = candidate;
        best_distance = distance;
    }
    return best;
}

std::string to_lower(std::string_view ascii) {
    std::string out(ascii);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

}  // namespace s3tug
