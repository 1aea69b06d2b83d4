#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/bytes.h"

namespace s3tug::lab::test {

/// A client for tests of the lab: raw bytes over one connection, and a signer written here with OpenSSL alone, so that
/// neither the lab's code nor the tool's decides what is right.
class RawClient {
  public:
    explicit RawClient(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), port_(port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const timeval limit{20, 0};
        setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    ~RawClient() { close(fd_); }
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    [[nodiscard]] bool connected() const { return connected_; }
    [[nodiscard]] uint16_t port() const { return port_; }

    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) reset_ = true;  // a later read would only say that there is nothing
            if (n <= 0) return;
            bytes.remove_prefix(static_cast<size_t>(n));
        }
    }

    /// How the last read ended: "" (bytes came), "fin", "reset", "nothing" (time is up).
    [[nodiscard]] const std::string& ending() const { return ending_; }

    /// Everything up to the end of the connection.
    std::string read_all() {
        while (fill()) continue;
        return std::exchange(buffer_, {});
    }

    /// The next `count` bytes; fewer when the connection ends before.
    std::string read_exactly(size_t count) {
        while (buffer_.size() < count && fill()) continue;
        std::string bytes = buffer_.substr(0, count);
        buffer_.erase(0, bytes.size());
        return bytes;
    }

    struct Reply {
        int status = 0;  ///< 0: no answer
        Fields headers;
        std::string body;
        std::string ending;  ///< why the body is shorter than announced; "" when it is whole

        [[nodiscard]] std::string header(std::string_view name) const {
            const std::string* found = find_field(headers, name);
            return found != nullptr ? *found : "";
        }
        [[nodiscard]] std::string code() const {
            const size_t at = body.find("<Code>");
            return at == std::string::npos ? "" : body.substr(at + 6, body.find("</Code>") - at - 6);
        }
    };

    /// One answer; interim ones are dropped and counted.
    Reply read_reply(bool head_only = false) {
        Reply reply;
        do {
            while (buffer_.find("\r\n\r\n") == std::string::npos)
                if (!fill()) return {0, {}, std::exchange(buffer_, {}), ending_};
            reply = parse_head();
            if (reply.status == 100) ++continues;
        } while (reply.status == 100);
        const bool bodiless = head_only || reply.status == 204 || reply.status == 304;
        if (!bodiless) read_body(reply);
        return reply;
    }

    int continues = 0;

  private:
    bool fill() {
        std::string chunk(1U << 16U, '\0');
        const ssize_t n = recv(fd_, chunk.data(), chunk.size(), 0);
        ending_ = n > 0 ? "" : n == 0 && !reset_ ? "fin" : reset_ || errno == ECONNRESET ? "reset" : "nothing";
        buffer_ += chunk.substr(0, static_cast<size_t>(std::max<ssize_t>(n, 0)));
        return n > 0;
    }

    Reply parse_head() {
        Reply reply;
        const size_t end = buffer_.find("\r\n\r\n");
        const std::string head = buffer_.substr(0, end + 2);
        buffer_.erase(0, end + 4);
        reply.status = static_cast<int>(to_number(std::string_view(head).substr(9, 3)).value_or(0));
        for (const std::string_view line : split(std::string_view(head).substr(head.find("\r\n") + 2), '\n')) {
            const size_t colon = line.find(':');
            if (colon != std::string_view::npos)
                reply.headers.push_back(
                    {std::string(line.substr(0, colon)), std::string(trim(line.substr(colon + 1)))});
        }
        return reply;
    }

    void read_body(Reply& reply) {
        const auto length = to_number(reply.header("Content-Length"));
        while ((!length || buffer_.size() < *length) && !chunked_end(reply) && fill()) continue;
        const bool whole = length ? buffer_.size() >= *length : ending_ == "fin" || chunked_end(reply);
        reply.ending = whole ? "" : ending_;
        reply.body = buffer_.substr(0, static_cast<size_t>(length.value_or(buffer_.size())));
        buffer_.erase(0, reply.body.size());
    }

    [[nodiscard]] bool chunked_end(const Reply& reply) const {
        return reply.header("Transfer-Encoding") == "chunked" && buffer_.ends_with("0\r\n\r\n");
    }

    int fd_;
    uint16_t port_;
    bool connected_ = false;
    bool reset_ = false;
    std::string buffer_;
    std::string ending_;
};

