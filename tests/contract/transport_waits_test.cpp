// The transport and time: connecting, progress, cancelling, waking, rates; and TLS, whose failures come at that stage.
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "contract/transport_fixture.h"
#include "lab/self_signed.h"

namespace s3tug::contract {

namespace {

using port::Phase;
using wire::TransportCode;

/// Polls until the attempt is in that phase; the bound is for a test that fails.
bool reaches(Line& line, port::AttemptId id, Phase phase) {
    const Instant until = line.clock.now() + seconds(10);
    while (line.clock.now() < until) {
        if (line.transport->progress(id).phase == phase) return true;
        if (!line.transport->poll(line.clock.now() + milliseconds(5)).empty()) return false;
    }
    return false;
}

/// A port whose queue of connections is full, so that a further one gets no answer.
class FullPort {
  public:
    FullPort() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        fds_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        REQUIRE(bind(fds_[0], generic, size) == 0);
        REQUIRE(listen(fds_[0], 0) == 0);
        REQUIRE(getsockname(fds_[0], generic, &size) == 0);
        port_ = ntohs(address.sin_port);
        for (int i = 0; i < 4; ++i) {
            fds_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
            static_cast<void>(connect(fds_.back(), generic, size));
        }
    }
    ~FullPort() {
        for (const int fd : fds_) close(fd);
    }
    FullPort(const FullPort&) = delete;
    FullPort& operator=(const FullPort&) = delete;
    [[nodiscard]] std::string endpoint() const { return fmt::format("http://127.0.0.1:{}", port_); }

  private:
    std::vector<int> fds_;
    uint16_t port_ = 0;
};

struct TlsLab {
    std::filesystem::path folder = std::filesystem::temp_directory_path() / fmt::format("s3tug-tls-{}", getpid());
    std::string certificate = (folder / "cert.pem").string();
    std::unique_ptr<lab::Lab> lab;

    TlsLab() {
        std::filesystem::create_directories(folder);
        lab::LabConfig config = open_lab();
        config.tls_certificate = certificate;
        config.tls_key = (folder / "key.pem").string();
        lab::write_self_signed(config.tls_certificate, config.tls_key);
        lab = std::make_unique<lab::Lab>(config);
    }
    ~TlsLab() { std::filesystem::remove_all(folder); }
    TlsLab(const TlsLab&) = delete;
    TlsLab& operator=(const TlsLab&) = delete;
};

}  // namespace

TEST_SUITE("contract/transport connecting") {
    TEST_CASE("a refused connection sent nothing, and says where and why") {
        std::string endpoint;
        {
            lab::Lab gone(open_lab());
            endpoint = gone.endpoint();
        }
        Line line;
        const wire::Reply reply = line.send(request(wire::Method::get, endpoint, "/b/k"));
        CHECK(code_of(reply) == static_cast<int>(TransportCode::could_not_connect));
        CHECK(reply.facts.request_bytes == 0);
        CHECK(reply.facts.peer.empty());
        const std::string& detail = reply.failure()->detail;
        CHECK(detail.find(endpoint.substr(endpoint.rfind(':') + 1)) != std::string::npos);
        CHECK(detail.find("Connection refused") != std::string::npos);
    }

    TEST_CASE("connecting ends at its bound, told apart from other timeouts") {
        const FullPort full;
        host::TransportConfig config;
        config.connect_timeout = milliseconds(150);
        Line line(config);
        const port::AttemptId id = line.submit({.id = 0,
                                                .request = request(wire::Method::get, full.endpoint(), "/b/k"),
                                                .body = nullptr,
                                                .sink = nullptr});
        CHECK(reaches(line, id, Phase::connecting));
        const wire::Reply reply = line.finish(id);
        CHECK(code_of(reply) == static_cast<int>(TransportCode::connect_timeout));
        CHECK(reply.facts.request_bytes == 0);
        CHECK(reply.facts.elapsed >= milliseconds(150));
        CHECK(reply.facts.elapsed < seconds(5));
    }

    TEST_CASE("certificates are verified: unknown issuer and wrong name end before the request") {
        const TlsLab tls;
        Line stranger;
        const wire::Reply untrusted = stranger.send(request(wire::Method::head, tls.lab->endpoint(), "/b"));
        CHECK(code_of(untrusted) == CURLE_PEER_FAILED_VERIFICATION);
        CHECK(untrusted.facts.request_bytes == 0);
        CHECK(untrusted.facts.peer == fmt::format("127.0.0.1:{}", tls.lab->port()));

        host::TransportConfig config;
        config.ca_file = tls.certificate;
        config.resolve = {fmt::format("other.example:{}:127.0.0.1", tls.lab->port())};
        Line line(config);
        const wire::Reply trusted = line.send(request(wire::Method::head, tls.lab->endpoint(), "/b"));
        CHECK(status_of(trusted) == 200);
        CHECK(trusted.facts.tls == "TLSv1.3");
        const wire::Reply misnamed =
            line.send(request(wire::Method::head, fmt::format("https://other.example:{}", tls.lab->port()), "/b"));
        CHECK(code_of(misnamed) == CURLE_PEER_FAILED_VERIFICATION);
        CHECK(tls.lab->log().size() == 1);
    }

    TEST_CASE("a missing CA file and TLS to a plain port have their own codes") {
        lab::Lab lab(open_lab());
        lab.set_faults("Connection: garbage");
        Line line;
        const std::string as_tls = fmt::format("https://127.0.0.1:{}", lab.port());
        const wire::Reply plain = line.send(request(wire::Method::head, as_tls, "/b"));
        CHECK(code_of(plain) == static_cast<int>(TransportCode::ssl_connect_error));
        CHECK(plain.facts.request_bytes == 0);
        host::TransportConfig config;
        config.ca_file = "/nonexistent/ca.pem";
        Line lost(config);
        CHECK(code_of(lost.send(request(wire::Method::head, as_tls, "/b"))) == CURLE_SSL_CACERT_BADFILE);
    }

    TEST_CASE("bodies arrive whole over TLS both ways") {
        const TlsLab tls;
        host::TransportConfig config;
        config.ca_file = tls.certificate;
        Line line(config);
        std::string bytes(5'000'000, '\0');
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
        TextBody body(bytes);
        CHECK(status_of(line.send(request(wire::Method::put, tls.lab->endpoint(), "/b/k", bytes.size()), body)) == 200);
        TextSink sink;
        CHECK(status_of(line.send(request(wire::Method::get, tls.lab->endpoint(), "/b/k"), sink)) == 200);
        CHECK(sink.text == bytes);
    }
}

