#include "cmd/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace s3tug::cmd {
namespace {

constexpr std::size_t bar_min = 10;
constexpr std::size_t bar_max = 30;
constexpr uint64_t longest_eta_s = 99ULL * 3600;

std::string amount(uint64_t bytes, std::optional<uint64_t> total) {
    if (!total) return format_size(bytes);
    return format_size(bytes) + " of " + format_size(*total);
}

std::string items_text(const ProgressFacts& facts) {
    if (facts.items_total == 1U) return {};
    std::string text = facts.items_total ? fmt::format("{} of {} items", facts.items_ended, *facts.items_total)
                                         : fmt::format("{} items", facts.items_ended);
    if (facts.failed > 0) text += fmt::format(", {} failed", facts.failed);
    return text;
}

/// Whole seconds: a number that flickers in its last digit helps nobody.
std::string whole(Duration d) { return format_duration(seconds((to_ms(d) + 500) / 1000)); }

/// The pieces of a line in the order in which they are shown, and how important each is: 0 most.
struct Piece {
    std::string text;
    int rank;
};

std::vector<Piece> pieces(const ProgressFacts& facts) {
    std::vector<Piece> out;
    const auto add = [&out](std::string text, int rank) {
        if (!text.empty()) out.push_back({std::move(text), rank});
    };
    add(amount(facts.bytes, facts.bytes_total), 1);
    if (facts.rate) add(format_size(*facts.rate) + "/s", 2);
    if (const auto left = time_left(facts)) add("ETA " + whole(*left), 3);
    add(items_text(facts), 4);
    if (facts.retries > 0) add(fmt::format("{} {}", facts.retries, facts.retries == 1 ? "retry" : "retries"), 5);
    if (facts.waiting) {
        std::string text = "waiting " + whole(*facts.waiting);
        if (!facts.waiting_for.empty()) text += ": " + facts.waiting_for;
        add(std::move(text), 0);
    }
    return out;
}

std::string joined(const std::vector<Piece>& row) {
    std::string line;
    for (const Piece& piece : row) line += (line.empty() ? "" : ", ") + piece.text;
    return line;
}

}  // namespace

std::optional<unsigned> percent(const ProgressFacts& facts) {
    uint64_t part = facts.items_ended;
    uint64_t whole_of = facts.items_total.value_or(0);
    if (facts.bytes_total && *facts.bytes_total > 0) {
        part = std::min(facts.bytes, *facts.bytes_total);
        whole_of = *facts.bytes_total;
    }
    if (whole_of == 0) return std::nullopt;
    const auto share = static_cast<unsigned>(100.0 * static_cast<double>(part) / static_cast<double>(whole_of));
    return part >= whole_of ? 100 : std::min(share, 99U);
}

std::optional<Duration> time_left(const ProgressFacts& facts) {
    double left_s = 0;
    if (facts.bytes_total) {
        if (!facts.rate || *facts.rate == 0 || facts.bytes >= *facts.bytes_total) return std::nullopt;
        left_s = static_cast<double>(*facts.bytes_total - facts.bytes) / static_cast<double>(*facts.rate);
    } else {
        if (!facts.items_total || facts.items_ended == 0 || facts.items_ended >= *facts.items_total)
            return std::nullopt;
        left_s = static_cast<double>(to_ms(facts.elapsed)) / 1000.0 / static_cast<double>(facts.items_ended) *
                 static_cast<double>(*facts.items_total - facts.items_ended);
    }
    if (left_s > static_cast<double>(longest_eta_s)) return std::nullopt;
    return milliseconds(static_cast<int64_t>(left_s * 1000.0));
}

std::string progress_bar(const ProgressFacts& facts, std::size_t width) {
    std::vector<Piece> row = pieces(facts);
    const std::optional<unsigned> share = percent(facts);
    const std::string head = share ? fmt::format("{:3}% ", *share) : std::string();
    std::string line = joined(row);
    while (row.size() > 1 && head.size() + line.size() > width) {
        const auto least =
            std::max_element(row.begin(), row.end(), [](const Piece& a, const Piece& b) { return a.rank < b.rank; });
        row.erase(least);
        line = joined(row);
    }
    const std::size_t used = head.size() + line.size();
    std::string bar;
    if (share && used + bar_min + 3 <= width) {
        const std::size_t cells = std::min(width - used - 3, bar_max);
        const std::size_t full = cells * *share / 100;
        bar = fmt::format("[{}{}] ", std::string(full, '='),
                          full < cells ? ">" + std::string(cells - full - 1, ' ') : std::string());
    }
    return (head + bar + line).substr(0, width);
}

std::string progress_log(const ProgressFacts& facts) {
    std::string line = "s3tug: ";
    if (const auto share = percent(facts)) line += fmt::format("{}%, ", *share);
    return line + joined(pieces(facts));
}

}  // namespace s3tug::cmd
