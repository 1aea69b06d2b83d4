#include "wire/iso_time.h"

#include <doctest/doctest.h>

namespace s3tug::wire {

TEST_SUITE("wire/iso_time") {
    TEST_CASE("the times of S3's XML are read to the millisecond") {
        struct Row {
            std::string_view text;
            int64_t unix_s, ms;
        };
        // Unix seconds from `date -u -d ... +%s`.
        for (const Row& row :
             {Row{"2026-11-29T21:01:30Z", 1'795'986'090, 0}, Row{"2026-11-29T21:01:30.123Z", 1'795'986'090, 123},
              Row{"2026-11-29T21:01:30.5Z", 1'795'986'090, 500},
              Row{"2026-11-29T21:01:30.123456789Z", 1'795'986'090, 123}, Row{"1970-01-01T00:00:00.000Z", 0, 0},
              Row{"2024-02-29T23:59:59Z", 1'709'251'199, 0}, Row{"1969-12-31T23:59:59.999Z", -1, 999},
              Row{"2016-12-31T23:59:60Z", 1'483'228'800, 0}}) {
            CAPTURE(row.text);
            CHECK(parse_iso_time(row.text) == wall_from_unix_seconds(row.unix_s) + milliseconds(row.ms));
        }
    }

    TEST_CASE("what is no such time is none") {
        for (const std::string_view text :
             {"", "Z", "2026-11-29", "2026-11-29T21:01:30", "2026-11-29T21:01:30+01:00", "2026-11-29 21:01:30Z",
              "2026-11-31T00:00:00Z", "2025-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-29T24:00:00Z",
              "2026-11-29T21:60:00Z", "2026-11-29T21:01:61Z", "2026-11-29T21:01:30.Z", "2026-11-29T21:01:30.1xZ",
              "2026-11-29T21:01:30xZ", "1899-12-31T23:59:59Z", "2262-01-01T00:00:00Z", "9999-99-99T99:99:99Z",
              "Sun, 29 Nov 2026 21:01:30 GMT"}) {
            CAPTURE(text);
            CHECK(!parse_iso_time(text));
        }
    }
}

}  // namespace s3tug::wire
