#include "wire/user_headers.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace s3tug::wire {

namespace {

bool says(const Error& error, std::string_view words) { return error.message.find(words) != std::string::npos; }

}  // namespace

TEST_SUITE("wire/user_headers") {
    TEST_CASE("metadata names come out in lower case and values as typed") {
        struct Row {
            std::string_view text, name, value;
        };
        for (const Row row :
             {Row{"a=b", "a", "b"}, Row{"Build-ID=42", "build-id", "42"}, Row{"a=", "a", ""}, Row{"a=b=c", "a", "b=c"},
              Row{"a.b_c=x, y; z", "a.b_c", "x, y; z"}, Row{"a=two  blanks", "a", "two  blanks"},
              Row{"s3tug=1", "s3tug", "1"}, Row{"write=1", "write", "1"}}) {
            CAPTURE(row.text);
            const Result<Header> item = parse_metadata(row.text);
            REQUIRE(item.ok());
            CHECK(item->name == row.name);
            CHECK(item->value == row.value);
        }
    }

    TEST_CASE("metadata that would be lost, changed or injected is refused with the cure") {
        struct Row {
            std::string text, reason;
        };
        for (const Row& row :
             {Row{"", "NAME=VALUE"}, Row{"a", "NAME=VALUE"}, Row{"=b", "name is missing"},
              Row{"a b=c", "a name has only"}, Row{"a:b=c", "a name has only"}, Row{"\xc3\xa9=c", "a name has only"},
              Row{"a\r\nb=c", "a name has only"}, Row{"a=b\r\nx: y", "line break"}, Row{"a=b\n", "line break"},
              Row{std::string("a=b\0c", 5), "control character"}, Row{"a=b\tc", "control character"},
              Row{"a=\x7f", "control character"}, Row{"a=caf\xc3\xa9", "percent-encode"},
              Row{"a= b", "blanks at the ends"}, Row{"a=b ", "blanks at the ends"},
              Row{"x-amz-meta-a=b", "leave x-amz-meta- out"}, Row{"s3tug-write=b", "write token"},
              Row{"S3TUG-Write=b", "write token"}, Row{"a=" + std::string(5000, 'x'), "too long"}}) {
            CAPTURE(row.text);
            const Result<Header> item = parse_metadata(row.text);
            REQUIRE(!item.ok());
            CHECK(item.error().kind == ErrorKind::usage);
            CHECK(says(item.error(), row.reason));
            CHECK(item.error().message.find_first_of("\r\n") == std::string::npos);
        }
    }

    TEST_CASE("metadata may have 2 KiB of names and values, the write token included") {
        const std::vector<Header> fits = {{.name = "ab", .value = std::string(1023, 'x')},
                                          {.name = "c", .value = std::string(1022, 'y')}};
        CHECK(check_metadata(fits, 0).ok());
        std::vector<Header> over = fits;
        over.back().value += 'y';
        const Status status = check_metadata(over, 0);
        REQUIRE(!status.ok());
        CHECK(says(status.error(), "2049 bytes"));

        // "s3tug-write" (11 bytes) and 32 of token leave 2005.
        CHECK(check_metadata(std::vector<Header>{{.name = "abcde", .value = std::string(2000, 'x')}}, 32).ok());
        CHECK(!check_metadata(std::vector<Header>{{.name = "abcde", .value = std::string(2001, 'x')}}, 32).ok());
        CHECK(check_metadata({}, 0).ok());
    }

    TEST_CASE("a metadata name given twice is refused") {
        const Status status = check_metadata(
            std::vector<Header>{{.name = "a", .value = "1"}, {.name = "b", .value = "1"}, {.name = "a", .value = "1"}},
            0);
        REQUIRE(!status.ok());
        CHECK(says(status.error(), "'a': the name is given twice"));
    }

    TEST_CASE("extra headers are split at the first colon") {
        struct Row {
            std::string_view text, name, value;
        };
        for (const Row row : {Row{"x-amz-request-payer: requester", "x-amz-request-payer", "requester"},
                              Row{"X-Amz-ACL:bucket-owner-full-control", "x-amz-acl", "bucket-owner-full-control"},
                              Row{"x-a: b: c", "x-a", "b: c"}, Row{"x-a: \t b \t", "x-a", "b"},
                              Row{"Content-Type: text/x", "content-type", "text/x"},
                              Row{"x-amz-server-side-encryption-customer-key: abc=",
                                  "x-amz-server-side-encryption-customer-key", "abc="},
                              Row{"User-Agent: x", "user-agent", "x"}, Row{"tea: x", "tea", "x"},
                              Row{"x-amz-meta-a: b", "x-amz-meta-a", "b"},
                              Row{"x-amz-copy-source-server-side-encryption-customer-algorithm: AES256",
                                  "x-amz-copy-source-server-side-encryption-customer-algorithm", "AES256"}}) {
            CAPTURE(row.text);
            const Result<Header> header = parse_extra_header(row.text);
            REQUIRE(header.ok());
            CHECK(header->name == row.name);
            CHECK(header->value == row.value);
        }
    }

    TEST_CASE("headers that are ours are refused with the reason") {
        for (const std::string_view name : {"Host",
                                            "Authorization",
                                            "Date",
                                            "Content-Length",
                                            "x-amz-date",
                                            "x-amz-content-sha256",
                                            "X-Amz-Security-Token",
                                            "Transfer-Encoding",
                                            "Connection",
                                            "Keep-Alive",
                                            "TE",
                                            "Trailer",
                                            "Upgrade",
                                            "Proxy-Authorization",
                                            "Expect",
                                            "Range",
                                            "If-Range",
                                            "If-Match",
                                            "If-None-Match",
                                            "If-Modified-Since",
                                            "Content-MD5",
                                            "x-amz-checksum-crc32",
                                            "x-amz-checksum-mode",
                                            "x-amz-sdk-checksum-algorithm",
                                            "x-amz-trailer",
                                            "x-amz-decoded-content-length",
                                            "x-amz-copy-source",
                                            "x-amz-copy-source-if-match",
                                            "x-amz-metadata-directive",
                                            "x-amz-meta-s3tug-write"}) {
            CAPTURE(name);
            const Result<Header> header = parse_extra_header(std::string(name) + ": canary");
            REQUIRE(!header.ok());
            CHECK(header.error().kind == ErrorKind::usage);
            CHECK(says(header.error(), name));
            CHECK(!says(header.error(), "canary"));
        }
        CHECK(says(parse_extra_header("If-Match: x").error(), "--if-match"));
        CHECK(says(parse_extra_header("Host: x").error(), "--endpoint-url"));
    }

    TEST_CASE("a header that would break the request is refused and its value never shown") {
        struct Row {
            std::string text, reason;
        };
        for (const Row& row :
             {Row{"", "NAME: VALUE"}, Row{"authorization canary", "NAME: VALUE"}, Row{"x-token=canary", "NAME: VALUE"},
              Row{": canary", "not a header name"}, Row{"x a: canary", "not a header name"},
              Row{"x-a : canary", "not a header name"}, Row{":path: canary", "not a header name"},
              Row{"x\r\ny: canary", "not a header name"}, Row{"x-a: canary\r\ny: z", "line break"},
              Row{"x-a: canary\n", "line break"}, Row{std::string("x-a: canary\0", 12), "control character"},
              Row{"x-a: canary\x01", "control character"}, Row{"x-a: canary\xc3\xa9", "not ASCII"},
              Row{"x-a:", "value is missing"}, Row{"x-a:  ", "value is missing"},
              Row{"x-a: canary" + std::string(5000, 'x'), "too long"}}) {
            CAPTURE(row.text);
            const Result<Header> header = parse_extra_header(row.text);
            REQUIRE(!header.ok());
            CHECK(header.error().kind == ErrorKind::usage);
            CHECK(says(header.error(), row.reason));
            CHECK(!says(header.error(), "canary"));
            CHECK(header.error().message.find_first_of("\r\n") == std::string::npos);
        }
    }

    TEST_CASE("the value of an option that becomes a header is printable ASCII") {
        CHECK(check_header_value("--content-type", "text/html; charset=utf-8").ok());
        for (const std::string_view value : {"", "a\r\nb", " a", "a ", "\xc3\xa9", "\x01"}) {
            CAPTURE(value);
            const Status status = check_header_value("--content-type", value);
            REQUIRE(!status.ok());
            CHECK(status.error().kind == ErrorKind::usage);
            CHECK(says(status.error(), "--content-type"));
        }
    }
}

}  // namespace s3tug::wire
