#include "wire/headers.h"

#include <doctest/doctest.h>

namespace s3tug::wire {

TEST_SUITE("wire/headers") {
    TEST_CASE("names are held in lower case and repeated names are kept in order") {
        Headers headers;
        CHECK(headers.empty());
        headers.add("X-Amz-Meta-A", "One");
        headers.add("x-amz-meta-a", "Two");
        headers.add("ETag", "\"x\"");
        REQUIRE(headers.size() == 3);
        CHECK(*headers.begin() == Header{.name = "x-amz-meta-a", .value = "One"});
        CHECK(headers.find("x-amz-meta-a") == "One");
        CHECK(headers.find("etag") == "\"x\"");
        CHECK(!headers.find("x-amz-meta").has_value());
    }

    TEST_CASE("set replaces all lines of a name and remove takes all away, whatever the case") {
        Headers headers;
        headers.add("a", "1");
        headers.add("b", "2");
        headers.add("A", "3");
        headers.set("a", "4");
        CHECK(headers.size() == 2);
        CHECK(headers.find("a") == "4");
        headers.remove("A");
        CHECK(headers.size() == 1);
        CHECK(!headers.find("a").has_value());
        headers.remove("none");
        CHECK(headers.size() == 1);
    }

    TEST_CASE("headers that carry keys, tokens or cookies are secret") {
        for (const std::string_view name :
             {"authorization", "proxy-authorization", "x-amz-security-token", "x-amz-s3session-token", "cookie",
              "set-cookie", "x-amz-server-side-encryption-customer-key",
              "x-amz-server-side-encryption-customer-key-md5", "x-amz-copy-source-server-side-encryption-customer-key",
              "x-auth-token", "x-api-key", "x-my-secret", "x-amz-mfa"}) {
            CAPTURE(name);
            CHECK(is_secret_header(name));
        }
    }

    TEST_CASE("headers that a trace needs are shown") {
        for (const std::string_view name :
             {"host", "date", "etag", "range", "if-match", "x-amz-date", "x-amz-request-id", "x-amz-content-sha256",
              "x-amz-meta-s3tug-write", "x-amz-checksum-crc64nvme", "x-amz-server-side-encryption",
              "x-amz-server-side-encryption-customer-algorithm", "x-amz-meta-author", "www-authenticate"}) {
            CAPTURE(name);
            CHECK(!is_secret_header(name));
        }
    }
}

}  // namespace s3tug::wire
