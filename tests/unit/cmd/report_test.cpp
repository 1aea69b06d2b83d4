#include "cmd/report.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "unit/cmd/captured_output.h"

namespace s3tug::cmd {

namespace {

using Lines = std::vector<std::string>;
using engine::LocalEnd;
using engine::TransferKind;

engine::Transfer put(std::string key = "k") {
    engine::Transfer t;
    t.kind = TransferKind::put;
    t.local = {LocalEnd::Kind::path, "a.txt"};
    t.target = {"bucket", std::move(key)};
    return t;
}

engine::Transfer get_to_stdout() {
    engine::Transfer t;
    t.kind = TransferKind::get;
    t.local = {LocalEnd::Kind::stdio, ""};
    t.source = {"bucket", "k"};
    return t;
}

engine::Outcome denied() {
    engine::Outcome outcome;
    outcome.error = Error{ErrorKind::access_denied, "access denied (403 AccessDenied, request 4F2A)"};
    outcome.attempts = 1;
    outcome.elapsed = milliseconds(12);
    outcome.status = 403;
    outcome.code = "AccessDenied";
    outcome.request_id = "4F2A";
    return outcome;
}

/// What one run prints.
CapturedOutput run(const OutputSettings& settings, const std::vector<engine::Transfer>& items,
                   const std::vector<engine::Outcome>& outcomes) {
    CapturedOutput output;
    Report report(settings, output, items.size() > 1);
    Tally tally;
    for (std::size_t i = 0; i < items.size(); ++i) {
        tally.add(items[i], outcomes[i]);
        report.item_done(items[i], outcomes[i]);
    }
    report.all_done(tally);
    return output;
}

}  // namespace

TEST_SUITE("cmd/report") {
    TEST_CASE("success is silent") {
        const CapturedOutput output = run({}, {put(), put("l")}, {{}, {}});
        CHECK(output.data_lines.empty());
        CHECK(output.talk_lines.empty());
    }

    TEST_CASE("one failure is told once, as the last line, quiet or not") {
        for (const bool quiet : {false, true}) {
            const CapturedOutput output = run({.quiet = quiet}, {put()}, {denied()});
            CHECK(output.data_lines.empty());
            CHECK(output.talk_lines ==
                  Lines{"s3tug: put s3://bucket/k: access denied (403 AccessDenied, request 4F2A)"});
        }
    }

    TEST_CASE("of several items each failure has a line, and the last line sums up and repeats the first") {
        const CapturedOutput output = run({}, {put("a"), put("b"), put("c")}, {{}, denied(), denied()});
        REQUIRE(output.talk_lines.size() == 3);
        CHECK(output.talk_lines[0] == "s3tug: put s3://bucket/b: access denied (403 AccessDenied, request 4F2A)");
        CHECK(
            output.talk_lines[2] ==
            "s3tug: 2 of 3 items failed; the first: put s3://bucket/b: access denied (403 AccessDenied, request 4F2A)");
    }

    TEST_CASE("a dry run is data, except where standard output belongs to an object") {
        engine::Outcome outcome;
        outcome.dry_run = true;
        CHECK(run({}, {put()}, {outcome}).data_lines == Lines{"(dryrun) put: a.txt to s3://bucket/k"});
        const CapturedOutput to_stdout = run({}, {get_to_stdout()}, {outcome});
        CHECK(to_stdout.data_lines.empty());
        CHECK(to_stdout.talk_lines == Lines{"(dryrun) get: s3://bucket/k to -"});
    }

    TEST_CASE("a kept result is told, and so is what was skipped, unless quiet") {
        engine::Outcome kept;
        kept.cached = true;
        kept.size = 5;
        kept.etag = "abc";
        engine::Outcome skipped;
        skipped.skipped = true;
        CHECK(run({}, {put()}, {kept}).talk_lines == Lines{"s3tug: put s3://bucket/k: done before under this "
                                                           "idempotency key, nothing was sent (size 5, ETag abc)"});
        CHECK(run({}, {put()}, {skipped}).talk_lines ==
              Lines{"s3tug: put s3://bucket/k: skipped, something stands there already (--no-clobber)"});
        CHECK(run({.quiet = true}, {put()}, {kept}).talk_lines.empty());
        CHECK(run({.quiet = true}, {put()}, {skipped}).talk_lines.empty());
    }

    TEST_CASE("a JSON line has every field in order, on success and on failure") {
        engine::Outcome outcome;
        outcome.size = 7;
        outcome.etag = "e1";
        outcome.checksum = "crc64nvme:AAAAAAAAAAA=";
        outcome.attempts = 3;
        outcome.elapsed = milliseconds(2410);
        CHECK(
            json_result(put(), outcome) ==
            R"json({"op":"put","source":"a.txt","target":"s3://bucket/k","size":7,"etag":"e1","version_id":null,)json"
            R"json("checksum":"crc64nvme:AAAAAAAAAAA=","attempts":3,"elapsed_ms":2410,"cached":false,"error":null})json");
        CHECK(json_result(get_to_stdout(), denied()) ==
              R"json({"op":"get","source":"s3://bucket/k","target":"-","size":0,"etag":null,"version_id":null,)json"
              R"json("checksum":null,"attempts":1,"elapsed_ms":12,"cached":false,"error":{"kind":"access_denied",)json"
              R"json("message":"access denied (403 AccessDenied, request 4F2A)","exit_code":77,"status":403,)json"
              R"json("code":"AccessDenied","request_id":"4F2A"}})json");
        engine::Transfer gone;
        gone.kind = TransferKind::remove;
        gone.target = {"bucket", "k"};
        const auto line = nlohmann::json::parse(json_result(gone, {}));
        CHECK(line["op"] == "delete");
        CHECK(line["source"].is_null());
        CHECK(line["target"] == "s3://bucket/k");
    }

    TEST_CASE("with --json each item is one line of data, and failures are still told") {
        const CapturedOutput output = run({.json = true}, {put("a"), put("b")}, {{}, denied()});
        CHECK(output.data_lines.size() == 2);
        CHECK(output.talk_lines.size() == 2);
    }

    TEST_CASE("keys with line breaks, escapes and bytes that are not UTF-8 stay on their line") {
        const engine::Transfer item = put("a\n\x1b[2J\xff\"");
        const std::string line = json_result(item, denied());
        CHECK(line.find('\n') == std::string::npos);
        CHECK(line.find('\x1b') == std::string::npos);
        CHECK(nlohmann::json::parse(line)["target"] == "s3://bucket/a\n\x1b[2J\xef\xbf\xbd\"");
        for (const std::string& told : run({}, {item}, {denied()}).talk_lines) {
            CHECK(told.find('\n') == std::string::npos);
            CHECK(told.find('\x1b') == std::string::npos);
        }
        CHECK(both_ends(item).find('\x1b') == std::string::npos);
    }
}

}  // namespace s3tug::cmd
