#include "lab/script_tokens.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "lab/bytes.h"

namespace s3tug::lab {

std::string ScriptError::text() const { return fmt::format("faults:{}:{}: {}", line, column, message); }

Tokens::Tokens(std::string_view line, size_t line_number) : line_number_(line_number), line_length_(line.size()) {
    for (size_t at = 0; at < line.size();) {
        const char c = line[at];
        if (c == '#') return;
        if (c == ' ' || c == '\t' || c == '\r')
            ++at;
        else if (c == ';')
            tokens_.push_back({";", ++at});
        else
            add(line, at);
    }
}

/// One word. Quotes take blanks and semicolons in; a colon at the end of a word stands alone, as the end of the
/// rule's left side.
void Tokens::add(std::string_view line, size_t& at) {
    Token token{"", at + 1};
    bool quoted = false;
    bool colon = false;
    for (; at < line.size(); ++at) {
        const char c = line[at];
        if (c == '"') {
            quoted = !quoted;
        } else if (c == '\\' && quoted && at + 1 < line.size()) {
            token.text += line[++at];
        } else if (!quoted && (c == ' ' || c == '\t' || c == '\r' || c == ';')) {
            break;
        } else if (!quoted && c == ':' && (at + 1 == line.size() || line[at + 1] == ' ' || line[at + 1] == '\t')) {
            colon = true;
            ++at;
            break;
        } else {
            token.text += c;
        }
    }
    const size_t column = token.column;
    if (!token.text.empty() || !colon) tokens_.push_back(std::move(token));
    if (quoted) throw ScriptError{line_number_, column, "a quote is not closed"};
    if (colon) tokens_.push_back({":", at});
}

std::string Tokens::take(std::string_view expected) {
    if (at_action_end())
        throw ScriptError{line_number_, at_end() ? line_length_ + 1 : tokens_[next_].column,
                          fmt::format("the line ends here; expected {}", expected)};
    return tokens_[next_++].text;
}

bool Tokens::accept(std::string_view word) {
    if (at_end() || peek() != word) return false;
    ++next_;
    return true;
}

std::optional<std::string> Tokens::accept_setting(std::string_view name) {
    if (at_end() || !peek().starts_with(name) || peek().size() <= name.size() || peek()[name.size()] != '=')
        return std::nullopt;
    return tokens_[next_++].text.substr(name.size() + 1);
}

uint64_t Tokens::to_count(std::string_view text, std::string_view expected) const {
    std::string_view digits = text;
    unsigned shift = 0;
    if (!digits.empty() && (digits.back() == 'K' || digits.back() == 'M')) {
        shift = digits.back() == 'K' ? 10 : 20;
        digits.remove_suffix(1);
    }
    const auto value = to_number(digits);
    if (!value || *value > uint64_t{1} << 43U) fail(fmt::format("`{}` is not a number; expected {}", text, expected));
    return *value << shift;
}

uint64_t Tokens::take_number(std::string_view expected) {
    const std::string word = take(expected);
    return to_count(word, expected);
}

Milliseconds Tokens::to_duration(std::string_view text, std::string_view expected) const {
    struct Unit {
        std::string_view suffix;
        uint64_t factor;
    };
    for (const Unit unit : {Unit{"ms", 1}, Unit{"s", 1000}, Unit{"m", 60'000}, Unit{"h", 3'600'000}}) {
        if (!text.ends_with(unit.suffix)) continue;
        const auto value = to_number(text.substr(0, text.size() - unit.suffix.size()));
        if (value && *value <= 1'000'000'000) return Milliseconds(*value * unit.factor);
    }
    fail(fmt::format("`{}` is not a time like 500ms, 2s or 1m; expected {}", text, expected));
}

Milliseconds Tokens::take_duration(std::string_view expected) {
    std::string word = take(expected);
    if (to_number(word) && !at_action_end()) word += take("a unit: ms, s, m or h");
    return to_duration(word, expected);
}

void Tokens::fail(std::string_view reason) const {
    throw ScriptError{line_number_, next_ == 0 ? 1 : tokens_[next_ - 1].column, std::string(reason)};
}

void Tokens::fail_unknown(std::string_view what, std::string_view word,
                          const std::vector<std::string_view>& known) const {
    // Settings are compared by their names: what stands behind `=` is the writer's own.
    std::vector<std::string_view> names;
    for (const std::string_view entry : known) names.push_back(entry.substr(0, entry.find('=')));
    const std::string_view name = nearest(word.substr(0, word.find('=')), names);
    const auto found = std::find(names.begin(), names.end(), name);
    const std::string_view near = name.empty() ? name : known[static_cast<size_t>(found - names.begin())];
    fail(fmt::format("unknown {} `{}`; {}known: {}", what, word,
                     near.empty() ? "" : fmt::format("did you mean `{}`? ", near), fmt::join(known, " ")));
}

}  // namespace s3tug::lab
