// One submission is one send, wherever the connection ends (facts/idempotency.md fact 5). Counted at the server.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "contract/transport_fixture.h"
#include "lab/lab.h"

namespace s3tug::contract {

namespace {

struct Kind {
    wire::Method method;
    std::size_t body_bytes;
    const char* name;
};

constexpr std::array kinds = {
    Kind{wire::Method::put, 0, "PUT of nothing"},
    Kind{wire::Method::put, 1000, "PUT in one write"},
    Kind{wire::Method::put, 1 << 20, "PUT of 1 MiB"},
    Kind{wire::Method::get, 0, "GET"},
    Kind{wire::Method::head, 0, "HEAD"},
    Kind{wire::Method::del, 0, "DELETE"},
};

/// Where the lab ends the connection, in order of time. In the first six libcurl has seen no answer byte, so that it
/// would send again on a kept connection.
constexpr std::array stages = {"before-read",  "after-headers", "mid-body",    "mid-body@1",
                               "after-body",   "before-answer", "mid-head@5",  "mid-head",
                               "mid-answer@0", "mid-answer",    "after-answer"};
constexpr std::size_t silent_stages = 6;

struct Case {
    Kind kind;
    const char* action;
    std::size_t stage;
    bool reused;
};

wire::Reply send_one(lab::Lab& lab, Line& line, const Kind& kind) {
    TextBody body(std::string(kind.body_bytes, 'u'));
    TextSink sink;
    const bool put = kind.method == wire::Method::put;
    return line.send(port::Submission{
        .id = 0,
        .request =
            request(kind.method, lab.endpoint(), "/b/k", put ? std::optional<uint64_t>(kind.body_bytes) : std::nullopt),
        .body = put ? &body : nullptr,
        .sink = kind.method == wire::Method::get ? &sink : nullptr,
    });
}

void check(lab::Lab& lab, const Case& at) {
    lab.put("b", "k", std::string(100'000, 'x'));
    lab.clear_faults();
    wire::Reply reply;
    {
        Line line;
        if (at.reused) REQUIRE(status_of(line.send(request(wire::Method::head, lab.endpoint(), "/b"))) == 200);
        lab.reset();
        lab.set_faults(fmt::format("* 1: {} {}", at.action, stages[at.stage]));
        reply = send_one(lab, line, at.kind);
    }
    REQUIRE(lab.wait_idle());
    CHECK(lab.log().size() == 1);
    CHECK(reply.facts.reused_connection == at.reused);
    CHECK(reply.facts.request_bytes > 0);
    if (at.stage >= silent_stages) return;
    CHECK_FALSE(reply.facts.answer_begun);
    // A reset in the middle of a body may also show as a plain send error; then libcurl did not try again.
    const bool stopped = code_of(reply) == static_cast<int>(wire::TransportCode::second_send_stopped);
    CHECK((stopped == at.reused || at.kind.body_bytes > limits::inline_body_bytes));
    // "The body was incomplete" would be a proof that nothing was stored, so it must not be claimed of a body that the
    // server has in full.
    if (at.stage >= 4) CHECK(reply.facts.body_bytes_sent == at.kind.body_bytes);
}

}  // namespace

TEST_SUITE("contract/one_send") {
    TEST_CASE("exactly one request reaches the server wherever it ends the connection, fresh or reused") {
        lab::Lab lab(open_lab());
        for (const Kind& kind : kinds) {
            for (const char* action : {"reset", "close"}) {
                for (std::size_t stage = 0; stage < stages.size(); ++stage) {
                    for (const bool reused : {false, true}) {
                        CAPTURE(std::string(kind.name));
                        CAPTURE(std::string(action));
                        CAPTURE(std::string(stages[stage]));
                        CAPTURE(reused);
                        check(lab, {kind, action, stage, reused});
                    }
                }
            }
        }
    }

    TEST_CASE("healthy connections are used again, for all methods") {
        lab::Lab lab(open_lab());
        lab.put("b", "k", "x");
        Line line;
        for (int round = 0; round < 10; ++round) {
            for (const Kind& kind : kinds) {
                const wire::Reply reply = send_one(lab, line, kind);
                CHECK(status_of(reply) != 0);
                CHECK(reply.facts.reused_connection == (lab.log().size() > 1));
            }
        }
        CHECK(lab.connections() == 1);
    }

    TEST_CASE("a kept connection that died is noticed before it is used, or the request is not repeated") {
        lab::Lab lab(open_lab());
        lab.put("b", "k", "x");
        for (const Kind& kind : kinds) {
            CAPTURE(std::string(kind.name));
            Line line;
            REQUIRE(status_of(line.send(request(wire::Method::head, lab.endpoint(), "/b"))) == 200);
            lab.drop_connections();
            REQUIRE(lab.wait_idle());
            lab.reset();
            // Time for the reset to arrive. When the machine is too busy for that, the request runs into it.
            CHECK(line.transport->poll(line.clock.now() + milliseconds(20)).empty());
            const wire::Reply reply = send_one(lab, line, kind);
            const bool answered = status_of(reply) != 0;
            CHECK(reply.facts.reused_connection != answered);
            CHECK(lab.log().size() == (answered ? 1 : 0));
            if (!answered) CHECK_FALSE(reply.facts.answer_begun);
            CHECK(status_of(line.send(request(wire::Method::head, lab.endpoint(), "/b"))) == 200);
        }
    }

    TEST_CASE("after 417 libcurl's own repeat is stopped, and the 417 is the answer") {
        lab::Lab lab(open_lab());
        lab.set_faults("PutObject: 417 after-headers");
        Line line;
        TextBody body(std::string(1 << 20, 'u'));
        wire::SignedRequest put = request(wire::Method::put, lab.endpoint(), "/b/k", 1 << 20);
        put.expect_continue = true;
        const wire::Reply reply = line.send(std::move(put), body);
        REQUIRE(lab.wait_idle());
        CHECK(status_of(reply) == 417);
        CHECK(reply.facts.body_bytes_sent == 0);
        CHECK(lab.count("PutObject") == 1);
    }
}

}  // namespace s3tug::contract
