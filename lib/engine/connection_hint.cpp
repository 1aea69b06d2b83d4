#include "engine/connection_hint.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"

namespace s3tug::engine {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// What OpenSSL says of a chain that ends with a certificate which it does not know; not of a wrong name or date.
bool unknown_authority(std::string_view message) {
    constexpr std::array<std::string_view, 3> words = {"self-signed", "self signed", "issuer certificate"};
    return std::ranges::any_of(words, [message](std::string_view word) { return has(message, word); });
}

/// What a TLS port does with a request in plain HTTP: it ends the connection, or answers 400 with a page of its own.
bool like_tls_port(const policy::Verdict& verdict) {
    constexpr std::array<std::string_view, 3> ends = {"CURLE_GOT_NOTHING", "CURLE_RECV_ERROR",
                                                      "CURLE_WEIRD_SERVER_REPLY"};
    const bool no_code = verdict.code.empty() || verdict.code.starts_with("HTTP ");
    return std::ranges::find(ends, verdict.code) != ends.end() || (verdict.status == 400 && no_code);
}

/// What a plain port does with a TLS handshake: it answers in plain text, or waits for the end of a line.
bool like_plain_port(const policy::Verdict& verdict) {
    return verdict.code == "CURLE_SSL_CONNECT_ERROR" ||
           (verdict.code == "connect_timeout" && has(verdict.message, "SSL"));
}

bool of_the_connection(const policy::Verdict& verdict) {
    using Class = policy::FailureClass;
    return verdict.status == 0 && !verdict.code.empty() &&
           (verdict.cls == Class::transient_network || verdict.cls == Class::timeout ||
            verdict.cls == Class::tls_trust || verdict.cls == Class::server || verdict.cls == Class::access);
}

}  // namespace

std::string connection_hint(const policy::Verdict& verdict, const wire::Endpoint& endpoint, std::string_view proxy,
                            bool store_known) {
    std::string text;
    if (!proxy.empty() && of_the_connection(verdict))
        text += "; it was tried through the proxy " + printable(wire::proxy_origin(proxy));
    if (verdict.code == "CURLE_SSL_CACERT_BADFILE")
        text += "; --ca-file takes a file of certificates in PEM";
    else if (verdict.cls == policy::FailureClass::tls_trust && unknown_authority(verdict.message))
        text += "; where the store has an authority of its own, give its certificate with --ca-file";
    if (store_known || endpoint.aws) return text;
    if (!endpoint.tls && like_tls_port(verdict)) text += "; if that port speaks TLS, the endpoint begins with https://";
    if (endpoint.tls && like_plain_port(verdict))
        text += "; if that port speaks plain HTTP, the endpoint begins with http://";
    return text;
}

}  // namespace s3tug::engine
