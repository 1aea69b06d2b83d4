#include "engine/connection_hint.h"

#include <doctest/doctest.h>

namespace s3tug::engine {
namespace {

using Class = policy::FailureClass;

policy::Verdict verdict(Class cls, std::string code, std::string message = {}, int status = 0) {
    policy::Verdict out;
    out.cls = cls;
    out.code = std::move(code);
    out.message = std::move(message);
    out.status = status;
    return out;
}

wire::Endpoint store(bool tls) {
    wire::Endpoint out;
    out.tls = tls;
    out.host = "store";
    return out;
}

}  // namespace

TEST_SUITE("engine/connection_hint") {
    TEST_CASE("a wrong scheme is guessed by what such a port does, until the endpoint has answered as a store") {
        struct Row {
            bool tls;
            policy::Verdict seen;
            std::string_view says;
        };
        constexpr std::string_view use_https = "; if that port speaks TLS, the endpoint begins with https://";
        constexpr std::string_view use_http = "; if that port speaks plain HTTP, the endpoint begins with http://";
        for (const Row& row : {
                 Row{false, verdict(Class::transient_network, "CURLE_GOT_NOTHING", "Empty reply"), use_https},
                 Row{false, verdict(Class::transient_network, "CURLE_RECV_ERROR", "reset"), use_https},
                 Row{false, verdict(Class::client_bug, "", "an HTML page", 400), use_https},
                 Row{false, verdict(Class::client_bug, "InvalidRequest", "", 400), ""},
                 Row{false, verdict(Class::transient_network, "CURLE_COULDNT_CONNECT", "refused"), ""},
                 Row{true, verdict(Class::transient_network, "CURLE_RECV_ERROR", "reset"), ""},
                 Row{true, verdict(Class::transient_network, "CURLE_SSL_CONNECT_ERROR", "wrong version"), use_http},
                 Row{true, verdict(Class::timeout, "connect_timeout", "SSL connection timeout"), use_http},
                 Row{true, verdict(Class::timeout, "connect_timeout", "Connection timeout"), ""},
             }) {
            CAPTURE(row.seen.code);
            CHECK(connection_hint(row.seen, store(row.tls), "", false) == row.says);
            CHECK(connection_hint(row.seen, store(row.tls), "", true).empty());
            wire::Endpoint aws = store(row.tls);
            aws.aws = true;
            CHECK(connection_hint(row.seen, aws, "", false).empty());
        }
    }

    TEST_CASE("a certificate of an unknown authority names the option, one of another host or time does not") {
        const auto hint = [](std::string code, std::string message) {
            return connection_hint(verdict(Class::tls_trust, std::move(code), std::move(message)), store(true), "",
                                   false);
        };
        const std::string untrusted = "CURLE_PEER_FAILED_VERIFICATION";
        constexpr std::string_view use_ca =
            "; where the store has an authority of its own, give its certificate with --ca-file";
        CHECK(hint(untrusted, "SSL certificate problem: self-signed certificate") == use_ca);
        CHECK(hint(untrusted, "SSL certificate problem: self signed certificate in certificate chain") == use_ca);
        CHECK(hint(untrusted, "SSL certificate problem: unable to get local issuer certificate") == use_ca);
        CHECK(hint(untrusted, "SSL certificate problem: certificate has expired").empty());
        CHECK(hint(untrusted, "SSL: no alternative certificate subject name matches target host name").empty());
        CHECK(hint("CURLE_SSL_CACERT_BADFILE", "error setting certificate file") ==
              "; --ca-file takes a file of certificates in PEM");
    }

    TEST_CASE("the proxy is named where no answer came, without its password") {
        const policy::Verdict refused = verdict(Class::transient_network, "CURLE_COULDNT_CONNECT", "refused");
        CHECK(connection_hint(refused, store(true), "http://me:secret@proxy:3128/", true) ==
              "; it was tried through the proxy http://proxy:3128");
        CHECK(connection_hint(refused, store(true), "", true).empty());
        for (const Class cls :
             {Class::transient_network, Class::timeout, Class::tls_trust, Class::server, Class::access})
            CHECK(!connection_hint(verdict(cls, "CURLE_PROXY"), store(true), "http://p:1", true).empty());
        for (const Class cls : {Class::local_io, Class::client_bug, Class::integrity})
            CHECK(connection_hint(verdict(cls, "CURLE_WRITE_ERROR"), store(true), "http://p:1", true).empty());
        CHECK(
            connection_hint(verdict(Class::throttling, "SlowDown", "", 503), store(true), "http://p:1", true).empty());
        CHECK(connection_hint(policy::Verdict(), store(true), "http://p:1", false).empty());
    }
}

}  // namespace s3tug::engine
