#include "wire/content_range.h"

#include <doctest/doctest.h>

namespace s3tug::wire {

TEST_SUITE("wire/content_range") {
    TEST_CASE("first, last and total are read") {
        struct Row {
            std::string_view text;
            uint64_t first, last;
            std::optional<uint64_t> total;
            bool whole;
        };
        for (const Row& row : {Row{"bytes 0-9/100", 0, 9, 100, false}, Row{"bytes 0-0/1", 0, 0, 1, true},
                               Row{"Bytes 5-5/*", 5, 5, std::nullopt, false}, Row{"bytes 0-99/100", 0, 99, 100, true},
                               Row{"bytes 0-99/*", 0, 99, std::nullopt, false},
                               Row{"bytes 18446744073709551613-18446744073709551614/18446744073709551615",
                                   18446744073709551613U, 18446744073709551614U, 18446744073709551615U, false}}) {
            CAPTURE(row.text);
            const auto range = parse_content_range(row.text);
            REQUIRE(range.has_value());
            CHECK(range->first == row.first);
            CHECK(range->last == row.last);
            CHECK(range->total == row.total);
            CHECK(range->whole() == row.whole);
        }
    }

    TEST_CASE("what cannot be a range of an answer is refused") {
        for (const std::string_view text : {"",
                                            "bytes",
                                            "bytes ",
                                            "bytes 0-9",
                                            "bytes 9-0/100",
                                            "bytes 0-100/100",
                                            "bytes 0-9/9",
                                            "bytes -9/100",
                                            "bytes 0-/100",
                                            "bytes 0-9/",
                                            "bytes 0-9/-1",
                                            "bytes 0-9/100 ",
                                            "bytes  0-9/100",
                                            "bytes=0-9/100",
                                            "bytes */100",
                                            "items 0-9/100",
                                            "bytes 0x0-9/100",
                                            "bytes +0-9/100",
                                            "bytes 0-9/1e2",
                                            "bytes 0-18446744073709551616/18446744073709551617",
                                            "bytes 0/9-100",
                                            "bytes 0-9/100/100"}) {
            CAPTURE(text);
            CHECK(!parse_content_range(text).has_value());
        }
    }

    TEST_CASE("a 416 tells the size") {
        CHECK(parse_unsatisfied_range("bytes */0") == 0U);
        CHECK(parse_unsatisfied_range("bytes */100") == 100U);
        for (const std::string_view text : {"", "bytes */", "bytes */*", "bytes 0-9/100", "bytes */-1", "*/5"}) {
            CAPTURE(text);
            CHECK(!parse_unsatisfied_range(text).has_value());
        }
    }

    TEST_CASE("lengths are digits alone and fit into 64 bits") {
        CHECK(parse_decimal("0") == 0U);
        CHECK(parse_decimal("18446744073709551615") == 18446744073709551615U);
        for (const std::string_view text : {"", " 1", "1 ", "-1", "+1", "0x1", "1,1", "18446744073709551616"}) {
            CAPTURE(text);
            CHECK(!parse_decimal(text).has_value());
        }
    }
}

}  // namespace s3tug::wire
