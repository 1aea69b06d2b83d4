#include "base/record.h"

#include <doctest/doctest.h>

#include <limits>

namespace s3tug {

TEST_SUITE("base/record") {
    TEST_CASE("a record is one line per field, with line breaks, backslashes and control bytes escaped") {
        const std::string record = RecordWriter()
                                       .text("state", "open")
                                       .number("failures", -5)
                                       .text("error", "a\nb\\c\x1b[0m=\x7f \xc3\xa9")
                                       .text("empty", "")
                                       .take();
        CHECK(record == "state=open\nfailures=-5\nerror=a\\nb\\\\c\\x1b[0m=\\x7f \xc3\xa9\nempty=\n");
    }

    TEST_CASE("every byte comes back as it was written") {
        std::string bytes;
        for (unsigned b = 0; b < 256; ++b) bytes += static_cast<char>(b);
        const auto reader = RecordReader::parse(RecordWriter().text("v", bytes).take());
        REQUIRE(reader.has_value());
        CHECK(reader->text("v") == bytes);
    }

    TEST_CASE("fields are found by name; names that are not known do no harm, repeated names form a list") {
        const auto reader = RecordReader::parse("part=1\nfrom_the_future=x\npart=2\nempty=\npart=3\n");
        REQUIRE(reader.has_value());
        CHECK(reader->text("part") == "1");
        CHECK(reader->all("part") == std::vector<std::string>{"1", "2", "3"});
        CHECK(reader->all("none").empty());
        CHECK(reader->text("empty") == "");
        CHECK(reader->text("none") == std::nullopt);
    }

    TEST_CASE("numbers are whole 64-bit numbers and nothing else") {
        struct Row {
            std::string_view text;
            std::optional<int64_t> number;
        };
        constexpr int64_t least = std::numeric_limits<int64_t>::min();
        constexpr int64_t most = std::numeric_limits<int64_t>::max();
        for (const Row row : {Row{"0", 0}, Row{"-1", -1}, Row{"9223372036854775807", most},
                              Row{"-9223372036854775808", least}, Row{"9223372036854775808", {}}, Row{"", {}},
                              Row{"1x", {}}, Row{" 1", {}}, Row{"+1", {}}, Row{"0x10", {}}, Row{"1.0", {}}}) {
            CAPTURE(row.text);
            const auto reader = RecordReader::parse("n=" + std::string(row.text));
            REQUIRE(reader.has_value());
            CHECK(reader->number("n") == row.number);
        }
        const auto reader = RecordReader::parse(RecordWriter().number("a", least).number("b", most).take());
        REQUIRE(reader.has_value());
        CHECK(reader->number("a") == least);
        CHECK(reader->number("b") == most);
        CHECK(reader->number("none") == std::nullopt);
    }

    TEST_CASE("text that is not a record is told apart from an empty record") {
        CHECK(RecordReader::parse("").has_value());
        CHECK(RecordReader::parse("a=1").has_value());
        for (const std::string_view text : {"a", "a=1\nb", "\n", "a=1\n\nb=2\n", "=1\n", "a=\\", "a=\\q", "a=\\x",
                                            "a=\\x1", "a=\\xg0", "a=\\x1\nb=2", "SQLite format 3"}) {
            CAPTURE(text);
            CHECK_FALSE(RecordReader::parse(text).has_value());
        }
    }
}

}  // namespace s3tug
