#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "cmd/trace_line.h"
#include "cmd/trace_printer.h"
#include "unit/cmd/captured_output.h"

namespace s3tug::cmd {

namespace {

using Lines = std::vector<std::string>;
using port::EventKind;
using port::TraceEvent;

TraceEvent throttled() {
    TraceEvent event;
    event.kind = EventKind::retry;
    event.wall = wall_from_unix_seconds(1'796'000'000) + milliseconds(123);
    event.since_start = milliseconds(15);
    event.item = "put s3://b/k";
    event.op = "PutObject";
    event.attempt = 2;
    event.attempts_max = 7;
    event.status = 503;
    event.code = "SlowDown";
    event.cls = "throttling";
    event.effect = "not_applied";
    event.request_id = "4F2A";
    event.peer = "127.0.0.1:9000";
    event.reused = true;
    event.elapsed = milliseconds(12);
    event.next = "retry";
    event.wait = milliseconds(1430);
    event.why = "500ms*2^1 + U(0,500ms)";
    event.budget = 91;
    event.breaker = "closed";
    return event;
}

TraceEvent of_kind(EventKind kind, std::string why = "why") {
    TraceEvent event;
    event.kind = kind;
    event.why = std::move(why);
    return event;
}

constexpr std::string_view canary = "CANARY7f3a";

TraceEvent with_secrets(bool request) {
    TraceEvent event;
    event.kind = EventKind::headers;
    event.item = "put s3://b/k";
    event.op = "PutObject";
    event.request_headers = request;
    const std::string secret(canary);
    event.headers.add("authorization", "AWS4-HMAC-SHA256 Credential=" + secret +
                                           "/20261129/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, "
                                           "Signature=" +
                                           secret);
    event.headers.add("authorization", "Bearer " + secret);
    event.headers.add("authorization", "AWS4-HMAC-SHA256 Credential=AKID/20261129 Signature=" + secret);
    event.headers.add("authorization",
                      "AWS4-HMAC-SHA256 Credential=AKID/20261129, SignedHeaders=host Signature=" + secret);
    event.headers.add("x-amz-security-token", secret);
    event.headers.add("x-amz-server-side-encryption-customer-key", secret);
    event.headers.add("set-cookie", secret);
    event.headers.add("content-length", "4096");
    return event;
}

}  // namespace

TEST_SUITE("cmd/trace") {
    TEST_CASE("a retry line says what happened, what is done next and why") {
        CHECK(trace_text(throttled()) ==
              Lines{"2026-11-30T00:53:20.123Z put s3://b/k PutObject try 2/7 503 SlowDown class=throttling "
                    "effect=not_applied request=4F2A peer=127.0.0.1:9000 conn=reused 12ms -> retry in 1.43s "
                    "(500ms*2^1 + U(0,500ms); budget 91; breaker closed)"});
    }

    TEST_CASE("what an event does not have is left out") {
        TraceEvent event = of_kind(EventKind::attempt, "");
        event.item = "get s3://b/k";
        event.op = "GetObject";
        event.status = 200;
        event.cls = "none";
        event.effect = "applied";
        event.bytes_received = 9;
        CHECK(trace_text(event) == Lines{"1970-01-01T00:00:00.000Z get s3://b/k GetObject 200 received=9"});
    }

    TEST_CASE("breaker, note and pace have lines of their own") {
        TraceEvent breaker = of_kind(EventKind::breaker, "5 failures in a row");
        breaker.item = "put s3://b/k";
        breaker.code = "http://127.0.0.1:9000";
        breaker.next = "closed -> open";
        CHECK(trace_text(breaker)[0].ends_with(
            " put s3://b/k breaker http://127.0.0.1:9000 closed -> open (5 failures in a row)"));
        CHECK(trace_text(of_kind(EventKind::note, "state file /s"))[0].ends_with("Z note: state file /s"));
        CHECK(trace_text(of_kind(EventKind::pace, "16 -> 8"))[0].ends_with("Z pace: 16 -> 8"));
    }

    TEST_CASE("the JSON line has the same facts by name") {
        CHECK(
            trace_json(throttled()) ==
            R"json({"time":"2026-11-30T00:53:20.123Z","since_ms":15,"kind":"retry","item":"put s3://b/k",)json"
            R"json("op":"PutObject","try":2,"tries":7,"status":503,"code":"SlowDown","class":"throttling",)json"
            R"json("effect":"not_applied","request_id":"4F2A","peer":"127.0.0.1:9000","reused":true,"elapsed_ms":12,)json"
            R"json("next":"retry","wait_ms":1430,"why":"500ms*2^1 + U(0,500ms)","budget":91,"breaker":"closed"})json");
    }

    TEST_CASE("each level of -v adds kinds, and warnings need none") {
        struct Row {
            unsigned verbosity;
            std::vector<EventKind> shown;
            std::vector<EventKind> hidden;
        };
        for (const Row& row :
             {Row{0, {EventKind::warning}, {EventKind::retry, EventKind::note, EventKind::attempt}},
              Row{1,
                  {EventKind::warning, EventKind::retry, EventKind::repair, EventKind::verify, EventKind::breaker,
                   EventKind::give_up, EventKind::note, EventKind::item_done},
                  {EventKind::attempt, EventKind::headers}},
              Row{2, {EventKind::attempt, EventKind::pace}, {EventKind::headers}}, Row{3, {EventKind::headers}, {}}}) {
            CapturedOutput output;
            const OutputSettings settings{.verbosity = row.verbosity};
            const TracePrinter printer(settings, output);
            for (const EventKind kind : row.shown) CHECK(printer.wants(kind));
            for (const EventKind kind : row.hidden) CHECK_FALSE(printer.wants(kind));
        }
    }

    TEST_CASE("a note about the whole run needs -vv, one about an item -v") {
        for (const unsigned verbosity : {1U, 2U}) {
            CapturedOutput output;
            const OutputSettings settings{.verbosity = verbosity};
            TracePrinter printer(settings, output);
            printer.on(of_kind(EventKind::note, "state file /s"));
            TraceEvent about_item = of_kind(EventKind::note, "resumed");
            about_item.item = "put s3://b/k";
            printer.on(about_item);
            CHECK(output.talk_lines.size() == verbosity);
            CHECK(output.talk_lines.back().ends_with("put s3://b/k note: resumed"));
        }
    }

    TEST_CASE("headers come after the first line of the request or answer") {
        TraceEvent event = with_secrets(true);
        event.first_line = "PUT /b/k?partNumber=3 HTTP/1.1";
        CHECK(trace_text(event).front().ends_with(" put s3://b/k PutObject > PUT /b/k?partNumber=3 HTTP/1.1"));
        CHECK(nlohmann::json::parse(trace_json(event))["line"] == "PUT /b/k?partNumber=3 HTTP/1.1");
        event.request_headers = false;
        event.first_line = "HTTP 200";
        CHECK(trace_text(event).front().ends_with(" put s3://b/k PutObject < HTTP 200"));
    }

    TEST_CASE("a warning is told once, and not at all with --quiet") {
        for (const bool quiet : {false, true}) {
            CapturedOutput output;
            const OutputSettings settings{.quiet = quiet};
            TracePrinter printer(settings, output);
            for (int i = 0; i < 3; ++i) printer.on(of_kind(EventKind::warning, "state file set aside"));
            CHECK(output.talk_lines == (quiet ? Lines{} : Lines{"s3tug: warning: state file set aside"}));
        }
    }

    TEST_CASE("the trace file hears everything, the terminal only what was asked for") {
        CapturedOutput output;
        std::vector<std::string> file;
        const OutputSettings settings;
        TracePrinter printer(settings, output);
        printer.write_to([&file](std::string_view line) {
            file.emplace_back(line);
            return Status();
        });
        CHECK(printer.wants(EventKind::headers));
        printer.on(throttled());
        CHECK(file.size() == 1);
        CHECK(output.talk_lines.empty());
    }

    TEST_CASE("the trace file ends at its bound with a line that says so") {
        constexpr uint64_t bytes_max = 16 << 10;
        CapturedOutput output;
        uint64_t bytes = 0;
        std::string last;
        const OutputSettings settings;
        TracePrinter printer(settings, output);
        printer.write_to(
            [&](std::string_view line) {
                bytes += line.size() + 1;
                last = line;
                return Status();
            },
            bytes_max);
        const TraceEvent event = of_kind(EventKind::note, std::string(limits::trace_text_max_bytes, 'x'));
        for (uint64_t i = 0; i < bytes_max / limits::trace_text_max_bytes; ++i) printer.on(event);
        CHECK(bytes <= bytes_max + 200);
        CHECK(last.find("the trace ends here: 16.0 KiB were written") != std::string::npos);
        CHECK_FALSE(printer.wants(EventKind::headers));
    }

    TEST_CASE("a trace file that cannot be written is given up with one warning") {
        CapturedOutput output;
        const OutputSettings settings;
        TracePrinter printer(settings, output);
        printer.write_to([](std::string_view) {
            return Status(Error{ErrorKind::cannot_write, "write t: no space left on device"});
        });
        printer.on(throttled());
        printer.on(throttled());
        CHECK(output.talk_lines == Lines{"s3tug: warning: no more trace: write t: no space left on device"});
    }

    TEST_CASE("no secret header reaches a trace, and a signature shows what explains it") {
        for (const bool request : {true, false}) {
            std::string all = trace_json(with_secrets(request));
            for (const std::string& line : trace_text(with_secrets(request))) all += line + "\n";
            CAPTURE(all);
            CHECK(all.find(canary) == std::string::npos);
            CHECK(all.find("content-length: 4096") != std::string::npos);
            CHECK(all.find("AWS4-HMAC-SHA256 Credential=[redacted]/20261129/us-east-1/s3/aws4_request, "
                           "SignedHeaders=host;x-amz-date, Signature=[redacted]") != std::string::npos);
        }
    }

    TEST_CASE("a field is bounded and cannot break the line") {
        TraceEvent event = throttled();
        event.code = std::string(10'000, 'c');
        event.why = "a\nb\x1b[2J";
        const std::string line = trace_text(event)[0];
        CHECK(line.size() < 3 * limits::trace_text_max_bytes);
        CHECK(line.find('\n') == std::string::npos);
        CHECK(line.find('\x1b') == std::string::npos);
        CHECK(trace_json(event).find('\n') == std::string::npos);
    }
}

}  // namespace s3tug::cmd
