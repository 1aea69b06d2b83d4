#include "host/shell_words.h"

#include <doctest/doctest.h>

namespace s3tug::host {

TEST_SUITE("host/shell_words") {
    // Right values: Python 3.11, shlex.split(text).
    TEST_CASE("words are split as shlex splits them, and nothing is expanded") {
        struct Row {
            std::string_view text;
            std::vector<std::string> words;
        };
        const Row rows[] = {
            {"", {}},
            {"  \t ", {}},
            {"/opt/bin/tool --user helen", {"/opt/bin/tool", "--user", "helen"}},
            {"  a   b  ", {"a", "b"}},
            {"\"/opt/my tool\" \"a b\"", {"/opt/my tool", "a b"}},
            {"'a b' c", {"a b", "c"}},
            {"a'b c'd", {"ab cd"}},
            {"'' \"\"", {"", ""}},
            {"a\\ b", {"a b"}},
            {"\"a\\\"b\"", {"a\"b"}},
            {"\"a\\\\b\"", {"a\\b"}},
            {"\"a\\nb\"", {"a\\nb"}},
            {"'a\\b'", {"a\\b"}},
            {"$HOME ~ * ; | #x", {"$HOME", "~", "*", ";", "|", "#x"}},
            {"sh -c \"echo 'x y'\"", {"sh", "-c", "echo 'x y'"}},
            {"a\nb", {"a", "b"}},
        };
        for (const Row& row : rows) {
            CAPTURE(row.text);
            const auto words = split_shell_words(row.text);
            REQUIRE(words.ok());
            CHECK(*words == row.words);
        }
    }

    TEST_CASE("an open quote and a last backslash are refused without showing the text") {
        for (const std::string_view text : {"canary 'open", "canary \"open", "canary \\"}) {
            const auto words = split_shell_words(text);
            REQUIRE_FALSE(words.ok());
            CHECK(words.error().kind == ErrorKind::config);
            CHECK(words.error().message.find("canary") == std::string::npos);
        }
    }
}

}  // namespace s3tug::host
