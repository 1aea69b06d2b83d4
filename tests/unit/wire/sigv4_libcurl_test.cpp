// A second opinion: libcurl has a SigV4 signer of its own. It signs bare `?uploads`, unsorted queries and raw `(` in
// ways that real servers refuse, so it gets our canonical URL and must come to the same signature from there.
#include <curl/curl.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "base/text.h"
#include "wire/sigv4.h"

namespace s3tug::wire::sigv4 {

namespace {

constexpr int nobody = -1;

/// A loopback listener whose answer is there before the request is sent: libcurl calls `accept` once it is connected,
/// so that one thread plays both sides.
class Listener {
  public:
    Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        const timeval patience = {10, 0};
        REQUIRE(::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
        REQUIRE(::bind(socket_, reinterpret_cast<sockaddr*>(&address), length) == 0);
        REQUIRE(::listen(socket_, 1) == 0);
        REQUIRE(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) == 0);
        port_ = ntohs(address.sin_port);
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    ~Listener() {
        ::close(socket_);
        if (client_ != nobody) ::close(client_);
    }

    [[nodiscard]] uint16_t port() const { return port_; }

    /// CURLOPT_PREREQFUNCTION.
    static int accept(void* self, char*, char*, int, int) {
        auto* const listener = static_cast<Listener*>(self);
        listener->client_ = ::accept4(listener->socket_, nullptr, nullptr, SOCK_CLOEXEC);
        constexpr std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        const ssize_t n = ::send(listener->client_, answer.data(), answer.size(), MSG_NOSIGNAL);
        return n == static_cast<ssize_t>(answer.size()) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
    }

