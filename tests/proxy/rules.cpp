#include "proxy/rules.h"

#include <fmt/format.h>

#include <random>
#include <stdexcept>

#include "lab/bytes.h"

namespace s3tug::proxy {
namespace {

using lab::split;
using lab::to_number;
using lab::trim;

struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (const std::string_view word : split(text, ' ')) {
        if (!trim(word).empty()) words.push_back(trim(word));
    }
    return words;
}

uint64_t number_of(std::string_view text) {
    uint64_t unit = 1;
    if (text.ends_with('K')) unit = 1U << 10;
    if (text.ends_with('M')) unit = 1U << 20;
    const auto number = to_number(text.substr(0, text.size() - (unit > 1 ? 1 : 0)));
    if (!number || *number > UINT32_MAX) throw Wrong(fmt::format("'{}' is no number such as 7, 64K or 3M", text));
    return *number * unit;
}

Milliseconds time_of(std::string_view text) {
    const bool fine = text.ends_with("ms");
    const auto number = to_number(text.substr(0, text.size() - std::min<std::size_t>(text.size(), fine ? 2 : 1)));
    if (!number || !text.ends_with('s') || *number > 86'400'000) {
        throw Wrong(fmt::format("'{}' is no time such as 500ms or 2s", text));
    }
    return Milliseconds(*number * (fine ? 1 : 1000));
}

/// `up@N`, `down@N-M`
void read_place(std::string_view text, Plan::Break& out) {
    const auto halves = split(text, '@');
    if (halves.size() != 2 || (halves[0] != "up" && halves[0] != "down")) {
        throw Wrong(fmt::format("'{}' is no place such as up@64K or down@0-1M", text));
    }
    out.way = halves[0] == "up" ? Way::up : Way::down;
    const auto ends = split(halves[1], '-');
    out.first = number_of(ends[0]);
    out.last = ends.size() > 1 ? number_of(ends[1]) : out.first;
    if (ends.size() > 2 || out.last < out.first) throw Wrong(fmt::format("'{}' is no range", halves[1]));
}

void read_drip(const std::vector<std::string_view>& words, Plan& plan) {
    const auto rate = split(words.size() == 3 ? words[2] : "", '/');
    if (rate.size() != 2 || (words[1] != "up" && words[1] != "down")) throw Wrong("drip up|down BYTES/TIME");
    const Plan::Drip drip{number_of(rate[0]), time_of(rate[1])};
    if (drip.bytes == 0) throw Wrong("a drip has bytes");
    (words[1] == "up" ? plan.drip_up : plan.drip_down) = drip;
}

void read_action(std::string_view text, Plan& plan) {
    static constexpr std::pair<std::string_view, Plan::Cut> cuts[] = {{"reset", Plan::Cut::reset},
                                                                      {"close", Plan::Cut::close},
                                                                      {"stall", Plan::Cut::stall},
                                                                      {"swallow", Plan::Cut::swallow}};
    const auto words = words_of(text);
    if (words.empty()) throw Wrong("an action is missing");
    if (words[0] == "drip") return read_drip(words, plan);
    if (words[0] == "refuse" && words.size() == 1) {
        plan.refuse = true;
        return;
    }
    if (words[0] == "delay" && words.size() == 2) {
        plan.delay = time_of(words[1]);
        return;
    }
    for (const auto& [name, cut] : cuts) {
        if (words[0] != name) continue;
        const std::size_t most = cut == Plan::Cut::stall ? 3 : 2;
        if (words.size() < 2 || words.size() > most) throw Wrong(fmt::format("{} up@N or {} down@N", name, name));
        Plan::Break ending{.cut = cut, .way = Way::up, .first = 0, .last = 0, .time = {}};
        read_place(words[1], ending);
        if (words.size() == 3) ending.time = time_of(words[2]);
        plan.ending = ending;
        return;
    }
    throw Wrong(fmt::format("'{}' is none of reset close stall swallow drip delay refuse", words[0]));
}

void read_when(std::string_view text, Rule& rule) {
    const auto words = words_of(text);
    if (words.empty()) throw Wrong("say for which connections, or *");
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        const bool more = i + 1 < words.size();
        if (word == "*") continue;
        if (word == "every" && more) {
            rule.every = std::max<uint64_t>(1, number_of(words[++i]));
        } else if (word == "from" && more) {
            rule.from = time_of(words[++i]);
        } else if (word == "to" && more) {
            rule.until = time_of(words[++i]);
        } else if (word.ends_with('%')) {
            rule.percent = static_cast<unsigned>(number_of(word.substr(0, word.size() - 1)));
        } else {
            const auto ends = split(word, '-');
            rule.first = number_of(ends[0]);
            rule.last = ends.size() == 1 ? rule.first : (ends[1].empty() ? UINT64_MAX : number_of(ends[1]));
        }
    }
}

/// Uniform in [0, below), from seed, connection and purpose alone.
uint64_t drawn(uint64_t seed, uint64_t number, uint64_t purpose, uint64_t below) {
    std::seed_seq words{seed, seed >> 32U, number, purpose};
    std::mt19937_64 random(words);
    return random() % below;
}

}  // namespace

void Plan::merge(const Plan& other) {
    refuse = refuse || other.refuse;
    if (!delay) delay = other.delay;
    if (!ending) ending = other.ending;
    if (!drip_up) drip_up = other.drip_up;
    if (!drip_down) drip_down = other.drip_down;
}

std::variant<std::vector<Rule>, std::string> parse_rules(std::string_view text) {
    std::vector<Rule> rules;
    std::size_t number = 0;
    for (std::string_view line : split(text, '\n')) {
        ++number;
        line = trim(line.substr(0, line.find('#')));
        if (line.empty()) continue;
        const std::size_t colon = line.find(':');
        try {
            if (colon == std::string_view::npos) throw Wrong("WHEN: ACTION; a colon is missing");
            Rule rule;
            read_when(line.substr(0, colon), rule);
            for (const std::string_view action : split(line.substr(colon + 1), ';')) read_action(action, rule.plan);
            rules.push_back(rule);
        } catch (const Wrong& wrong) { return fmt::format("line {}: {}", number, wrong.what()); }
    }
    return rules;
}

Plan plan_for(const std::vector<Rule>& rules, uint64_t number, Milliseconds age, uint64_t seed) {
    Plan plan;
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const Rule& rule = rules[i];
        if (number < rule.first || number > rule.last || number % rule.every != 0) continue;
        if (rule.percent && drawn(seed, number, 2 * i, 100) >= *rule.percent) continue;
        if ((rule.from && age < *rule.from) || (rule.until && age >= *rule.until)) continue;
        Plan fires = rule.plan;
        if (fires.ending) {
            const uint64_t span = fires.ending->last - fires.ending->first + 1;
            fires.ending->first += drawn(seed, number, 2 * i + 1, span);
            fires.ending->last = fires.ending->first;
        }
        plan.merge(fires);
    }
    return plan;
}

}  // namespace s3tug::proxy
