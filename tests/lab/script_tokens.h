#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/script.h"

namespace s3tug::lab {

struct Token {
    std::string text;
    size_t column;  ///< from 1
};

/// The words of one line of a script, read from left to right. What is wrong is thrown as a ScriptError, which
/// `parse_script` catches: a parser by descent with thirty small functions reads best that way.
class Tokens {
  public:
    Tokens(std::string_view line, size_t line_number);

    [[nodiscard]] bool at_end() const { return next_ == tokens_.size(); }
    [[nodiscard]] bool at_action_end() const { return at_end() || peek() == ";"; }
    [[nodiscard]] const std::string& peek() const { return tokens_[next_].text; }
    /// The next word, or an error that names what was expected.
    std::string take(std::string_view expected);
    /// Takes the next word if it is that one.
    bool accept(std::string_view word);
    /// Takes `NAME=value` if it is next and gives the value.
    std::optional<std::string> accept_setting(std::string_view name);

    /// A count, `K` or `M` after it for KiB and MiB.
    uint64_t take_number(std::string_view expected);
    uint64_t to_count(std::string_view text, std::string_view expected) const;
    /// 500ms, "500 ms", 2s, 1m.
    Milliseconds take_duration(std::string_view expected);
    Milliseconds to_duration(std::string_view text, std::string_view expected) const;

    /// Complains about the word that was taken last.
    [[noreturn]] void fail(std::string_view reason) const;
    [[noreturn]] void fail_unknown(std::string_view what, std::string_view word,
                                   const std::vector<std::string_view>& known) const;

  private:
    void add(std::string_view line, size_t& at);

    std::vector<Token> tokens_;
    size_t next_ = 0;
    size_t line_number_;
    size_t line_length_;
};

}  // namespace s3tug::lab
