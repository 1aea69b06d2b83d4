#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "lab/script.h"

namespace s3tug::lab {

namespace {

Rule one_rule(std::string_view text) {
    auto parsed = parse_script(text);
    if (const auto* error = std::get_if<ScriptError>(&parsed)) {
        FAIL(error->text());
        return {};
    }
    REQUIRE(std::get<std::vector<Rule>>(parsed).size() == 1);
    return std::get<std::vector<Rule>>(parsed).front();
}

}  // namespace

TEST_SUITE("lab/script") {
    TEST_CASE("the examples of the README are accepted") {
        std::ifstream in(LAB_README);
        REQUIRE(in);
        std::string text{std::istreambuf_iterator<char>(in), {}};
        const size_t start = text.find("```\n# a throttled start");
        REQUIRE(start != std::string::npos);
        const auto parsed =
            parse_script(std::string_view(text).substr(start + 4, text.find("```", start + 4) - start - 4));
        const auto* error = std::get_if<ScriptError>(&parsed);
        REQUIRE_MESSAGE(error == nullptr, (error != nullptr ? error->text() : ""));
        CHECK(std::get<std::vector<Rule>>(parsed).size() > 8);
    }

    TEST_CASE("every action and condition is accepted") {
        for (const std::string_view text : {
                 "PutObject 1-2: 503 SlowDown",
                 "PutObject 1-2: 503 SlowDown retry-after=5",
                 "* 10%: 503 SlowDown retry-after-date=5",
                 "* every 7: 500",
                 "PUT 3-: 503 html no-length",
                 "GetObject key=logs/* 1: reset mid-answer@4096",
                 "PutObject 1: reset before-answer",
                 "PutObject conn=reused 1: close before-read",
                 "UploadPart part=3 1-2: reset mid-body@64K",
                 "PutObject 1: late 500 ms",
                 "PutObject 1: late 500ms; hide 2",
                 "DeleteObjects 1: fail-keys d/* SlowDown",
                 "PutObject 1: apply-then 500 InternalError",
                 "CopyObject 1: 200-with-error InternalError",
                 "CompleteMultipartUpload 1: apply-then 200-with-error InternalError",
                 "CopyObject 1: empty-200",
                 "GetObject 1: cut 10",
                 "GetObject 1: flip down 0",
                 "PutObject 1: flip up 7",
                 "PutObject 1: flip stored 7",
                 "GetObject: drip 100/10ms",
                 "PutObject: drip up 64K/10ms",
                 "* 1: garbage",
                 "* 1: html",
                 "* 1: deny",
                 "*: skew 3600",
                 "*: skew -3600s",
                 "* bucket=b2: region eu-west-1",
                 "* 1: expire",
                 "* 1: redirect 301 other.example region=eu-west-1",
                 "PutObject: ignore-conditions",
                 "PutObject: no-checksum",
                 "PutObject: no-checksum 400",
                 "DeleteObject 1: dup",
                 "GetObject: chunked",
                 "* from 2s to 22s: refuse",
                 "*: refuse",
                 "* from 2s to 22s: 503 ServiceUnavailable",
                 "PutObject 1: delay 2s; reset before-answer",
                 "PutObject 1: delay 100ms after-headers",
                 "GetObject 1: hang mid-answer@1",
                 "Connection 1-3: reset",
                 "PutObject key=\"a b; c:\": 503 SlowDown message=\"too much; slow down\"  # why",
             }) {
            CAPTURE(text);
            const auto parsed = parse_script(text);
            const auto* error = std::get_if<ScriptError>(&parsed);
            CHECK_MESSAGE(error == nullptr, (error != nullptr ? error->text() : ""));
        }
    }

    TEST_CASE("a rule says what it says") {
        const Rule rule =
            one_rule("  UploadPart key=a/* part=3 conn=reused 2-4: 503 SlowDown x-amz-retry-after=1500; delay 2s");
        CHECK(rule.op == "UploadPart");
        CHECK(rule.key == "a/*");
        CHECK(rule.part == 3U);
        CHECK(rule.reused == true);
        CHECK(rule.when.first == 2);
        CHECK(rule.when.last == 4);
        REQUIRE(rule.faults.synthetic);
        CHECK(rule.faults.synthetic->status == 503);
        CHECK(rule.faults.synthetic->code == "SlowDown");
        CHECK(rule.faults.synthetic->amz_retry_after == 1500);
        REQUIRE(rule.faults.delay);
        CHECK(rule.faults.delay->time == Milliseconds(2000));
        CHECK(rule.faults.delay->point.stage == Stage::before_answer);
    }

    TEST_CASE("quotes keep blanks, semicolons and colons in a value") {
        const Rule rule = one_rule("PutObject key=\"a b; c:\": 503 SlowDown message=\"say \\\"when\\\"\"");
        CHECK(rule.key == "a b; c:");
        CHECK(rule.faults.synthetic->message == "say \"when\"");
    }

    TEST_CASE("comments and empty lines are no rules") {
        const auto parsed = parse_script("# weather\n\n  \nPutObject: 503 # storm\r\n");
        CHECK(std::get<std::vector<Rule>>(parsed).size() == 1);
    }

    TEST_CASE("what is wrong is named with its place and the right words") {
        struct Row {
            std::string_view script;
            size_t line;
            size_t column;
            std::string_view says;
        };
        for (const Row row : {
                 Row{"PutObjct 1: 503", 1, 1, "did you mean `PutObject`"},
                 Row{"\nPutObject 1: rest", 2, 14, "did you mean `reset`"},
                 Row{"PutObject 1: reset befor-answer", 1, 20, "did you mean `before-answer`"},
                 Row{"PutObject 1: reset before-answer@3", 1, 20, "only mid-body, mid-head and mid-answer"},
                 Row{"PutObject 1", 1, 12, "expected `:` and an action"},
                 Row{"PutObject 1:", 1, 13, "expected an action"},
                 Row{"PutObject 0: 503", 1, 11, "counted from 1"},
                 Row{"PutObject 3-2: 503", 1, 11, "a range goes upwards"},
                 Row{"PutObject 101%: 503", 1, 11, "from 0 to 100"},
                 Row{"PutObject kye=a: 503", 1, 11, "did you mean `key=GLOB`"},
                 Row{"PutObject every 0: 503", 1, 17, "every 0th"},
                 Row{"PutObject 1: 503 SlowDown retry-aftr=5", 1, 27, "did you mean `retry-after=SECONDS`"},
                 Row{"PutObject 1: late", 1, 18, "a time like 500ms"},
                 Row{"PutObject 1: late 5 parsecs", 1, 21, "not a time"},
                 Row{"PutObject 1: cut ten", 1, 18, "not a number"},
                 Row{"PutObject 1: cut 10 20", 1, 21, "too much here"},
                 Row{"PutObject 1: drip 0/10ms", 1, 19, "would never end"},
                 Row{"PutObject 1: redirect 404 host", 1, 23, "301, 302, 307 or 308"},
                 Row{"PutObject 1-3: refuse", 1, 16, "a closed port sees no requests"},
                 Row{"Connection 1: 503", 1, 15, "a connection without a request"},
                 Row{"* from 9s to 3s: 503", 1, 18, "ends before it begins"},
                 Row{"PutObject key=\"a: 503", 1, 11, "a quote is not closed"},
             }) {
            CAPTURE(row.script);
            const auto parsed = parse_script(row.script);
            const auto* error = std::get_if<ScriptError>(&parsed);
            REQUIRE(error != nullptr);
            CAPTURE(error->text());
            CHECK(error->line == row.line);
            CHECK(error->column == row.column);
            CHECK(error->message.find(row.says) != std::string::npos);
        }
    }
}

TEST_SUITE("lab/forecast") {
    TEST_CASE("counts, every and percent fire as told, and a restart begins again") {
        Forecast forecast(7);
        forecast.replace(
            std::get<std::vector<Rule>>(parse_script("PutObject 2-3: 503\nGetObject every 3: 500\nHEAD 30%: 502")));
        const auto statuses = [&](const char* op, const char* method, int n) {
            std::string out;
            for (int i = 0; i < n; ++i) {
                Occasion occasion;
                occasion.op = op;
                occasion.method = method;
                out += forecast.next(occasion, Milliseconds(0)).synthetic ? 'x' : '.';
            }
            return out;
        };
        CHECK(statuses("PutObject", "PUT", 5) == ".xx..");
        CHECK(statuses("GetObject", "GET", 7) == "..x..x.");
        const std::string some = statuses("HeadObject", "HEAD", 1000);
        const auto fired = std::count(some.begin(), some.end(), 'x');
        CHECK(fired > 240);
        CHECK(fired < 360);
        forecast.restart(Milliseconds(0));
        CHECK(statuses("HeadObject", "HEAD", 1000) == some);
        CHECK(statuses("PutObject", "PUT", 5) == ".xx..");
    }

    TEST_CASE("a window counts from the restart, and its end is outside") {
        Forecast forecast(1);
        forecast.replace(std::get<std::vector<Rule>>(parse_script("* from 2s to 22s: refuse")));
        forecast.restart(Milliseconds(1000));
        CHECK_FALSE(forecast.refusing(Milliseconds(2999)));
        CHECK(forecast.refusing(Milliseconds(3000)));
        CHECK(forecast.refusing(Milliseconds(22'999)));
        CHECK_FALSE(forecast.refusing(Milliseconds(23'000)));
    }

    TEST_CASE("a rule that lasts for a time counts it from when it first fired") {
        Forecast forecast(1);
        forecast.replace(std::get<std::vector<Rule>>(parse_script("* 2- for 20s: 503")));
        Occasion put{};
        put.op = "PutObject";
        const auto fires = [&](int64_t at_ms) { return forecast.next(put, Milliseconds(at_ms)).synthetic.has_value(); };
        for (const int64_t restarted : {0, 100'000}) {
            forecast.restart(Milliseconds(restarted));
            CHECK_FALSE(fires(restarted + 4'000));
            CHECK(fires(restarted + 5'000));
            CHECK(fires(restarted + 24'999));
            CHECK_FALSE(fires(restarted + 25'000));
            CHECK_FALSE(fires(restarted + 26'000));
        }
    }

    TEST_CASE("several rules add up, and the first one wins where they say the same") {
        Forecast forecast(1);
        forecast.replace(std::get<std::vector<Rule>>(parse_script("*: skew 60\nPutObject 1: 503 SlowDown\n*: 500")));
        Occasion occasion;
        occasion.op = "PutObject";
        const Faults faults = forecast.next(occasion, Milliseconds(0));
        CHECK(faults.skew == 60);
        CHECK(faults.synthetic->code == "SlowDown");
        CHECK(forecast.next(occasion, Milliseconds(0)).synthetic->status == 500);
    }
}

}  // namespace s3tug::lab
