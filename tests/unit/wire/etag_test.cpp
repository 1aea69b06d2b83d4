#include "wire/etag.h"

#include <doctest/doctest.h>

#include <string>

namespace s3tug::wire {

TEST_SUITE("wire/etag") {
    TEST_CASE("quotes and the weak prefix are taken off, once") {
        struct Row {
            std::string_view text, bare;
        };
        for (const Row row : {Row{"\"abc\"", "abc"}, Row{"abc", "abc"}, Row{"W/\"abc\"", "abc"}, Row{"W/abc", "abc"},
                              Row{" \"abc\" \r\n", "abc"}, Row{"\"abc-3\"", "abc-3"}, Row{"\"\"abc\"\"", "\"abc\""},
                              Row{"\"", "\""}, Row{"\"\"", ""}, Row{"", ""}, Row{"\"abc", "\"abc"}, Row{"W/", ""}}) {
            CAPTURE(row.text);
            CHECK(unquote_etag(row.text) == row.bare);
        }
    }

    TEST_CASE("the wire form has quotes whatever was typed, and the star has none") {
        CHECK(quote_etag("abc") == "\"abc\"");
        CHECK(quote_etag("\"abc\"") == "\"abc\"");
        CHECK(quote_etag("W/\"abc\"") == "\"abc\"");
        CHECK(quote_etag("*") == "*");
    }

    TEST_CASE("a typed ETag is given back without quotes") {
        for (const std::string_view text : {"abc", "\"abc\"", "W/\"abc\""}) CHECK(*parse_etag(text) == "abc");
        CHECK(*parse_etag("*") == "*");
    }

    TEST_CASE("a typed ETag that could break a header is refused") {
        for (const std::string& text :
             {std::string(""), std::string("\"\""), std::string("a b"), std::string("a\r\nx: y"), std::string("a\"b"),
              std::string("a\0b", 3), std::string("\x7f"), std::string("\xc3\xa9"), std::string(1025, 'a')}) {
            CAPTURE(text);
            const Result<std::string> etag = parse_etag(text);
            REQUIRE(!etag.ok());
            CHECK(etag.error().kind == ErrorKind::usage);
            CHECK(etag.error().message.find('\n') == std::string::npos);
        }
    }
}

}  // namespace s3tug::wire