    /// All bytes up to the end of libcurl's connection.
    [[nodiscard]] std::string received() const {
        const timeval patience = {10, 0};
        REQUIRE(::setsockopt(client_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
        std::string text;
        std::array<char, 4096> buffer;
        constexpr std::size_t most = 1U << 20;
        for (ssize_t n = 1; n > 0 && text.size() < most;) {
            n = ::recv(client_, buffer.data(), buffer.size(), 0);
            if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
        }
        return text;
    }

  private:
    int socket_ = nobody, client_ = nobody;
    uint16_t port_ = 0;
};

struct Case {
    std::string_view what;
    Endpoint endpoint;
    Request request;
    std::string token;
    std::string_view body;
};

using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using Lines = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

void add_line(Lines& lines, const std::string& line) {
    curl_slist* const longer = curl_slist_append(lines.get(), line.c_str());
    REQUIRE(longer != nullptr);
    static_cast<void>(lines.release());
    lines.reset(longer);
}

void set_method(CURL* easy, const Case& c) {
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, std::string(to_string(c.request.method)).c_str());
    if (c.request.method == Method::head) curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    if (c.request.method == Method::post) {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(c.body.size()));
        curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, std::string(c.body).c_str());
    }
}

/// What libcurl sends when it signs the request that `ours` is. Date, payload word and token are given to it as
/// headers, which it takes as they are; host and authorization are its own.
std::string signed_by_libcurl(const Case& c, const SignedRequest& ours, const Credentials& credentials) {
    Listener listener;
    Easy easy(curl_easy_init(), curl_easy_cleanup);
    REQUIRE(easy != nullptr);
    Lines lines(nullptr, curl_slist_free_all);
    for (const Header& line : ours.headers) {
        if (line.name != "host" && line.name != "authorization") add_line(lines, line.name + ": " + line.value);
    }

    const std::string scheme = "aws:amz:" + c.endpoint.region + ":s3";
    const std::string keys = credentials.access_key_id + ":" + credentials.secret_access_key;
    Lines connect_to(nullptr, curl_slist_free_all);
    add_line(connect_to, "::127.0.0.1:" + std::to_string(listener.port()));

    curl_easy_setopt(easy.get(), CURLOPT_URL, ours.url.c_str());
    curl_easy_setopt(easy.get(), CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy.get(), CURLOPT_AWS_SIGV4, scheme.c_str());
    curl_easy_setopt(easy.get(), CURLOPT_USERPWD, keys.c_str());
    curl_easy_setopt(easy.get(), CURLOPT_HTTPHEADER, lines.get());
    curl_easy_setopt(easy.get(), CURLOPT_CONNECT_TO, connect_to.get());
    curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
    curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT_MS, 10'000L);
    curl_easy_setopt(easy.get(), CURLOPT_PREREQFUNCTION, Listener::accept);
    curl_easy_setopt(easy.get(), CURLOPT_PREREQDATA, &listener);
    set_method(easy.get(), c);
    const CURLcode code = curl_easy_perform(easy.get());
    const std::string meaning = curl_easy_strerror(code);
    CAPTURE(meaning);
    REQUIRE(code == CURLE_OK);
    easy.reset();  // ends the connection
    return listener.received();
}

Headers headers_of(std::string_view sent) {
    Headers headers;
    std::size_t begin = sent.find("\r\n") + 2;
    for (std::size_t end = sent.find("\r\n", begin); end > begin && end != std::string_view::npos;) {
        const std::string_view line = sent.substr(begin, end - begin);
        const std::size_t colon = line.find(':');
        REQUIRE(colon != std::string_view::npos);
        headers.add(line.substr(0, colon), trim(line.substr(colon + 1)));
        begin = end + 2;
        end = sent.find("\r\n", begin);
    }
    return headers;
}

Request request_for(Method method, std::string_view bucket, std::string_view key, std::vector<QueryParam> query = {},
                    const std::vector<Header>& headers = {}) {
    Request request;
    request.method = method;
    request.bucket = bucket;
    request.key = key;
    request.query = std::move(query);
    for (const Header& line : headers) request.headers.add(line.name, line.value);
    return request;
}

std::vector<Case> cases() {
    const Endpoint aws = parse_endpoint("http://s3.amazonaws.com", "us-east-1", Addressing::virtual_host).value();
    const Endpoint local = parse_endpoint("http://127.0.0.1:9000", "eu-west-3", Addressing::path).value();
    std::string every_byte;
    for (unsigned b = 1; b < 256; ++b) every_byte += static_cast<char>(b);
    return {
        {"a plain object", aws, request_for(Method::get, "examplebucket", "test.txt"), "", ""},
        {"the bucket itself", aws, request_for(Method::get, "examplebucket", ""), "", ""},
        {"a port in the host", local, request_for(Method::get, "b", "k"), "", ""},
        {"no body in the answer", local, request_for(Method::head, "b", "k"), "", ""},
        {"every byte in the key", local, request_for(Method::get, "b", every_byte), "", ""},
        {"dot segments and slashes in the key", local, request_for(Method::get, "b", "a//./../c/"), "", ""},
        {"a version", local, request_for(Method::del, "b", "k", {{"versionId", "3/L4kqtJl+cp=="}}), "", ""},
        {"a listing", local,
         request_for(Method::get, "b", "", {{"prefix", "a b/"}, {"list-type", "2"}, {"continuation-token", "1+/="}}),
         "", ""},
        {"a session token", local, request_for(Method::get, "b", "k"), "FwoGZXIvYXdzE/+abc==", ""},
        {"metadata and a condition", local,
         request_for(Method::get, "b", "k", {}, {{"x-amz-meta-note", "some text"}, {"if-match", "\"abc\""}}), "", ""},
        {"a body", local,
         request_for(Method::post, "b", "k", {{"uploadId", "a+b/c"}}, {{"content-type", "application/xml"}}), "",
         "<CompleteMultipartUpload/>"},
    };
}

}  // namespace

TEST_SUITE("wire/sigv4 libcurl") {
    TEST_CASE("libcurl's signer comes to the same authorization") {
        REQUIRE(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
        constexpr WallTime now = wall_from_unix_seconds(1795996799);
        for (const Case& c : cases()) {
            CAPTURE(c.what);
            Credentials credentials;
            credentials.access_key_id = "AKIAIOSFODNN7EXAMPLE";
            credentials.secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
            credentials.session_token = c.token;
            KeyCache cache;
            Request request = c.request;
            request.payload_word = to_hex(sha256(as_bytes(c.body)));
            request.has_body = !c.body.empty();
            const SignedRequest ours = sign(request, c.endpoint, &credentials, now, cache);

            const std::string sent = signed_by_libcurl(c, ours, credentials);
            CAPTURE(sent);
            const Headers theirs = headers_of(sent);
            CHECK(sent.find(" " + ours.url.substr(ours.url.find('/', 8)) + " HTTP/1.1\r\n") != std::string::npos);
            CHECK(theirs.find("host") == ours.headers.find("host"));
            CHECK(theirs.find("authorization") == ours.headers.find("authorization"));
        }
        curl_global_cleanup();
    }
}

}  // namespace s3tug::wire::sigv4
