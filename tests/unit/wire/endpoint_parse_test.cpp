#include <doctest/doctest.h>

#include <string>

#include "wire/endpoint.h"

namespace s3tug::wire {

namespace {

Result<Endpoint> parse(std::string_view url) { return parse_endpoint(url, "us-east-1", Addressing::automatic); }

}  // namespace

TEST_SUITE("wire/endpoint_parse") {
    TEST_CASE("scheme, host, port and prefix are read") {
        struct Row {
            std::string_view url;
            bool tls;
            std::string_view host;
            uint16_t port;
            std::string_view prefix;
        };
        for (const Row& row :
             {Row{"https://h", true, "h", 443, ""}, Row{"http://h", false, "h", 80, ""},
              Row{"HTTP://Host.Example:9000/", false, "host.example", 9000, ""},
              Row{"http://127.0.0.1:65535", false, "127.0.0.1", 65535, ""},
              Row{"http://[::1]:9000/a", false, "::1", 9000, "/a"},
              Row{"https://[2001:DB8:0:0:0:0:0:1]", true, "2001:db8:0:0:0:0:0:1", 443, ""},
              Row{"https://[::ffff:10.0.0.1]", true, "::ffff:10.0.0.1", 443, ""},
              Row{"https://[::]", true, "::", 443, ""}, Row{"https://[1::]", true, "1::", 443, ""},
              Row{"http://minio_1:9000", false, "minio_1", 9000, ""}, Row{"http://host./", false, "host.", 80, ""},
              Row{"https://h/a/b//", true, "h", 443, "/a/b"}, Row{"https://h/a%20b/%7Ec", true, "h", 443, "/a%20b/~c"},
              Row{"https://h/a:b", true, "h", 443, "/a%3Ab"}, Row{"https://h/a%2F", true, "h", 443, "/a"},
              Row{"https://h/%2F/", true, "h", 443, ""}}) {
            CAPTURE(row.url);
            const Result<Endpoint> endpoint = parse(row.url);
            REQUIRE(endpoint.ok());
            CHECK(endpoint->tls == row.tls);
            CHECK(endpoint->host == row.host);
            CHECK(endpoint->port == row.port);
            CHECK(endpoint->path_prefix == row.prefix);
            CHECK(!endpoint->aws);
            CHECK(endpoint->region == "us-east-1");
        }
    }

    TEST_CASE("what is wrong is refused with the input, the reason and the right form") {
        struct Row {
            std::string url, reason;
        };
        for (const Row& row : {Row{"", "empty"},
                               Row{"localhost:9000", "scheme is missing"},
                               Row{"s3.example.com", "scheme is missing"},
                               Row{"ftp://h", "neither https nor http"},
                               Row{"://h", "neither https nor http"},
                               Row{"https://", "host is missing"},
                               Row{"https:///prefix", "host is missing"},
                               Row{"https://:9000", "host is missing"},
                               Row{"https://h:", "port"},
                               Row{"https://h:0", "port"},
                               Row{"https://h:65536", "port"},
                               Row{"https://h:-1", "port"},
                               Row{"https://h:9000x", "port"},
                               Row{"https://h: 9000", "port"},
                               Row{"https://h:9000:1", "brackets"},
                               Row{"https://::1", "brackets"},
                               Row{"https://h?x=y", "query"},
                               Row{"https://h/p?x=y", "query"},
                               Row{"https://h#f", "fragment"},
                               Row{"https://u:p@h", "keys do not belong"},
                               Row{"https://u@h/p", "keys do not belong"},
                               Row{"https://h h", "' ' cannot stand"},
                               Row{"https:// h", "' ' cannot stand"},
                               Row{"https://h\\x", "cannot stand"},
                               Row{"https://a..b", "empty part"},
                               Row{"https://.a", "empty part"},
                               Row{"https://.", "empty part"},
                               Row{"https://h\xc3\xa9", "not ASCII"},
                               Row{"https://h%41", "cannot stand"},
                               Row{"https://" + std::string(64, 'a'), "longer than 63"},
                               Row{"https://" + std::string(127, 'a') + "." + std::string(127, 'a'), "longer than 253"},
                               Row{"https://[::1", "']'"},
                               Row{"https://[::1]x", "comes a port"},
                               Row{"https://[]", "no IPv6"},
                               Row{"https://[1]", "no IPv6"},
                               Row{"https://[1:2:3:4:5:6:7:8:9]", "no IPv6"},
                               Row{"https://[1::2::3]", "no IPv6"},
                               Row{"https://[12345::]", "no IPv6"},
                               Row{"https://[g::]", "no IPv6"},
                               Row{"https://[fe80::1%25eth0]", "no IPv6"},
                               Row{"https://[1.2.3.4::]", "no IPv6"},
                               Row{"https://[::1.2.3.256]", "no IPv6"},
                               Row{"https://h/a%2", "percent"},
                               Row{"https://h/%zz", "percent"},
                               Row{"https://h/../x", "'.' and '..'"},
                               Row{"https://h/a/.", "'.' and '..'"},
                               Row{"https://h/%2e%2e/x", "'.' and '..'"},
                               Row{"https://h/" + std::string(1100, 'x'), "too long"}}) {
            CAPTURE(row.url);
            const Result<Endpoint> endpoint = parse(row.url);
            REQUIRE(!endpoint.ok());
            CHECK(endpoint.error().kind == ErrorKind::config);
            CHECK(endpoint.error().message.find(row.reason) != std::string::npos);
            CHECK(endpoint.error().message.find("write https://HOST[:PORT][/PREFIX]") != std::string::npos);
        }
    }

    TEST_CASE("a secret in a refused URL is not shown") {
        for (const std::string_view url :
             {"https://user:canary@h", "https://canary@h/x", "https://h/p?X-Amz-Signature=canary", "user:canary@h",
              "ftp://user:canary@h", "https://h#canary", "https://user:canary@h:0", "https://u:can/ary:canary@h?x",
              "ftp://a/b@canary@h"}) {
            CAPTURE(url);
            const Result<Endpoint> endpoint = parse(url);
            REQUIRE(!endpoint.ok());
            CHECK(endpoint.error().message.find("canary") == std::string::npos);
            CHECK(endpoint.error().message.size() > 20);
        }
    }

    TEST_CASE("an address cannot take a bucket in front, and says so") {
        for (const std::string_view url : {"http://127.0.0.1:9000", "http://[::1]:9000"}) {
            CAPTURE(url);
            const Result<Endpoint> endpoint = parse_endpoint(url, "us-east-1", Addressing::virtual_host);
            REQUIRE(!endpoint.ok());
            CHECK(endpoint.error().message.find("--addressing path") != std::string::npos);
            CHECK(parse_endpoint(url, "us-east-1", Addressing::path).ok());
        }
        CHECK(parse_endpoint("http://256.0.0.1", "us-east-1", Addressing::virtual_host).ok());
        CHECK(parse_endpoint("http://1.2.3", "us-east-1", Addressing::virtual_host).ok());
    }

    TEST_CASE("a custom endpoint signs for any word as region, but for nothing that breaks a scope") {
        for (const std::string_view region : {"auto", "RegionOne", "zone_1", "eu.1", "us-east-1"}) {
            CAPTURE(region);
            const Result<Endpoint> endpoint = parse_endpoint("http://h", region, Addressing::automatic);
            REQUIRE(endpoint.ok());
            CHECK(endpoint->region == region);
        }
        for (const std::string_view region : {"", "a/b", "a b", "a,b", "a\n", "\xc3\xa9"}) {
            CAPTURE(region);
            CHECK(!parse_endpoint("http://h", region, Addressing::automatic).ok());
        }
    }

    TEST_CASE("a URL cut at any byte or with any byte replaced is read or refused, never more") {
        const std::string whole = "https://user:pw@[2001:db8::1]:9000/a%20b/c?d=e#f";
        for (std::size_t at = 0; at < whole.size(); ++at) {
            (void)parse(whole.substr(0, at));
            (void)parse(whole.substr(at));
            for (int byte = 0; byte < 256; ++byte) {
                std::string text = whole;
                text[at] = static_cast<char>(byte);
                const Result<Endpoint> endpoint = parse(text);
                if (!endpoint) CHECK(endpoint.error().message.find('\n') == std::string::npos);
            }
        }
    }
}

}  // namespace s3tug::wire
