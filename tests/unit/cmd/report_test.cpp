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
    const std::atomic<int> stop = 0;
    Report report(settings, output, items.size() > 1, stop);
    Tally tally;
    for (std::size_t i = 0; i < items.size(); ++i) {
        tally.add(items[i], outcomes[i]);
        report.item_done(items[i], outcomes[i]);
    }
    report.all_done(tally, {.elapsed = milliseconds(1200), .requests = 4});
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
        CHECK(output.talk_lines[2] ==
              "s3tug: 2 of 3 items failed, 1 done, 0 B in 1.2s; the first: put s3://bucket/b: access denied (403 "
              "AccessDenied, "
              "request 4F2A)");
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
        CHECK(run({}, {put("a"), put("b")}, {skipped, skipped}).talk_lines.empty());  // the trace of -v has them
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
        CHECK(output.data_lines.size() == 3);
        CHECK(output.talk_lines.size() == 2);
    }

    TEST_CASE("with --json the sum comes last, but not after a single item") {
        CHECK(run({.json = true}, {put()}, {denied()}).data_lines.size() == 1);
        const CapturedOutput output = run({.json = true}, {put("a"), put("b")}, {{}, denied()});
        CHECK(
            output.data_lines.back() ==
            R"json({"summary":{"done":1,"failed":1,"skipped":0,"not_begun":0,"bytes":0,"requests":4,"retries":0,)json"
            R"json("elapsed_ms":1200,"exit_code":0,"first_error":{"item":"put s3://bucket/b","kind":"access_denied",)json"
            R"json("message":"access denied (403 AccessDenied, request 4F2A)"}}})json");
    }

    TEST_CASE("the one item of a command that may have several is told once") {
        for (const bool several_done : {false, true}) {
            CapturedOutput output;
            const std::atomic<int> stop = 0;
            const OutputSettings settings;
            Report report(settings, output, true, stop);
            Tally tally;
            tally.add(put(), denied());
            report.item_done(put(), denied());
            if (several_done) tally.done_besides(2);
            report.all_done(tally, {.elapsed = milliseconds(1200)});
            REQUIRE(output.talk_lines.size() == (several_done ? 2U : 1U));
            CHECK(output.talk_lines[0] == "s3tug: put s3://bucket/k: access denied (403 AccessDenied, request 4F2A)");
            if (several_done) CHECK(output.talk_lines[1].starts_with("s3tug: 1 of 3 items failed, 2 done"));
        }
    }

    TEST_CASE("a listing's sum in JSON is one of its lines by type, and has the summary of every command") {
        CapturedOutput output;
        const std::atomic<int> stop = 0;
        const OutputSettings settings{.json = true};
        Report report(settings, output, false, stop);
        Tally tally;
        tally.done_besides(1);
        report.all_done(tally, {.elapsed = milliseconds(1200), .requests = 2, .listed = Listed{3, 70}});
        REQUIRE(output.data_lines.size() == 1);
        const auto line = nlohmann::json::parse(output.data_lines[0]);
        CHECK(line["type"] == "sum");
        CHECK(line["objects"] == 3);
        CHECK(line["bytes"] == 70);
        CHECK(line["summary"]["done"] == 1);
        CHECK(line["summary"]["requests"] == 2);
    }

    TEST_CASE("a refused line of a run has its command for op, or null") {
        engine::Transfer line;
        line.group = 3;
        line.command = "cat";
        CHECK(nlohmann::json::parse(json_result(line, denied()))["op"] == "cat");
        line.command = "";
        CHECK(nlohmann::json::parse(json_result(line, denied()))["op"].is_null());
    }

    TEST_CASE("an interruption has the code of its signal in JSON") {
        engine::Outcome cut;
        cut.error = Error{ErrorKind::interrupted, "interrupted by a signal"};
        CHECK(nlohmann::json::parse(json_result(put(), cut, 15))["error"]["exit_code"] == 143);
        CHECK(nlohmann::json::parse(json_result(put(), cut, 2))["error"]["exit_code"] == 130);
    }

    TEST_CASE("several items that went well are summed up with -v only") {
        CHECK(run({.verbosity = 1}, {put()}, {{}}).talk_lines.empty());
        engine::Outcome sent;
        sent.size = 2048;
        engine::Outcome skipped;
        skipped.skipped = true;
        const CapturedOutput output = run({.verbosity = 1}, {put("a"), put("b")}, {sent, skipped});
        CHECK(output.talk_lines.back() == "s3tug: 2 items done (1 skipped), 2.0 KiB in 1.2s");
    }

    TEST_CASE("the sum says what was not begun, and why, also where nobody knows how much it was") {
        Tally known;
        known.add(put("a"), {});
        known.add(put("b"), denied());
        Tally unknown = known;
        known.not_begun(12);
        unknown.not_begun(std::nullopt);
        const RunEnd end{.elapsed = seconds(2), .retries = 1, .why_cut = "--fail-fast", .exit_code = 1};
        const std::string tail =
            ", 0 B in 2s, 1 retry; the first: put s3://bucket/b: access denied (403 AccessDenied, request 4F2A)";
        CHECK(summary_text(known, end) == "1 of 14 items failed, 1 done, 12 not begun (--fail-fast)" + tail);
        CHECK(summary_text(unknown, end) == "1 item failed, 1 done, the rest not begun (--fail-fast)" + tail);
        CHECK(nlohmann::json::parse(json_summary(known, end))["summary"]["not_begun"] == 12);
        CHECK(nlohmann::json::parse(json_summary(unknown, end))["summary"]["not_begun"].is_null());
        Tally nothing_failed;
        nothing_failed.add(put("a"), {});
        nothing_failed.not_begun(3, 124);
        CHECK(summary_text(nothing_failed, {.elapsed = seconds(2), .why_cut = "deadline reached"}) ==
              "1 item done, 3 not begun (deadline reached), 0 B in 2s");
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
