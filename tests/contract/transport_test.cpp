// The transport against a server: what goes out byte for byte, what comes back, and the facts of failures.
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "contract/raw_server.h"
#include "contract/transport_fixture.h"

namespace s3tug::contract {

namespace {

const std::string ok_answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

std::string hang_up_after(std::string text) { return std::move(text).append(RawServer::hang_up); }

wire::SignedRequest get(const RawServer& server, std::string_view path = "/b/k") {
    return request(wire::Method::get, server.endpoint(), path);
}

}  // namespace

TEST_SUITE("contract/transport requests") {
    TEST_CASE("what is sent is what was signed, and nothing that libcurl would add") {
        struct Row {
            wire::Method method;
            std::string path;
            std::optional<uint64_t> body;
            std::string head;
        };
        const std::vector<Row> rows = {
            {wire::Method::get, "/b/a/../b/.//c%20d/./%2e%2e/?x=1", std::nullopt,
             "GET /b/a/../b/.//c%20d/./%2e%2e/?x=1"},
            {wire::Method::head, "/b/k", std::nullopt, "HEAD /b/k"},
            {wire::Method::del, "/b/k?versionId=3%2B", std::nullopt, "DELETE /b/k?versionId=3%2B"},
            {wire::Method::put, "/b/k", 0, "PUT /b/k"},
            {wire::Method::put, "/b/k", 5, "PUT /b/k"},
            {wire::Method::put, "/b/k", 3'000'000, "PUT /b/k"},
            {wire::Method::put, "/b/k", std::nullopt, "PUT /b/k"},
            {wire::Method::post, "/b/k?uploads=", std::nullopt, "POST /b/k?uploads="},
            {wire::Method::post, "/b/k?uploadId=u", 7, "POST /b/k?uploadId=u"},
        };
        host::TransportConfig config;
        config.user_agent = "s3tug/1";
        RawServer server(std::vector<std::string>(rows.size(), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
        Line line(config);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            CAPTURE(rows[i].head);
            TextBody body(std::string(rows[i].body.value_or(0), 'u'));
            wire::SignedRequest what = request(rows[i].method, server.endpoint(), rows[i].path, rows[i].body);
            what.headers.add("x-amz-date", "20150830T123600Z");
            CHECK(status_of(line.send(std::move(what), body)) == 200);
            std::string expected = rows[i].head + " HTTP/1.1\r\nHost: " + server.authority() +
                                   "\r\nUser-Agent: s3tug/1\r\nx-amz-date: 20150830T123600Z\r\n";
            if (rows[i].method == wire::Method::put || rows[i].method == wire::Method::post) {
                expected += "Content-Length: " + std::to_string(rows[i].body.value_or(0)) + "\r\n";
            }
            expected += "\r\n" + std::string(rows[i].body.value_or(0), 'u');
            CHECK(server.requests()[i] == expected);
        }
        CHECK(server.connections() == 1);
    }

    TEST_CASE("header lines of ours win over libcurl's, empty values are sent, line breaks are refused unsent") {
        RawServer server({ok_answer, ok_answer});
        Line line;
        wire::SignedRequest what = get(server);
        for (const auto& [name, value] : {std::pair{"accept", "a/b"}, {"user-agent", "mine"}, {"x-empty", ""}}) {
            what.headers.add(name, value);
        }
        CHECK(status_of(line.send(what)) == 200);
        const std::string sent = server.requests()[0];
        CHECK(sent.find("accept: a/b\r\n") != std::string::npos);
        CHECK(sent.find("user-agent: mine\r\n") != std::string::npos);
        CHECK(sent.find("x-empty:\r\n") != std::string::npos);

        for (const char* bad : {"a\r\nx-amz-acl: public-read", "a\nb"}) {
            wire::SignedRequest evil = get(server);
            evil.headers.add("x-amz-meta-a", bad);
            const wire::Reply reply = line.send(std::move(evil));
            CHECK(code_of(reply) == CURLE_BAD_FUNCTION_ARGUMENT);
            CHECK(reply.facts.request_bytes == 0);
        }
        CHECK(server.requests().size() == 1);
    }

    TEST_CASE("a body waits for 100 Continue when that was asked for") {
        lab::Lab lab(open_lab());
        Line line;
        TextBody body(std::string(100'000, 'u'));
        wire::SignedRequest put = request(wire::Method::put, lab.endpoint(), "/b/k", 100'000);
        put.expect_continue = true;
        const wire::Reply stored = line.send(put, body);
        CHECK(status_of(stored) == 200);
        CHECK(stored.facts.continued);
        lab.set_faults("PutObject: 503 SlowDown");
        const wire::Reply refused = line.send(put, body);
        CHECK(status_of(refused) == 503);
        CHECK(refused.facts.body_bytes_sent == 0);
        CHECK_FALSE(refused.facts.continued);
        CHECK(refused.answer()->body.find("SlowDown") != std::string::npos);
    }

    TEST_CASE("a body that cannot be read ends the attempt as a read error, and is not sent as if it were whole") {
        lab::Lab lab(open_lab());
        Line line;
        for (const std::size_t announced : {10'000U, 3'000'000U}) {
            CAPTURE(announced);
            TextBody body(std::string(announced - 1, 'u'));
            const wire::Reply reply = line.send(request(wire::Method::put, lab.endpoint(), "/b/k", announced), body);
            CHECK(code_of(reply) == static_cast<int>(wire::TransportCode::read_error));
            CHECK(reply.failure()->detail ==
                  fmt::format("the source ended after {} of {} bytes", announced - 1, announced));
            CHECK(reply.facts.body_bytes_sent < announced);
        }
        REQUIRE(lab.wait_idle());
        CHECK(lab.object("b", "k") == nullptr);
    }

    TEST_CASE("a fresh connection is made when asked for") {
        lab::Lab lab(open_lab());
        Line line;
        const wire::SignedRequest head = request(wire::Method::head, lab.endpoint(), "/b");
        CHECK_FALSE(line.send(head).facts.reused_connection);
        CHECK(line.send(head).facts.reused_connection);
        port::Submission fresh{.id = 0, .request = head, .body = nullptr, .sink = nullptr, .fresh_connection = true};
        CHECK_FALSE(line.send(std::move(fresh)).facts.reused_connection);
        CHECK(lab.connections() == 2);
    }

    TEST_CASE("--resolve, IPv6 and the proxy setting decide where it goes") {
        lab::Lab lab(open_lab());
        host::TransportConfig named;
        named.resolve = {fmt::format("store.example:{}:127.0.0.1", lab.port())};
        Line by_name(named);
        const wire::Reply reply =
            by_name.send(request(wire::Method::head, fmt::format("http://store.example:{}", lab.port()), "/b"));
        CHECK(status_of(reply) == 200);
        CHECK(reply.facts.peer == fmt::format("127.0.0.1:{}", lab.port()));

        RawServer proxy({ok_answer});
        host::TransportConfig proxied;
        proxied.proxy = proxy.endpoint();
        Line through(proxied);
        CHECK(status_of(through.send(request(wire::Method::get, "http://store.invalid:9000", "/b/./k"))) == 200);
        CHECK(proxy.requests()[0].starts_with(
            "GET http://store.invalid:9000/b/./k HTTP/1.1\r\nHost: store.invalid:9000\r\n"));

        lab::LabConfig six = open_lab();
        six.ipv6 = true;
        lab::Lab lab6(six);
        Line any;
        CHECK(any.send(request(wire::Method::head, lab6.endpoint(), "/b")).facts.peer ==
              fmt::format("[::1]:{}", lab6.port()));
        host::TransportConfig only4;
        only4.ip_version = host::IpVersion::v4;
        Line four(only4);
        CHECK(code_of(four.send(request(wire::Method::head, fmt::format("http://localhost:{}", lab6.port()), "/b"))) ==
              CURLE_COULDNT_CONNECT);
    }
}

TEST_SUITE("contract/transport answers") {
    TEST_CASE("the head is collected, interim heads and trailers are not") {
        RawServer server(
            {"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nETag: \"e\"\r\nX-Twice: 1\r\n"
             "x-twice:  2 \r\nTransfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n2\r\nok\r\n0\r\nX-Late: 1\r\n\r\n"});
        Line line;
        const WallTime before = line.clock.wall();
        const wire::Reply reply = line.send(get(server));
        REQUIRE(reply.answer() != nullptr);
        CHECK(reply.answer()->status == 200);
        CHECK(reply.answer()->body == "ok");
        CHECK(reply.answer()->headers.find("etag") == "\"e\"");
        CHECK(reply.answer()->headers.size() == 5);
        CHECK_FALSE(reply.answer()->headers.find("link"));
        CHECK_FALSE(reply.answer()->headers.find("x-late"));
        CHECK(reply.received_at >= before);
        CHECK(reply.received_at <= line.clock.wall());
        CHECK(reply.facts.answer_begun);
        CHECK(reply.facts.body_bytes_received == 2);
        CHECK(reply.facts.elapsed > Duration::zero());
    }

    TEST_CASE("an accepted body goes to the sink, an error document stays in the reply") {
        lab::Lab lab(open_lab());
        lab.put("b", "k", std::string(1'000'000, 'x'));
        lab.put("b", "empty", "");
        Line line;
        TextSink sink;
        const wire::Reply whole = line.send(request(wire::Method::get, lab.endpoint(), "/b/k"), sink);
        CHECK(status_of(whole) == 200);
        CHECK(whole.answer()->body_to_sink);
        CHECK(whole.answer()->body.empty());
        CHECK(sink.text == std::string(1'000'000, 'x'));

        TextSink of_empty;
        CHECK(status_of(line.send(request(wire::Method::get, lab.endpoint(), "/b/empty"), of_empty)) == 200);
        CHECK(of_empty.begun == 1);
        CHECK(of_empty.text.empty());

        TextSink of_error;
        const wire::Reply absent = line.send(request(wire::Method::get, lab.endpoint(), "/b/none"), of_error);
        CHECK(status_of(absent) == 404);
        CHECK(of_error.begun == 1);
        CHECK(of_error.status == 404);
        CHECK_FALSE(absent.answer()->body_to_sink);
        CHECK(absent.answer()->body.find("<Code>NoSuchKey</Code>") != std::string::npos);
        CHECK(lab.connections() == 1);
    }

    TEST_CASE("a sink that refuses ends the attempt as a write error with its words") {
        lab::Lab lab(open_lab());
        lab.put("b", "k", std::string(1'000'000, 'x'));
        Line line;
        TextSink sink;
        sink.refuse_after = 300'000;
        const wire::Reply reply = line.send(request(wire::Method::get, lab.endpoint(), "/b/k"), sink);
        CHECK(code_of(reply) == static_cast<int>(wire::TransportCode::write_error));
        CHECK(reply.failure()->detail == "the disk is full");
        CHECK(reply.partial_answer.status == 200);
        CHECK(sink.text.size() <= 300'000);
    }

    TEST_CASE("of an endless error document the beginning is kept and the connection is given up") {
        const std::string endless =
            "HTTP/1.1 500 Oops\r\nContent-Length: 9000000000\r\n\r\n" + std::string(300'000, 'e');
        RawServer server({endless, ok_answer});
        Line line;
        const wire::Reply reply = line.send(get(server));
        REQUIRE(status_of(reply) == 500);
        CHECK(reply.answer()->body_truncated);
        CHECK(reply.answer()->body == std::string(limits::error_body_max_bytes, 'e'));
        CHECK_FALSE(line.send(get(server)).facts.reused_connection);
    }

    TEST_CASE("an answer with too many or too long header lines is not an answer") {
        std::string many = "HTTP/1.1 200 OK\r\n";
        for (std::size_t i = 0; i <= limits::header_count_max; ++i) many += fmt::format("X-{}: 1\r\n", i);
        std::string huge = "HTTP/1.1 200 OK\r\n";
        for (int i = 0; i < 3; ++i) huge += fmt::format("X-{}: {}\r\n", i, std::string(30'000, 'h'));
        const std::string endless_line = "HTTP/1.1 200 OK\r\nX: " + std::string(400'000, 'h') + "\r\n";
        const std::string rest = "Content-Length: 2\r\n\r\nok";
        RawServer server({many + rest, huge + rest, endless_line + rest, ok_answer});
        Line line;
        for (const int code : {100, 100, static_cast<int>(CURLE_WEIRD_SERVER_REPLY)}) {
            const wire::Reply reply = line.send(get(server));
            CHECK(code_of(reply) == code);
            CHECK(reply.facts.request_bytes > 0);
        }
        CHECK(status_of(line.send(get(server))) == 200);
    }

    TEST_CASE("a cut answer is a failure that keeps the head as a fact") {
        RawServer server({
            hang_up_after("HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 10\r\n\r\n12345"),
            hang_up_after("HTTP/1.1 200 OK\r\nETag: \"e\"\r\nConte"),
            hang_up_after("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123"),
            hang_up_after("\x15\x03\x01 this is not HTTP\r\n\r\n"),
            hang_up_after(""),
        });
        Line line;
        struct Row {
            int code;
            int status;
            bool begun;
        };
        for (const Row row :
             {Row{CURLE_PARTIAL_FILE, 200, true}, Row{CURLE_GOT_NOTHING, 200, true}, Row{CURLE_PARTIAL_FILE, 200, true},
              Row{CURLE_WEIRD_SERVER_REPLY, 0, false}, Row{CURLE_GOT_NOTHING, 0, false}}) {
            const wire::Reply reply = line.send(get(server));
            CHECK(code_of(reply) == row.code);
            CHECK(reply.partial_answer.status == row.status);
            CHECK(reply.facts.answer_begun == row.begun);
            CHECK_FALSE(reply.failure()->detail.empty());
        }
    }

    TEST_CASE("an early refusal of a large body is read, not lost") {
        lab::Lab lab(open_lab());
        lab.set_faults("PutObject: 503 SlowDown after-headers");
        TextBody body(std::string(20'000'000, 'u'));
        int answered = 0;
        for (int i = 0; i < 20; ++i) {
            Line line;
            const wire::Reply reply = line.send(request(wire::Method::put, lab.endpoint(), "/b/k", 20'000'000), body);
            if (status_of(reply) == 503) ++answered;
            CHECK(reply.facts.body_bytes_sent <= 20'000'000);
        }
        CHECK(answered == 20);
    }
}

}  // namespace s3tug::contract