TEST_SUITE("contract/transport waiting") {
    TEST_CASE("an attempt can be stopped in every phase and tells how far it was") {
        lab::Lab lab(open_lab());
        lab.put("b", "k", std::string(1'000'000, 'x'));
        struct Row {
            const char* fault;
            wire::Method method;
            Phase phase;
        };
        for (const Row row : {Row{"* : hang before-answer", wire::Method::get, Phase::waiting},
                              Row{"* : hang mid-answer", wire::Method::get, Phase::receiving},
                              Row{"* : hang mid-body", wire::Method::put, Phase::sending}}) {
            CAPTURE(std::string(row.fault));
            lab.reset();
            lab.set_faults(row.fault);
            TextSink sink;
            const std::size_t size = 40'000'000;
            TextBody body(std::string(size, 'u'));
            const bool put = row.method == wire::Method::put;
            Line line;
            const port::AttemptId id =
                line.submit({.id = 0,
                             .request = request(row.method, lab.endpoint(), "/b/k",
                                                put ? std::optional<uint64_t>(size) : std::nullopt),
                             .body = put ? &body : nullptr,
                             .sink = &sink});
            REQUIRE(reaches(line, id, row.phase));
            line.transport->cancel(id, TransportCode::stalled);
            line.transport->cancel(id, TransportCode::deadline);
            const wire::Reply reply = line.finish(id);
            CHECK(code_of(reply) == static_cast<int>(TransportCode::stalled));
            CHECK(reply.facts.request_bytes > 0);
            CHECK(reply.facts.answer_begun == (row.phase == Phase::receiving));
            if (put) {
                CHECK(reply.facts.body_bytes_sent > 0);
                CHECK(reply.facts.body_bytes_sent < size);
            }
            CHECK(line.transport->progress(id).phase == Phase::queued);
            lab.clear_faults();
            CHECK(status_of(line.send(request(wire::Method::head, lab.endpoint(), "/b"))) == 200);
        }
    }

    TEST_CASE("attempts beyond the bound wait their turn and can be stopped while they wait") {
        lab::Lab lab(open_lab());
        host::TransportConfig config;
        config.max_connections = 2;
        Line line(config);
        std::vector<port::AttemptId> ids;
        for (int i = 0; i < 6; ++i) {
            ids.push_back(line.submit({.id = 0,
                                       .request = request(wire::Method::head, lab.endpoint(), "/b"),
                                       .body = nullptr,
                                       .sink = nullptr}));
        }
        CHECK(line.transport->progress(ids[5]).phase == Phase::queued);
        line.transport->cancel(ids[5], TransportCode::cancelled);
        std::map<port::AttemptId, wire::Reply> replies;
        const Instant until = line.clock.now() + seconds(10);
        while (replies.size() < ids.size() && line.clock.now() < until) {
            for (auto& completion : line.transport->poll(until))
                replies.emplace(completion.id, std::move(completion.reply));
        }
        REQUIRE(replies.size() == ids.size());
        for (int i = 0; i < 5; ++i) CHECK(status_of(replies[ids[static_cast<std::size_t>(i)]]) == 200);
        CHECK(code_of(replies[ids[5]]) == static_cast<int>(TransportCode::cancelled));
        CHECK(replies[ids[5]].facts.request_bytes == 0);
        CHECK(lab.log().size() == 5);
        CHECK(lab.connections() == 2);
    }

    TEST_CASE("many attempts at once all end, each with its own answer") {
        lab::Lab lab(open_lab());
        host::TransportConfig config;
        config.max_connections = 32;
        Line line(config);
        constexpr std::size_t count = 300;
        std::vector<TextSink> sinks(count);
        for (std::size_t i = 0; i < count; ++i) {
            lab.put("b", std::to_string(i), std::string(i * 97, 'x') + std::to_string(i));
            line.submit({.id = 0,
                         .request = request(wire::Method::get, lab.endpoint(), fmt::format("/b/{}", i)),
                         .body = nullptr,
                         .sink = &sinks[i]});
        }
        std::size_t done = 0;
        const Instant until = line.clock.now() + seconds(30);
        while (done < count && line.clock.now() < until) done += line.transport->poll(until).size();
        CHECK(done == count);
        for (std::size_t i = 0; i < count; ++i) CHECK(sinks[i].text == std::string(i * 97, 'x') + std::to_string(i));
        CHECK(lab.connections() <= 32);
    }

    TEST_CASE("poll returns at its time, and once when it is woken") {
        const int wake = eventfd(0, EFD_CLOEXEC);
        host::TransportConfig config;
        config.wake_fd = wake;
        Line line(config);
        const Instant begun = line.clock.now();
        CHECK(line.transport->poll(begun + milliseconds(30)).empty());
        CHECK(line.clock.now() >= begun + milliseconds(30));
        CHECK(line.transport->poll(begun).empty());

        REQUIRE(eventfd_write(wake, 1) == 0);
        const Instant woken = line.clock.now();
        CHECK(line.transport->poll(woken + seconds(10)).empty());
        CHECK(line.clock.now() < woken + seconds(5));
        const Instant again = line.clock.now();
        CHECK(line.transport->poll(again + milliseconds(30)).empty());
        CHECK(line.clock.now() >= again + milliseconds(30));
        close(wake);
    }

    TEST_CASE("poll returns when a sink has taken the head of an answer, long before its body ends") {
        lab::Lab lab(open_lab());
        lab.put("b", "k", std::string(1000, 'x'));
        lab.set_faults("GetObject: hang mid-answer");
        Line line;
        TextSink sink;
        line.submit(
            {.id = 0, .request = request(wire::Method::get, lab.endpoint(), "/b/k"), .body = nullptr, .sink = &sink});
        const Instant begun = line.clock.now();
        CHECK(line.transport->poll(begun + seconds(10)).empty());
        CHECK(line.clock.now() < begun + seconds(5));
        CHECK(sink.begun == 1);
        const Instant again = line.clock.now();
        CHECK(line.transport->poll(again + milliseconds(30)).empty());
        CHECK(line.clock.now() >= again + milliseconds(30));
    }

    TEST_CASE("the rate limit holds over all attempts together, large and small, both ways") {
        lab::Lab lab(open_lab());
        host::TransportConfig config;
        config.limit_rate = 200'000;
        struct Row {
            wire::Method method;
            unsigned count;
            std::size_t size;
        };
        for (const Row row : {Row{wire::Method::get, 2, 80'000}, Row{wire::Method::get, 40, 4'000},
                              Row{wire::Method::put, 2, 80'000}, Row{wire::Method::put, 40, 4'000}}) {
            lab.put("b", "k", std::string(row.size, 'x'));
            CAPTURE(row.size);
            Line line(config);
            const bool put = row.method == wire::Method::put;
            TextBody body(std::string(row.size, 'u'));
            std::vector<TextSink> sinks(row.count);
            const Instant begun = line.clock.now();
            for (TextSink& sink : sinks) {
                line.submit({.id = 0,
                             .request = request(row.method, lab.endpoint(), "/b/k",
                                                put ? std::optional<uint64_t>(row.size) : std::nullopt),
                             .body = put ? &body : nullptr,
                             .sink = &sink});
            }
            std::size_t done = 0;
            while (done < row.count && line.clock.now() < begun + seconds(10)) {
                for (const auto& completion : line.transport->poll(begun + seconds(10))) {
                    CHECK(status_of(completion.reply) == 200);
                    ++done;
                }
            }
            // 160 kB at 200 kB/s, less the eighth of a second that may come at once and the last piece, which is a
            // debt.
            CHECK(line.clock.now() - begun >= milliseconds(500));
            CHECK(line.clock.now() - begun < seconds(3));
        }
    }
}

}  // namespace s3tug::contract