inline std::string sha256(std::string_view bytes) {
    unsigned char out[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    EVP_Digest(bytes.data(), bytes.size(), out, &length, EVP_sha256(), nullptr);
    std::string hex;
    for (unsigned i = 0; i < length; ++i) hex += fmt::format("{:02x}", out[i]);
    return hex;
}

inline std::string hmac(std::string_view key, std::string_view text) {
    unsigned char out[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
         text.size(), out, &length);
    return {reinterpret_cast<const char*>(out), length};
}

/// A request to be signed and sent.
struct Ask {
    std::string method = "GET";
    std::string target;  ///< canonical path, then `?` and the query, sorted and with `=` on every name
    std::string body;
    Fields headers;  ///< names in lower case
    std::string access_key = "labkey";
    std::string secret = "labsecret";
    std::string region = "us-east-1";
    std::string payload_word;  ///< empty: the hash of the body
    int64_t clock = time(nullptr);
    bool expect = false;  ///< wait for 100 or an answer before the body: the caller sends it
    std::string host;     ///< empty: 127.0.0.1:PORT
};

inline std::string signed_head(const Ask& ask, uint16_t port) {
    char stamp[17];
    tm parts{};
    const time_t when = ask.clock;
    gmtime_r(&when, &parts);
    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &parts);
    const std::string day(stamp, 8);
    const std::string word = ask.payload_word.empty() ? sha256(ask.body) : ask.payload_word;
    Fields headers = ask.headers;
    headers.push_back({"host", ask.host.empty() ? fmt::format("127.0.0.1:{}", port) : ask.host});
    headers.push_back({"x-amz-content-sha256", word});
    headers.push_back({"x-amz-date", stamp});
    std::ranges::sort(headers, {}, &Field::name);
    std::string canonical_headers;
    std::string names;
    std::string head;
    for (const Field& field : headers) {
        canonical_headers += field.name + ":" + field.value + "\n";
        names += (names.empty() ? "" : ";") + field.name;
        head += field.name + ": " + field.value + "\r\n";
    }
    const size_t mark = ask.target.find('?');
    const std::string query = mark == std::string::npos ? "" : ask.target.substr(mark + 1);
    const std::string canonical = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", ask.method, ask.target.substr(0, mark), query,
                                              canonical_headers, names, word);
    const std::string scope = fmt::format("{}/{}/s3/aws4_request", day, ask.region);
    const std::string to_sign = fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", stamp, scope, sha256(canonical));
    const std::string key = hmac(hmac(hmac(hmac("AWS4" + ask.secret, day), ask.region), "s3"), "aws4_request");
    std::string signature;
    for (const char c : hmac(key, to_sign)) signature += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return fmt::format(
        "{} {} HTTP/1.1\r\n{}Authorization: AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}\r\n"
        "{}Content-Length: {}\r\n\r\n",
        ask.method, ask.target, head, ask.access_key, scope, names, signature,
        ask.expect ? "Expect: 100-continue\r\n" : "", ask.body.size());
}

/// Sends the whole request and reads the answer.
inline RawClient::Reply exchange(RawClient& client, const Ask& ask) {
    client.send(signed_head(ask, client.port()) + (ask.expect ? "" : ask.body));
    return client.read_reply(ask.method == "HEAD");
}

/// On a connection of its own.
inline RawClient::Reply exchange(uint16_t port, const Ask& ask) {
    RawClient client(port);
    return exchange(client, ask);
}

inline Ask put(std::string target, std::string body, Fields headers = {}) {
    Ask ask;
    ask.method = "PUT";
    ask.target = std::move(target);
    ask.body = std::move(body);
    ask.headers = std::move(headers);
    return ask;
}

inline Ask get(std::string target, Fields headers = {}) {
    Ask ask;
    ask.target = std::move(target);
    ask.headers = std::move(headers);
    return ask;
}

inline Ask with_method(std::string method, std::string target, Fields headers = {}) {
    Ask ask = get(std::move(target), std::move(headers));
    ask.method = std::move(method);
    return ask;
}

}  // namespace s3tug::lab::test
