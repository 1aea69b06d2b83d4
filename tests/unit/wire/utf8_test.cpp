#include "wire/utf8.h"

#include <doctest/doctest.h>

namespace s3tug::wire {

TEST_SUITE("wire/utf8") {
    TEST_CASE("characters are read with their length, and what is none has length 0") {
        struct Row {
            std::string_view text;
            char32_t code;
            std::size_t bytes;
        };
        using namespace std::string_view_literals;
        for (const Row& row : {Row{"A", 0x41, 1},
                               Row{"\0"sv, 0, 1},
                               Row{"\x7f", 0x7f, 1},
                               Row{"\xC2\x80", 0x80, 2},
                               Row{"\xDF\xBF", 0x7ff, 2},
                               Row{"\xE0\xA0\x80", 0x800, 3},
                               Row{"\xED\x9F\xBF", 0xd7ff, 3},
                               Row{"\xEE\x80\x80", 0xe000, 3},
                               Row{"\xEF\xBF\xBF", 0xffff, 3},
                               Row{"\xF0\x90\x80\x80", 0x10000, 4},
                               Row{"\xF4\x8F\xBF\xBF", 0x10ffff, 4},
                               Row{"\xC3\xA4z", 0xe4, 2},
                               Row{"", 0, 0},
                               Row{"\x80", 0, 0},
                               Row{"\xC0\x80", 0, 0},
                               Row{"\xC1\xBF", 0, 0},
                               Row{"\xE0\x9F\xBF", 0, 0},
                               Row{"\xED\xA0\x80", 0, 0},
                               Row{"\xED\xBF\xBF", 0, 0},
                               Row{"\xF0\x8F\xBF\xBF", 0, 0},
                               Row{"\xF4\x90\x80\x80", 0, 0},
                               Row{"\xF5\x80\x80\x80", 0, 0},
                               Row{"\xFF", 0, 0},
                               Row{"\xC3", 0, 0},
                               Row{"\xC3z", 0, 0},
                               Row{"\xE2\x82", 0, 0}}) {
            CAPTURE(row.text.size());
            CAPTURE(static_cast<unsigned>(row.code));
            const Utf8Char c = first_utf8_char(row.text);
            CHECK(c.bytes == row.bytes);
            if (row.bytes > 0) CHECK(c.code == row.code);
        }
    }

    TEST_CASE("a text is UTF-8 when all of it is") {
        CHECK(is_utf8(""));
        CHECK(is_utf8("gr\xC3\xBC\xC3\x9F dich"));
        CHECK(!is_utf8("gr\xFC\xDF dich"));  // Latin-1
        CHECK(!is_utf8("cut \xE2\x82"));
    }
}

}  // namespace s3tug::wire
