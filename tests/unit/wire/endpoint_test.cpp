#include "wire/endpoint.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace s3tug::wire {

namespace {

Endpoint custom(std::string_view url, Addressing addressing = Addressing::automatic) {
    return parse_endpoint(url, "us-east-1", addressing).value();
}

Endpoint aws(std::string_view region, Addressing addressing = Addressing::automatic) {
    return aws_endpoint(region, addressing).value();
}

}  // namespace

TEST_SUITE("wire/endpoint") {
    TEST_CASE("an AWS region has its regional host in the domain of its partition") {
        struct Row {
            std::string_view region, host;
        };
        for (const Row row :
             {Row{"us-east-1", "s3.us-east-1.amazonaws.com"}, Row{"eu-central-1", "s3.eu-central-1.amazonaws.com"},
              Row{"cn-north-1", "s3.cn-north-1.amazonaws.com.cn"},
              Row{"us-gov-west-1", "s3.us-gov-west-1.amazonaws.com"},
              Row{"us-iso-east-1", "s3.us-iso-east-1.c2s.ic.gov"},
              Row{"us-isob-east-1", "s3.us-isob-east-1.sc2s.sgov.gov"},
              Row{"us-isof-south-1", "s3.us-isof-south-1.csp.hci.ic.gov"},
              Row{"eu-isoe-west-1", "s3.eu-isoe-west-1.cloud.adc-e.uk"},
              Row{"eusc-de-east-1", "s3.eusc-de-east-1.amazonaws.eu"},
              Row{"US-WEST-2", "s3.us-west-2.amazonaws.com"}}) {
            CAPTURE(row.region);
            const Endpoint endpoint = aws(row.region);
            CHECK(endpoint.host == row.host);
            CHECK(endpoint.tls);
            CHECK(endpoint.port == 443);
            CHECK(endpoint.aws);
        }
        CHECK(aws("US-WEST-2").region == "us-west-2");
    }

    TEST_CASE("a region that could turn the host into another one is refused") {
        for (const std::string& region :
             {std::string(""), std::string("evil.com/"), std::string("a.b"), std::string("a b"), std::string("-a"),
              std::string("a-"), std::string("us_east_1"), std::string("eu@x"), std::string("x\r\n"),
              std::string(64, 'a'), std::string("a\0b", 3)}) {
            CAPTURE(region);
            CHECK(!valid_region(region));
            const Result<Endpoint> endpoint = aws_endpoint(region, Addressing::automatic);
            REQUIRE(!endpoint.ok());
            CHECK(endpoint.error().kind == ErrorKind::config);
        }
        CHECK(valid_region("us-east-1"));
        CHECK(valid_region("auto"));
        CHECK(valid_region("RegionOne"));
        CHECK(valid_region(std::string(63, 'a')));
    }

    TEST_CASE("another region moves an AWS endpoint and only signs anew for a custom one") {
        const Endpoint moved = with_region(aws("us-east-1", Addressing::path), "eu-west-1");
        CHECK(moved.host == "s3.eu-west-1.amazonaws.com");
        CHECK(moved.region == "eu-west-1");
        CHECK(moved.addressing == Addressing::path);

        const Endpoint here = custom("http://localhost:9000/s3");
        const Endpoint resigned = with_region(here, "eu-west-1");
        CHECK(resigned.region == "eu-west-1");
        CHECK(origin(resigned) == origin(here));
        CHECK(resigned.path_prefix == "/s3");

        CHECK(with_region(aws("us-east-1"), "evil.com").host == "s3.us-east-1.amazonaws.com");
        CHECK(with_region(here, "evil.com/").region == "us-east-1");
    }

    TEST_CASE("AWS buckets go into the host unless a certificate or the DNS would not take them") {
        struct Row {
            std::string_view bucket, host, path;
        };
        for (const Row row :
             {Row{"bucket", "bucket.s3.eu-west-1.amazonaws.com", "/k"},
              Row{"a-1", "a-1.s3.eu-west-1.amazonaws.com", "/k"},
              Row{"my.bucket", "s3.eu-west-1.amazonaws.com", "/my.bucket/k"},
              Row{"MyBucket", "s3.eu-west-1.amazonaws.com", "/MyBucket/k"},
              Row{"my_bucket", "s3.eu-west-1.amazonaws.com", "/my_bucket/k"},
              Row{"-bucket", "s3.eu-west-1.amazonaws.com", "/-bucket/k"},
              Row{"bucket-", "s3.eu-west-1.amazonaws.com", "/bucket-/k"},
              Row{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "s3.eu-west-1.amazonaws.com",
                  "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/k"}}) {
            CAPTURE(row.bucket);
            const Address address = address_of(aws("eu-west-1"), row.bucket, "k");
            CHECK(address.host_header == row.host);
            CHECK(address.path == row.path);
        }
        CHECK(address_of(aws("eu-west-1", Addressing::path), "bucket", "k").path == "/bucket/k");
        CHECK(address_of(aws("eu-west-1", Addressing::virtual_host), "my.bucket", "k").host_header ==
              "my.bucket.s3.eu-west-1.amazonaws.com");
    }

    TEST_CASE("custom endpoints put the bucket into the path unless told otherwise") {
        CHECK(address_of(custom("http://localhost:9000"), "bucket", "k").path == "/bucket/k");
        CHECK(address_of(custom("http://localhost:9000"), "bucket", "k").host_header == "localhost:9000");
        const Endpoint by_host = custom("http://localhost:9000", Addressing::virtual_host);
        CHECK(address_of(by_host, "bucket", "k").host_header == "bucket.localhost:9000");
        CHECK(address_of(by_host, "bucket", "k").path == "/k");
        CHECK(address_of(by_host, "a.bucket", "k").host_header == "a.bucket.localhost:9000");
        CHECK(address_of(by_host, "BUCKET", "k").path == "/BUCKET/k");
        CHECK(address_of(by_host, "a..b", "k").path == "/a..b/k");
        CHECK(address_of(by_host, "a.-b", "k").path == "/a.-b/k");
        CHECK(address_of(custom("https://gate.example/s3/v1/"), "bucket", "k").path == "/s3/v1/bucket/k");
    }

    TEST_CASE("keys are encoded once and never normalised") {
        struct Row {
            std::string_view key, path;
        };
        for (const Row row :
             {Row{"", "/bucket"}, Row{"/", "/bucket//"}, Row{"a//b/../c/./", "/bucket/a//b/../c/./"},
              Row{"a b+c%20?x#y", "/bucket/a%20b%2Bc%2520%3Fx%23y"}, Row{"\xc3\xa9\xff", "/bucket/%C3%A9%FF"},
              Row{"~-._", "/bucket/~-._"}, Row{"!$&'()*,:;=@", "/bucket/%21%24%26%27%28%29%2A%2C%3A%3B%3D%40"}}) {
            CAPTURE(row.key);
            CHECK(address_of(custom("http://localhost"), "bucket", row.key).path == row.path);
        }
        CHECK(address_of(custom("http://localhost"), "", "").path == "/");
        CHECK(address_of(aws("us-east-1"), "bucket", "").path == "/");
    }

    TEST_CASE("the Host header has no default port and keeps the brackets of IPv6") {
        struct Row {
            std::string_view url, host, origin;
        };
        for (const Row row :
             {Row{"https://h", "h", "https://h:443"}, Row{"https://h:443", "h", "https://h:443"},
              Row{"http://h:80", "h", "http://h:80"}, Row{"http://h:443", "h:443", "http://h:443"},
              Row{"https://h:80", "h:80", "https://h:80"}, Row{"http://[::1]:9000", "[::1]:9000", "http://[::1]:9000"},
              Row{"https://[2001:DB8::1]", "[2001:db8::1]", "https://[2001:db8::1]:443"},
              Row{"https://EXAMPLE.com", "example.com", "https://example.com:443"}}) {
            CAPTURE(row.url);
            CHECK(address_of(custom(row.url), "bucket", "k").host_header == row.host);
            CHECK(origin(custom(row.url)) == row.origin);
        }
    }

    TEST_CASE("spellings of one store share a breaker key") {
        const std::string key = breaker_key(custom("https://host"), "", "");
        CHECK(breaker_key(custom("https://HOST"), "", "") == key);
        CHECK(breaker_key(custom("HTTPS://host:443"), "", "") == key);
        CHECK(breaker_key(custom("https://host/prefix"), "", "") == key);
        CHECK(breaker_key(custom("https://host", Addressing::virtual_host), "", "") == key);
        CHECK(breaker_key(aws("eu-west-1"), "", "") == breaker_key(with_region(aws("us-east-1"), "eu-west-1"), "", ""));

        const std::string proxied = breaker_key(custom("https://host"), "http://proxy:3128", "");
        for (const std::string_view proxy :
             {"proxy:3128", "PROXY:3128", "http://proxy:3128/", "HTTP://proxy:3128", "http://user:secret@proxy:3128"}) {
            CAPTURE(proxy);
            CHECK(breaker_key(custom("https://host"), proxy, "") == proxied);
        }
        CHECK(breaker_key(custom("https://host"), "proxy", "") ==
              breaker_key(custom("https://host"), "proxy:1080", ""));
    }

    TEST_CASE("what can fail apart has breaker keys of its own") {
        const std::set<std::string> keys = {breaker_key(custom("https://host"), "", ""),
                                            breaker_key(custom("http://host"), "", ""),
                                            breaker_key(custom("https://host:444"), "", ""),
                                            breaker_key(custom("https://other"), "", ""),
                                            breaker_key(custom("https://host"), "proxy:3128", ""),
                                            breaker_key(custom("https://host"), "socks5://proxy:3128", ""),
                                            breaker_key(custom("https://host"), "[::1]:3128", ""),
                                            breaker_key(custom("https://host"), "", "bucket"),
                                            breaker_key(custom("https://host"), "proxy:3128", "bucket"),
                                            breaker_key(aws("eu-west-1"), "", ""),
                                            breaker_key(aws("us-east-1"), "", "")};
        CHECK(keys.size() == 11);
    }

    TEST_CASE("the password of a proxy does not reach the breaker key") {
        const std::string key = breaker_key(custom("https://host"), "http://user:canary@proxy:3128", "bucket");
        CHECK(key.find("canary") == std::string::npos);
        CHECK(key.find("user") == std::string::npos);
    }
}

}  // namespace s3tug::wire
