#include "host/shell_words.h"

namespace s3tug::host {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

Result<std::vector<std::string>> split_shell_words(std::string_view line) {
    std::vector<std::string> words;
    bool in_word = false;
    char quote = '\0';
    const auto word = [&]() -> std::string& {
        if (!in_word) words.emplace_back();
        in_word = true;
        return words.back();
    };
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote != '\0') {
            const bool escapes =
                c == '\\' && quote == '"' && i + 1 < line.size() && (line[i + 1] == '"' || line[i + 1] == '\\');
            if (c == quote) {
                quote = '\0';
            } else {
                word() += escapes ? line[++i] : c;
            }
        } else if (c == '\'' || c == '"') {
            quote = c;
            word();  // "" is a word
        } else if (c == '\\') {
            if (i + 1 == line.size()) return Error{ErrorKind::config, "a backslash with nothing after it"};
            word() += line[++i];
        } else if (is_blank(c)) {
            in_word = false;
        } else {
            word() += c;
        }
    }
    if (quote != '\0') return Error{ErrorKind::config, "a quote that is not closed"};
    return words;
}

}  // namespace s3tug::host
