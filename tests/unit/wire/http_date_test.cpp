#include "wire/http_date.h"

#include <doctest/doctest.h>

#include <string>

namespace s3tug::wire {

TEST_SUITE("wire/http_date") {
    // Right values from Python's calendar.timegm.
    TEST_CASE("all three forms of RFC 9110 are read") {
        struct Row {
            std::string_view text;
            int64_t unix_seconds;
        };
        for (const Row row :
             {Row{"Sun, 06 Nov 1994 08:49:37 GMT", 784111777}, Row{"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
              Row{"Sun Nov  6 08:49:37 1994", 784111777}, Row{"Sun Nov 06 08:49:37 1994", 784111777},
              Row{"Tue, 29 Feb 2000 23:59:59 GMT", 951868799}, Row{"Thu, 01 Jan 1970 00:00:00 GMT", 0},
              Row{"Wed, 31 Dec 1969 23:59:59 GMT", -1}, Row{"Mon, 01 Jan 1900 00:00:00 GMT", -2208988800},
              Row{"Tue, 31 Dec 2261 23:59:59 GMT", 9214646399}, Row{"Sun, 29 Nov 2026 21:01:30 GMT", 1795986090},
              Row{"Tue, 19 Jan 2038 03:14:08 GMT", 2147483648}, Row{"Thu, 29 Feb 2024 00:00:00 GMT", 1709164800},
              Row{"Tuesday, 01-Jan-69 00:00:00 GMT", 3124224000}, Row{"Friday, 31-Dec-99 00:00:00 GMT", 946598400}}) {
            CAPTURE(row.text);
            const auto time = parse_http_date(row.text);
            REQUIRE(time.has_value());
            CHECK(to_unix_seconds(*time) == row.unix_seconds);
        }
    }

    TEST_CASE("a leap second counts as the second after it") {
        const auto time = parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT");
        REQUIRE(time.has_value());
        CHECK(to_unix_seconds(*time) == 1483228800);
    }

    TEST_CASE("what is no date is refused") {
        for (const std::string_view text : {"",
                                            " ",
                                            "0",
                                            "1795986090",
                                            "Sun",
                                            "Sun, 06 Nov 1994 08:49:37",
                                            "Sun, 06 Nov 1994 08:49:37 UTC",
                                            "Sun, 06 Nov 1994 08:49:37 GMT ",
                                            " Sun, 06 Nov 1994 08:49:37 GMT",
                                            "Sun, 6 Nov 1994 08:49:37 GMT",
                                            "sun, 06 nov 1994 08:49:37 gmt",
                                            "Sun, 06 Nov 94 08:49:37 GMT",
                                            "Sun, 00 Nov 1994 08:49:37 GMT",
                                            "Sun, 31 Nov 1994 08:49:37 GMT",
                                            "Sun, 29 Feb 2023 08:49:37 GMT",
                                            "Sun, 29 Feb 1900 08:49:37 GMT",
                                            "Sun, 32 Dec 1994 08:49:37 GMT",
                                            "Sun, 06 Nov 1994 24:00:00 GMT",
                                            "Sun, 06 Nov 1994 08:60:37 GMT",
                                            "Sun, 06 Nov 1994 08:49:61 GMT",
                                            "Sun, 06 Nov 1899 08:49:37 GMT",
                                            "Sun, 06 Nov 2262 08:49:37 GMT",
                                            "Sun, 06 Nov 9999 08:49:37 GMT",
                                            "Sun, 06 Nov -994 08:49:37 GMT",
                                            "Sun, 06 Nov 19941 08:49:37 GMT",
                                            "Sun, 06 Nov 1994 8:49:37 GMT",
                                            "Sun, 06 Nov 1994 08:49:37 +0000",
                                            "Sun, 06-Nov-1994 08:49:37 GMT",
                                            "Sun Nov  6 08:49:37 1994 GMT",
                                            "Sun Nov 6 08:49:37 1994",
                                            "Xxx, 06 Nov 1994 08:49:37 GMT",
                                            "Sun, 06 Xxx 1994 08:49:37 GMT",
                                            "2026-11-29T21:01:30Z"}) {
            CAPTURE(text);
            CHECK(!parse_http_date(text).has_value());
        }
    }

    TEST_CASE("a date cut at any byte, or with any byte replaced, is no date or a date in range") {
        for (const std::string_view whole :
             {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
            for (std::size_t cut = 0; cut < whole.size(); ++cut) {
                CHECK(!parse_http_date(whole.substr(0, cut)).has_value());
                for (int byte = 0; byte < 256; ++byte) {
                    std::string text(whole);
                    text[cut] = static_cast<char>(byte);
                    if (const auto time = parse_http_date(text)) {
                        CHECK(to_unix_seconds(*time) >= -2208988800);
                        CHECK(to_unix_seconds(*time) <= 9214646400);
                    }
                }
            }
        }
    }
}

}  // namespace s3tug::wire
