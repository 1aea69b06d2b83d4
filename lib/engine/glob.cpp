#include "engine/glob.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/limits.h"
#include "wire/utf8.h"

namespace s3tug::engine {

namespace {

constexpr std::string_view uri_wildcards = "*?";

/// Takes one character off the front; a byte that begins none has a code of its own above all characters.
char32_t take(std::string_view& text) {
    const wire::Utf8Char c = wire::first_utf8_char(text);
    if (c.bytes == 0) {
        const auto byte = static_cast<unsigned char>(text.front());
        text.remove_prefix(1);
        return 0x110000U + byte;
    }
    text.remove_prefix(c.bytes);
    return c.code;
}

/// What follows a '[': the set up to its ']' and the rest; nullopt when it is not closed.
struct Set {
    std::string_view members, rest;
    bool negated = false;
};
std::optional<Set> take_set(std::string_view after_bracket) {
    Set set;
    set.negated = after_bracket.starts_with('!');
    if (set.negated) after_bracket.remove_prefix(1);
    const std::size_t end = after_bracket.find(']', 1);
    if (after_bracket.empty() || end == std::string_view::npos) return std::nullopt;
    set.members = after_bracket.substr(0, end);
    set.rest = after_bracket.substr(end + 1);
    return set;
}

bool contains(std::string_view members, char32_t c) {
    while (!members.empty()) {
        const char32_t low = take(members);
        char32_t high = low;
        if (members.size() > 1 && members.front() == '-') {
            members.remove_prefix(1);
            high = take(members);
        }
        if (low <= c && c <= high) return true;
    }
    return false;
}

/// Matches one character of `text` against the front of `pattern`, which is no star, and moves both on.
bool match_one(std::string_view& pattern, std::string_view& text, GlobSyntax syntax) {
    if (pattern.front() == '[' && syntax == GlobSyntax::filter) {
        if (const auto set = take_set(pattern.substr(1))) {
            pattern = set->rest;
            return contains(set->members, take(text)) != set->negated;
        }
    }
    const bool any = pattern.front() == '?';
    const char32_t wanted = take(pattern);
    return take(text) == wanted || any;
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text, GlobSyntax syntax) {
    // Where to go on when a match fails: behind the last star, with one more character given to it.
    std::optional<std::string_view> after_star;
    std::string_view star_text;
    while (true) {
        if (pattern.starts_with('*')) {
            pattern.remove_prefix(1);
            after_star = pattern;
            star_text = text;
            continue;
        }
        if (text.empty() && pattern.empty()) return true;
        if (!text.empty() && !pattern.empty() && match_one(pattern, text, syntax)) continue;
        if (!after_star || star_text.empty()) return false;
        (void)take(star_text);
        pattern = *after_star;
        text = star_text;
    }
}

Status PathFilter::add(Rule rule, std::string_view pattern) {
    const auto refused = [&](std::string_view why) {
        return Error{ErrorKind::usage, std::string(rule == Rule::include ? "--include '" : "--exclude '") +
                                           printable(pattern, limits::trace_text_max_bytes) + "': " + std::string(why)};
    };
    if (pattern.empty()) return refused("the pattern is empty; '*' stands for everything");
    if (pattern.size() > limits::glob_max_bytes) return refused("the pattern is too long");
    if (rules_.size() >= limits::filter_rules_max) return refused("there are too many patterns");
    rules_.push_back({.rule = rule, .pattern = std::string(pattern)});
    return {};
}

bool PathFilter::keeps(std::string_view relative_path) const {
    const auto last = std::find_if(rules_.rbegin(), rules_.rend(), [relative_path](const Entry& entry) {
        return glob_match(entry.pattern, relative_path, GlobSyntax::filter);
    });
    return last == rules_.rend() || last->rule == Rule::include;
}

bool PathFilter::drops_all_below(std::string_view relative_folder) const {
    const std::string beginning = std::string(relative_folder) + "/";
    for (auto rule = rules_.rbegin(); rule != rules_.rend() && rule->rule == Rule::exclude; ++rule) {
        if (rule->pattern.ends_with('*') && glob_match(rule->pattern, beginning, GlobSyntax::filter)) return true;
    }
    return false;
}

bool PathFilter::includes_in_vain() const {
    const auto is_include = [](const Entry& entry) { return entry.rule == Rule::include; };
    return !rules_.empty() && std::ranges::all_of(rules_, is_include);
}

std::string_view KeyPattern::folder() const {
    const std::size_t slash = prefix.rfind('/');
    return slash == std::string::npos ? std::string_view{} : std::string_view(prefix).substr(0, slash + 1);
}

std::optional<KeyPattern> key_pattern(std::string_view key) {
    const std::size_t wildcard = key.find_first_of(uri_wildcards);
    if (wildcard == std::string_view::npos) return std::nullopt;
    return KeyPattern{.prefix = std::string(key.substr(0, wildcard)), .pattern = std::string(key)};
}

}  // namespace s3tug::engine
