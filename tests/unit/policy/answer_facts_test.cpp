#include "policy/answer_facts.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "base/limits.h"
#include "unit/policy/replies.h"

namespace s3tug::policy {

namespace {

using namespace test;
using Unit = ServerHint::Unit;

std::optional<ServerHint> hint_of(HeaderList headers) { return server_hint(head(503, headers).headers); }

}  // namespace

TEST_SUITE("policy/answer_facts") {
    TEST_CASE("Retry-After in seconds") {
        struct Row {
            std::string_view text;
            std::optional<Duration> value;
        };
        for (const Row row : {
                 Row{"0", seconds(0)},
                 Row{"3", seconds(3)},
                 Row{" 120 ", seconds(120)},
                 Row{"99999999999", limits::deadline_max},
                 Row{"99999999999999999999999999", limits::deadline_max},
                 Row{"-1", std::nullopt},
                 Row{"+1", std::nullopt},
                 Row{"1.5", std::nullopt},
                 Row{"1s", std::nullopt},
                 Row{"", std::nullopt},
                 Row{"soon", std::nullopt},
             }) {
            CAPTURE(row.text);
            const auto hint = hint_of({{"retry-after", row.text}});
            REQUIRE(hint.has_value() == row.value.has_value());
            if (!hint) continue;
            CHECK(hint->unit == Unit::retry_after);
            CHECK(hint->value == *row.value);
        }
        CHECK_FALSE(hint_of({}).has_value());
    }

    TEST_CASE("a Retry-After date is judged against the server's own Date") {
        struct Row {
            std::string_view until, date;
            std::optional<Duration> value;
        };
        for (const Row row : {
                 Row{"Sun, 29 Nov 2026 21:01:40 GMT", received_date, seconds(10)},
                 Row{received_date, received_date, seconds(0)},
                 Row{"Sun, 29 Nov 2026 21:01:29 GMT", received_date, std::nullopt},  // past
                 Row{"Sun, 29 Nov 2026 21:01:40 GMT", "", std::nullopt},             // nothing to judge it by
                 Row{"Sun, 29 Nov 2026 21:01:40 GMT", "Fri, 01 Jan 2021 00:00:00 GMT", limits::deadline_max},
                 Row{"Fri, 01 Jan 2250 00:00:00 GMT", received_date, std::nullopt},
                 Row{"Sun, 29 Nov 2026", received_date, std::nullopt},
             }) {
            CAPTURE(row.until);
            const auto hint = hint_of({{"retry-after", row.until}, {"date", row.date}});
            REQUIRE(hint.has_value() == row.value.has_value());
            if (hint) CHECK(hint->value == *row.value);
        }
    }

    TEST_CASE("x-amz-retry-after is milliseconds and comes first") {
        const auto both = hint_of({{"retry-after", "60"}, {"x-amz-retry-after", "1500"}});
        REQUIRE(both.has_value());
        CHECK(both->unit == Unit::amz_retry_after);
        CHECK(both->value == milliseconds(1500));

        const auto unreadable = hint_of({{"retry-after", "60"}, {"x-amz-retry-after", "-5"}});
        REQUIRE(unreadable.has_value());
        CHECK(unreadable->unit == Unit::retry_after);
        CHECK(hint_of({{"x-amz-retry-after", "99999999999999999999"}})->value == limits::deadline_max);
    }

    TEST_CASE("the clock difference is server minus local, from Date or ServerTime") {
        struct Row {
            std::string_view date, server_time;
            std::optional<Duration> difference;
        };
        for (const Row row : {
                 Row{received_date, "", seconds(0)},
                 Row{"Sun, 29 Nov 2026 21:01:00 GMT", "", -seconds(30)},
                 Row{"Sunday, 29-Nov-26 22:01:30 GMT", "", hours(1)},
                 Row{"", "2026-11-29T22:01:30Z", hours(1)},
                 Row{"", "2026-11-29T22:01:30.250Z", hours(1)},
                 Row{"", " 2026-11-29T22:01:30Z\n", hours(1)},
                 Row{"rubbish", "2026-11-29T22:01:30Z", hours(1)},
                 Row{"Sun, 29 Nov 2026 22:01:30 GMT", "2026-11-29T20:01:30Z", hours(1)},
                 Row{"", "", std::nullopt},
                 Row{"", "2026-11-29T22:01:30", std::nullopt},
                 Row{"", "2026-13-29T22:01:30Z", std::nullopt},
                 Row{"", "2026-02-30T22:01:30Z", std::nullopt},
                 Row{"", "2026-11-29 22:01:30Z", std::nullopt},
                 Row{"", "Z", std::nullopt},
                 Row{"Thu, 01 Jan 1970 00:00:00 GMT", "", std::nullopt},  // a server without a clock
                 Row{"Fri, 01 Jan 2250 00:00:00 GMT", "", std::nullopt},
                 Row{"", "9999-11-29T22:01:30Z", std::nullopt},
                 Row{"", "1999-11-29T22:01:30Z", std::nullopt},
             }) {
            CAPTURE(row.date);
            CAPTURE(row.server_time);
            CHECK(clock_difference(head(403, {{"date", row.date}}).headers, row.server_time, received) ==
                  row.difference);
        }
    }

    TEST_CASE("a machine without a battery clock starts in 1970 and is still corrected") {
        const WallTime boot = wall_from_unix_seconds(60);
        const auto difference = clock_difference(head(403, {{"date", received_date}}).headers, "", boot);
        CHECK(difference == received - boot);
        CHECK_FALSE(clock_difference(head(403, {{"date", received_date}}).headers, "", WallTime{}).has_value());
    }

    TEST_CASE("only a well-formed region is taken") {
        struct Row {
            std::string_view header, element, expected;
        };
        for (const Row row : {
                 Row{"eu-west-1", "", "eu-west-1"},
                 Row{" eu-west-1 ", "", "eu-west-1"},
                 Row{"", "cn-north-1", "cn-north-1"},
                 Row{"eu-west-1", "cn-north-1", "eu-west-1"},
                 Row{"eu_west", "cn-north-1", "cn-north-1"},
                 Row{"", "evil.com#", ""},
                 Row{"", "eu-west-1@evil", ""},
                 Row{"", "", ""},
             }) {
            wire::ErrorBody body;
            body.region = row.element;
            CHECK(named_region(head(301, {{"x-amz-bucket-region", row.header}}).headers, body) == row.expected);
        }
    }

    TEST_CASE("safe text ends where a secret would begin") {
        CHECK(safe_text("Access Denied") == "Access Denied");
        CHECK(safe_text("see AUTHORIZATION: AWS4 x") == "see [cut]");
        CHECK(safe_text("a=1&X-Amz-Signature=abc") == "a=1&X-Amz-[cut]");
        CHECK(safe_text("Credential=AKIA/2026") == "[cut]");
        CHECK(safe_text("<SignatureProvided>abc") == "[cut]");
        CHECK(safe_text("The provided security token is invalid") == "The provided security token is invalid");
        CHECK(safe_text("two\nlines").find('\n') == std::string::npos);
        CHECK(safe_text(std::string(10'000, 'x')).size() <= limits::trace_text_max_bytes + 3);
    }

}  // TEST_SUITE

}  // namespace s3tug::policy
