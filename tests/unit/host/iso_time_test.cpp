#include "host/iso_time.h"

#include <doctest/doctest.h>

namespace s3tug::host {

TEST_SUITE("host/iso_time") {
    // Right values: Python 3.11, datetime.fromisoformat(text).timestamp().
    TEST_CASE("times with Z, fractions and offsets are read") {
        struct Row {
            std::string_view text;
            int64_t unix_us;
        };
        for (const Row row :
             {Row{"2026-11-29T21:01:30Z", 1795986090'000000}, Row{"2026-11-29T21:01:30+00:00", 1795986090'000000},
              Row{"2026-11-29T23:01:30+02:00", 1795986090'000000}, Row{"2026-11-29T23:01:30+0200", 1795986090'000000},
              Row{"2026-11-29T21:01:30-05:30", 1796005890'000000},
              Row{"2026-11-29T12:01:30.123456Z", 1795953690'123456},
              Row{"2026-11-29T12:01:30.12345600000000000000000000001Z", 1795953690'123456},
              Row{"1970-01-01T00:00:00Z", 0}, Row{"2028-02-29T00:00:00Z", 1835395200'000000}}) {
            CAPTURE(row.text);
            const auto time = parse_iso_time(row.text);
            REQUIRE(time.has_value());
            CHECK(time->time_since_epoch() == microseconds(row.unix_us));
        }
    }

    TEST_CASE("anything else is no time") {
        for (const std::string_view text :
             {"", "2026-11-29", "2026-11-29T21:01:30", "2026-11-29T21:01Z", "2026-02-29T00:00:00Z",
              "2026-13-01T00:00:00Z", "2026-11-29T24:00:00Z", "2026-11-29T21:60:00Z", "2026-11-29T21:01:61Z",
              "2026-11-29T21:01:30.Z", "2026-11-29T21:01:30Zx", "2026-11-29T21:01:30+25:00", "+026-11-29T21:01:30Z",
              "9999-11-29T21:01:30Z", "1795986090", "0000-00-00T00:00:00Z"}) {
            CAPTURE(text);
            CHECK_FALSE(parse_iso_time(text).has_value());
        }
    }
}

}  // namespace s3tug::host
