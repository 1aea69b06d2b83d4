#include "base/text.h"

#include <doctest/doctest.h>

#include <array>

namespace s3tug {

TEST_SUITE("base/text") {
    TEST_CASE("sizes are read exactly") {
        struct Row {
            std::string_view text;
            uint64_t bytes;
        };
        for (const Row row : {Row{"0", 0},
                              Row{"1048576", 1048576},
                              Row{"7B", 7},
                              Row{"1KiB", 1024},
                              Row{"16MiB", 16777216},
                              Row{"5GiB", 5368709120},
                              Row{"2TiB", 2199023255552},
                              Row{"3K", 3072},
                              Row{"20M", 20971520},
                              Row{"1.5g", 1610612736},
                              Row{"2 T", 2199023255552},
                              Row{"1KB", 1000},
                              Row{"1MB", 1000000},
                              Row{"5GB", 5000000000},
                              Row{"3TB", 3000000000000},
                              Row{"16mib", 16777216},
                              Row{"16MIB", 16777216},
                              Row{"16 MiB", 16777216},
                              Row{"1.5GiB", 1610612736},
                              Row{"0.5KiB", 512},
                              Row{"0.001KB", 1},
                              Row{"0.3KiB", 307},  // 307.2, rounded down
                              Row{"1.0", 1},
                              Row{"007", 7},
                              Row{"1.99999999999999999999999999KB", 1999},
                              Row{"16777215.9999999TiB", 18446744073709441664U},
                              Row{"18446744073709551615", UINT64_MAX}}) {
            CAPTURE(row.text);
            const auto size = parse_size(row.text);
            REQUIRE(size.ok());
            CHECK(*size == row.bytes);
        }
    }

    TEST_CASE("a wrong size is a usage error that names the text, the fault and right forms") {
        struct Row {
            std::string_view text, fault;
        };
        for (const Row row : {Row{"", "not a number"},
                              Row{"MiB", "not a number"},
                              Row{"-1", "negative"},
                              Row{"-1MiB", "negative"},
                              Row{"+1", "not a number"},
                              Row{" 1", "not a number"},
                              Row{".5MiB", "not a number"},
                              Row{"1.", "not a number"},
                              Row{"1.MiB", "not a number"},
                              Row{"1.5", "fraction of a byte"},
                              Row{"1.5B", "fraction of a byte"},
                              Row{"1 MiB ", "unknown unit"},
                              Row{"16Mi", "unknown unit"},
                              Row{"16P", "unknown unit"},
                              Row{"1KiBx", "unknown unit"},
                              Row{"1MiB2", "unknown unit"},
                              Row{"1,5MiB", "unknown unit"},
                              Row{"0x10", "unknown unit"},
                              Row{"1e6", "unknown unit"},
                              Row{"18446744073709551616", "too large"},
                              Row{"16777216TiB", "too large"},
                              Row{"99999999999999999999999999999999MiB", "too large"}}) {
            CAPTURE(row.text);
            const auto size = parse_size(row.text);
            REQUIRE_FALSE(size.ok());
            CHECK(size.error().kind == ErrorKind::usage);
            CHECK(size.error().message.find("'" + std::string(row.text) + "'") != std::string::npos);
            CHECK(size.error().message.find(row.fault) != std::string::npos);
            CHECK(size.error().message.find("16MiB") != std::string::npos);
        }
    }

    TEST_CASE("a size typed as garbage cannot drive the terminal through the error") {
        const auto size = parse_size("\x1b[2J" + std::string(5000, 'x'));
        REQUIRE_FALSE(size.ok());
        CHECK(size.error().message.find('\x1b') == std::string::npos);
        CHECK(size.error().message.size() < 300);
    }

    TEST_CASE("durations are read exactly") {
        struct Row {
            std::string_view text;
            int64_t ns;
        };
        for (const Row row :
             {Row{"0", 0}, Row{"30", 30'000'000'000}, Row{"500ms", 500'000'000}, Row{"1.5s", 1'500'000'000},
              Row{"0.25", 250'000'000}, Row{"2m", 120'000'000'000}, Row{"1.5h", 5'400'000'000'000},
              Row{"1h30m", 5'400'000'000'000}, Row{"1d", 86'400'000'000'000}, Row{"1D12h", 129'600'000'000'000},
              Row{"1h0m0.5s", 3'600'500'000'000}, Row{"3m20s", 200'000'000'000}, Row{"1s5ms", 1'005'000'000},
              Row{"2 m", 120'000'000'000}, Row{"5S", 5'000'000'000}, Row{"0.0000000015s", 1},
              Row{"9223372036854775807", -1}, Row{"9223372036s", 9'223'372'036'000'000'000}}) {
            CAPTURE(row.text);
            const auto duration = parse_duration(row.text);
            REQUIRE(duration.ok() == (row.ns >= 0));
            if (row.ns >= 0) CHECK(duration->count() == row.ns);
        }
    }

    TEST_CASE("a wrong duration is a usage error that names the text, the fault and right forms") {
        struct Row {
            std::string_view text, fault;
        };
        for (const Row row :
             {Row{"", "not a number"}, Row{"s", "not a number"}, Row{"-5s", "negative"}, Row{"5w", "unknown unit"},
              Row{"1h1d", "out of order"}, Row{"106752d", "too large"}, Row{"5sec", "unknown unit"},
              Row{"1h30", "unknown unit"}, Row{"1m1h", "out of order"}, Row{"1s1s", "out of order"},
              Row{"1m-1s", "not a number"}, Row{"5s ", "not a number"}, Row{"1:30", "unknown unit"},
              Row{"9223372037s", "too large"}, Row{"2562048h", "too large"}, Row{"2562047h48m", "too large"},
              Row{"99999999999999999999", "too large"}}) {
            CAPTURE(row.text);
            const auto duration = parse_duration(row.text);
            REQUIRE_FALSE(duration.ok());
            CHECK(duration.error().kind == ErrorKind::usage);
            CHECK(duration.error().message.find("'" + std::string(row.text) + "'") != std::string::npos);
            CHECK(duration.error().message.find(row.fault) != std::string::npos);
            CHECK(duration.error().message.find("500ms") != std::string::npos);
        }
    }

    TEST_CASE("sizes are shown with one decimal and never as 1024 of a unit") {
        struct Row {
            uint64_t bytes;
            std::string_view text;
        };
        for (const Row row : {Row{0, "0 B"}, Row{1023, "1023 B"}, Row{1024, "1.0 KiB"}, Row{1536, "1.5 KiB"},
                              Row{16U << 20, "16.0 MiB"}, Row{(1U << 20) - 1, "1.0 MiB"}, Row{1047552, "1023.0 KiB"},
                              Row{5368709120, "5.0 GiB"}, Row{UINT64_MAX, "16.0 EiB"}}) {
            CAPTURE(row.bytes);
            CHECK(format_size(row.bytes) == row.text);
        }
    }

    TEST_CASE("durations are shown as short as people read them") {
        struct Row {
            int64_t ns;
            std::string_view text;
        };
        for (const Row row :
             {Row{0, "0ms"}, Row{49'999, "0ms"}, Row{400'000, "0.4ms"}, Row{5'000'000, "5ms"}, Row{9'960'000, "10ms"},
              Row{350'000'000, "350ms"}, Row{999'400'000, "999ms"}, Row{999'600'000, "1s"}, Row{2'410'000'000, "2.41s"},
              Row{2'500'000'000, "2.5s"}, Row{30'000'000'000, "30s"}, Row{59'994'000'000, "59.99s"},
              Row{59'996'000'000, "1m"}, Row{200'000'000'000, "3m20s"}, Row{3'600'000'000'000, "1h"},
              Row{7'505'000'000'000, "2h5m5s"}, Row{-350'000'000, "-350ms"}, Row{INT64_MIN, "-2562047h47m17s"},
              Row{INT64_MAX, "2562047h47m17s"}}) {
            CAPTURE(row.ns);
            CHECK(format_duration(Duration(row.ns)) == row.text);
        }
    }

    TEST_CASE("what is shown for a duration can be typed as one") {
        for (const int64_t ns :
             {0LL, 400'000LL, 350'000'000LL, 2'410'000'000LL, 200'000'000'000LL, 7'505'000'000'000LL}) {
            CAPTURE(ns);
            CHECK(parse_duration(format_duration(Duration(ns))).value().count() == ns);
        }
    }

    TEST_CASE("UTC times have the calendar right, before 1970 and on leap days too") {
        struct Row {
            int64_t ms;
            std::string_view text;
        };
        for (const Row row :
             {Row{0, "1970-01-01T00:00:00.000Z"}, Row{-1, "1969-12-31T23:59:59.999Z"},
              Row{951782400000, "2000-02-29T00:00:00.000Z"}, Row{1795986090123, "2026-11-29T21:01:30.123Z"},
              Row{4107542400000, "2100-03-01T00:00:00.000Z"}}) {
            CAPTURE(row.ms);
            CHECK(format_utc(WallTime(milliseconds(row.ms))) == row.text);
        }
    }

    TEST_CASE("the nearest candidate is found through a swap, a missing, a wrong and an extra letter") {
        constexpr std::array<std::string_view, 7> names = {"put",       "get", "delete", "copy", "--endpoint-url",
                                                           "--retries", "rm"};
        struct Row {
            std::string_view typed;
            std::optional<std::string_view> found;
        };
        for (const Row row : {Row{"ptu", "put"}, Row{"pt", "put"}, Row{"pit", "put"}, Row{"putt", "put"},
                              Row{"PUT", "put"}, Row{"gte", "get"}, Row{"delte", "delete"}, Row{"coyp", "copy"},
                              Row{"--endpiont-ur", "--endpoint-url"}, Row{"--retry", "--retries"}, Row{"rm", "rm"},
                              Row{"mr", {}}, Row{"upload", {}}, Row{"", {}}, Row{"--x", {}}}) {
            CAPTURE(row.typed);
            CHECK(nearest(row.typed, names) == row.found);
        }
        CHECK(nearest("put", {}) == std::nullopt);
        CHECK(nearest(std::string(100000, 'p'), names) == std::nullopt);
    }

    TEST_CASE("trimming and lower-casing touch only ASCII blanks and letters") {
        CHECK(trim(" \t\r\n a b \r\n") == "a b");
        CHECK(trim(" \t ") == "");
        CHECK(trim("") == "");
        CHECK(to_lower("X-Amz-\xc3\x89[@`{") == "x-amz-\xc3\x89[@`{");
    }
}

}  // namespace s3tug
