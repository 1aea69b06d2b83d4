#include "wire/sigv4.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/bytes.h"

namespace s3tug::wire::sigv4 {

namespace {

// Signatures in this file that are not from AWS's documentation were computed with a separate Python script (hmac,
// hashlib, urllib.parse.quote), so that they are worth something where the published vectors are not at hand.

Credentials credentials_of(std::string_view secret, std::string_view token) {
    Credentials credentials;
    credentials.access_key_id = "TUGEXAMPLE";
    credentials.secret_access_key = secret;
    credentials.session_token = token;
    return credentials;
}
const Credentials long_lived = credentials_of("s3cr3t/+with=signs", "");
const Credentials temporary = credentials_of("s3cr3t/+with=signs", "tok/en+==");

constexpr WallTime before_midnight = wall_from_unix_seconds(1795996799);  // 2026-11-29T23:59:59Z
constexpr WallTime midnight = wall_from_unix_seconds(1795996800);         // 2026-11-30T00:00:00Z

Endpoint store_at(std::string_view url, std::string_view region, Addressing addressing = Addressing::automatic) {
    return parse_endpoint(url, region, addressing).value();
}

Request get(std::string_view bucket, std::string_view key) {
    Request request;
    request.op = Op::get_object;
    request.method = Method::get;
    request.bucket = bucket;
    request.key = key;
    request.payload_word = empty_payload_sha256;
    return request;
}

SignedRequest sign_now(const Request& request, const Endpoint& endpoint, const Credentials* credentials) {
    KeyCache cache;
    return sign(request, endpoint, credentials, before_midnight, cache);
}

/// `name` of the authorization header, as in `Signature=...`.
std::string authorization_field(const SignedRequest& request, std::string_view name) {
    const std::string text(request.headers.find("authorization").value());
    const std::size_t begin = text.find(std::string(name) + "=");
    REQUIRE(begin != std::string::npos);
    const std::size_t from = begin + name.size() + 1;
    return text.substr(from, std::min(text.find(',', from), text.size()) - from);
}

std::string every_byte_but_nul() {
    std::string bytes;
    for (unsigned b = 1; b < 256; ++b) bytes += static_cast<char>(b);
    return bytes;
}

constexpr std::string_view every_byte_encoded =
    "%01%02%03%04%05%06%07%08%09%0A%0B%0C%0D%0E%0F%10%11%12%13%14%15%16%17%18%19%1A%1B%1C%1D%1E%1F%20%21%22%23%24%25%26"
    "%27%28%29%2A%2B%2C-./0123456789%3A%3B%3C%3D%3E%3F%40ABCDEFGHIJKLMNOPQRSTUVWXYZ%5B%5C%5D%5E_%60"
    "abcdefghijklmnopqrstuvwxyz%7B%7C%7D~%7F%80%81%82%83%84%85%86%87%88%89%8A%8B%8C%8D%8E%8F%90%91%92%93%94%95%96%97%98"
    "%99%9A%9B%9C%9D%9E%9F%A0%A1%A2%A3%A4%A5%A6%A7%A8%A9%AA%AB%AC%AD%AE%AF%B0%B1%B2%B3%B4%B5%B6%B7%B8%B9%BA%BB%BC%BD%"
    "BE%"
    "BF%C0%C1%C2%C3%C4%C5%C6%C7%C8%C9%CA%CB%CC%CD%CE%CF%D0%D1%D2%D3%D4%D5%D6%D7%D8%D9%DA%DB%DC%DD%DE%DF%E0%E1%E2%E3%E4%"
    "E5"
    "%E6%E7%E8%E9%EA%EB%EC%ED%EE%EF%F0%F1%F2%F3%F4%F5%F6%F7%F8%F9%FA%FB%FC%FD%FE%FF";

}  // namespace

TEST_SUITE("wire/sigv4") {
    TEST_CASE("date and time come from one reading, and the date turns at midnight UTC") {
        CHECK(timestamp(before_midnight).date == "20261129");
        CHECK(timestamp(before_midnight).date_time == "20261129T235959Z");
        CHECK(timestamp(before_midnight + milliseconds(999)).date_time == "20261129T235959Z");
        CHECK(timestamp(midnight).date_time == "20261130T000000Z");
        CHECK(timestamp(wall_from_unix_seconds(1835395200)).date_time == "20280229T000000Z");
        CHECK(timestamp(wall_from_unix_seconds(-1)).date_time == "19691231T235959Z");
    }

    TEST_CASE("the signing key is the one of AWS's documentation") {
        const Sha256Digest key =
            signing_key("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "20150830", "us-east-1", "iam");
        CHECK(to_hex(key) == "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
    }

    TEST_CASE("a query is encoded first and sorted then, by name and after that by value") {
        struct Row {
            std::vector<QueryParam> query;
            std::string_view canonical;
        };
        const std::vector<Row> rows = {
            {{}, ""},
            {{{"uploads", ""}}, "uploads="},
            {{{"b", "2"}, {"a", "1"}}, "a=1&b=2"},
            {{{"x", "2"}, {"x", "10"}, {"x", ""}}, "x=&x=10&x=2"},
            {{{"x-y", "0"}, {"x", "1"}}, "x=1&x-y=0"},  // whole pairs compared would put '-' before '='
            {{{"a", "1"}, {"A", "2"}, {"_", "3"}}, "A=2&_=3&a=1"},
            {{{"\xe1\x88\xb4", "1"}, {"z", "2"}}, "%E1%88%B4=1&z=2"},  // sorted as encoded, not as bytes
            {{{"token", "1+2/3=="}, {"prefix", "a b/c"}}, "prefix=a%20b%2Fc&token=1%2B2%2F3%3D%3D"},
            {{{"a&b=c", "d&e=f"}}, "a%26b%3Dc=d%26e%3Df"},
            {{{"keep", "-._~"}}, "keep=-._~"},
        };
        for (const Row& row : rows) {
            CAPTURE(row.canonical);
            CHECK(canonical_query(row.query) == row.canonical);
        }
    }

    TEST_CASE("header values are trimmed and their blanks collapsed, and repeated names are joined in order") {
        Headers headers;
        headers.add("X-Amz-Meta-B", "  a   b\t c ");
        headers.add("Host", "h");
        headers.add("x-amz-meta-a", "2");
        headers.add("X-AMZ-META-A", " \"q   r\" ");
        headers.add("x-amz-meta-empty", "   ");
        headers.add("x-amz-meta-folded", "one\r\n  two");
        headers.add("x-amz-meta-a", "1");
        CHECK(signed_header_names(headers) == "host;x-amz-meta-a;x-amz-meta-b;x-amz-meta-empty;x-amz-meta-folded");
        CHECK(canonical_request({"PUT", "/k", {}, headers, "WORD"}) ==
              "PUT\n/k\n\nhost:h\nx-amz-meta-a:2,\"q r\",1\nx-amz-meta-b:a b c\nx-amz-meta-empty:\n"
              "x-amz-meta-folded:one two\n\nhost;x-amz-meta-a;x-amz-meta-b;x-amz-meta-empty;x-amz-meta-folded\nWORD");
    }

    TEST_CASE("an empty path is signed as a slash") {
        CHECK(canonical_request({"GET", "", {}, {}, "W"}).starts_with("GET\n/\n\n"));
    }

    TEST_CASE("what the way may change is not signed, what changes the effect is") {
        for (const std::string_view name : {"accept",
                                            "accept-encoding",
                                            "authorization",
                                            "connection",
                                            "content-length",
                                            "expect",
                                            "keep-alive",
                                            "range",
                                            "te",
                                            "trailer",
                                            "transfer-encoding",
                                            "upgrade",
                                            "user-agent",
                                            "via",
                                            "x-amzn-trace-id",
                                            "forwarded",
                                            "proxy-authorization",
                                            "proxy-authenticate",
                                            "x-forwarded-for",
                                            "x-forwarded-proto"}) {
            CAPTURE(name);
            CHECK(is_never_signed(name));
        }
        for (const std::string_view name : {"host", "content-type", "content-md5", "content-encoding", "cache-control",
                                            "date", "if-match", "if-none-match", "x-amz-date", "x-amz-content-sha256",
                                            "x-amz-meta-range", "x-amz-copy-source-range", ""}) {
            CAPTURE(name);
            CHECK_FALSE(is_never_signed(name));
        }
    }

    TEST_CASE(
        "a put with every byte in its key, a token and headers of all kinds has the signature computed elsewhere") {
        Request request;
        request.op = Op::put_object;
        request.method = Method::put;
        request.bucket = "bkt";
        request.key = every_byte_but_nul();
        request.query = {{"versionId", "a+b/c=d"}};
        request.headers.add("Content-Type", "text/plain; charset=utf-8");
        request.headers.add("If-None-Match", "*");
        request.headers.add("x-amz-meta-note", "  two  blanks \"a   b\"  ");
        request.headers.add("Range", "bytes=0-9");
        request.headers.add("User-Agent", "s3tug");
        request.body_bytes = 17;
        request.has_body = true;
        request.payload_word = unsigned_payload;
        const SignedRequest sent = sign_now(request, store_at("http://localhost:9000", "eu-north-1"), &temporary);

        CHECK(sent.op == Op::put_object);
        CHECK(sent.method == Method::put);
        CHECK(sent.body_bytes == 17);
        CHECK(sent.has_body);
        CHECK(sent.url == "http://localhost:9000/bkt/" + std::string(every_byte_encoded) + "?versionId=a%2Bb%2Fc%3Dd");
        CHECK(sent.headers.find("host") == "localhost:9000");
        CHECK(sent.headers.find("x-amz-date") == "20261129T235959Z");
        CHECK(sent.headers.find("x-amz-content-sha256") == "UNSIGNED-PAYLOAD");
        CHECK(sent.headers.find("x-amz-security-token") == "tok/en+==");
        CHECK(sent.headers.find("range") == "bytes=0-9");
        CHECK(sent.headers.find("user-agent") == "s3tug");
        CHECK(sent.headers.find("content-length") == std::nullopt);
        CHECK(sent.headers.find("authorization") ==
              "AWS4-HMAC-SHA256 Credential=TUGEXAMPLE/20261129/eu-north-1/s3/aws4_request, "
              "SignedHeaders=content-type;host;if-none-match;x-amz-content-sha256;x-amz-date;x-amz-meta-note;"
              "x-amz-security-token, "
              "Signature=0385e3c4f070ef6150a5596acefa119e2419da4d9de0a59f6b5854fa37277dcf");
    }

    TEST_CASE("a bucket request with an unsorted query and repeated headers has the signature computed elsewhere") {
        Request request = get("bkt", "");
        request.query = {{"uploads", ""},
                         {"prefix", "a b/\xc3\xa9"},
                         {"continuation-token", "1+2/3=="},
                         {"x", "2"},
                         {"x", "10"},
                         {"X", "1"},
                         {"x-y", "0"}};
        request.headers.add("x-amz-meta-a", "1");
        request.headers.add("x-amz-meta-a", " 2 ");
        request.headers.add("x-amz-meta-b", "0");
        request.headers.add("x-amz-meta-a", "1");
        KeyCache cache;
        const SignedRequest sent = sign(request, aws_endpoint("us-west-2", Addressing::automatic).value(), &long_lived,
                                        wall_from_unix_seconds(1835395200), cache);
        CHECK(sent.url ==
              "https://bkt.s3.us-west-2.amazonaws.com/"
              "?X=1&continuation-token=1%2B2%2F3%3D%3D&prefix=a%20b%2F%C3%A9&uploads=&x=10&x=2&x-y=0");
        CHECK(sent.headers.find("x-amz-security-token") == std::nullopt);
        CHECK(authorization_field(sent, "SignedHeaders") ==
              "host;x-amz-content-sha256;x-amz-date;x-amz-meta-a;x-amz-meta-b");
        CHECK(authorization_field(sent, "Signature") ==
              "51c998151d7992519f54ae4ded11e3247a3eb024c0c0c4b47a5004d13f4bb1a4");
    }

    TEST_CASE("what is not signed can change without changing the signature, and what is signed cannot") {
        const Endpoint store = store_at("https://store.example", "r1");
        Request request = get("bkt", "k");
        request.headers.add("if-match", "\"e\"");
        request.headers.add("range", "bytes=0-9");
        const std::string before = authorization_field(sign_now(request, store, &long_lived), "Signature");
        const auto after = [&](auto&& change) {
            Request changed = request;
            change(changed);
            return authorization_field(sign_now(changed, store, &long_lived), "Signature");
        };
        CHECK(after([](Request& r) { r.headers.set("range", "bytes=10-19"); }) == before);
        CHECK(after([](Request& r) { r.headers.add("accept-encoding", "gzip"); }) == before);
        CHECK(after([](Request& r) { r.headers.set("if-match", "\"f\""); }) != before);
        CHECK(after([](Request& r) { r.headers.add("content-type", "a/b"); }) != before);
        CHECK(after([](Request& r) { r.key = "K"; }) != before);
        CHECK(after([](Request& r) { r.method = Method::head; }) != before);
        CHECK(after([](Request& r) { r.query.push_back({"versionId", ""}); }) != before);
        CHECK(after([](Request& r) { r.payload_word = unsigned_payload; }) != before);
    }

    TEST_CASE("a body whose payload has no name is signed as empty, so that a store refuses it") {
        Request request = get("bkt", "k");
        request.method = Method::put;
        request.has_body = true;
        request.payload_word.clear();
        const SignedRequest sent = sign_now(request, store_at("https://store.example", "r1"), &long_lived);
        CHECK(sent.headers.find("x-amz-content-sha256") == empty_payload_sha256);
    }

    TEST_CASE("without credentials the request has its host and its own headers and nothing of a signature") {
        Request request = get("bkt", "a b");
        request.headers.add("x-amz-checksum-mode", "ENABLED");
        const SignedRequest sent = sign_now(request, store_at("http://127.0.0.1:9000", "r1"), nullptr);
        CHECK(sent.url == "http://127.0.0.1:9000/bkt/a%20b");
        CHECK(sent.headers.find("host") == "127.0.0.1:9000");
        CHECK(sent.headers.find("x-amz-checksum-mode") == "ENABLED");
        CHECK(sent.headers.size() == 2);
    }

    TEST_CASE("the secret is in no part of what is sent, and the token only in its header") {
        const SignedRequest sent = sign_now(get("b", "k"), store_at("https://store.example", "r1"), &temporary);
        for (const Header& line : sent.headers) {
            CHECK(line.value.find(temporary.secret_access_key) == std::string::npos);
            CHECK((line.name == "x-amz-security-token" || line.value.find("tok/en") == std::string::npos));
        }
        CHECK(sent.url.find("tok") == std::string::npos);
    }

    TEST_CASE("the key cache gives the right key whichever part changes") {
        struct Row {
            std::string_view secret, date, region, service;
        };
        KeyCache cache;
        for (const Row row :
             {Row{"a", "20260101", "r", "s3"}, Row{"a", "20260101", "r", "s3"}, Row{"b", "20260101", "r", "s3"},
              Row{"b", "20260102", "r", "s3"}, Row{"b", "20260102", "q", "s3"}, Row{"b", "20260102", "q", "s4"},
              Row{"a", "20260101", "r", "s3"}}) {
            CHECK(cache.get(row.secret, row.date, row.region, row.service) ==
                  signing_key(row.secret, row.date, row.region, row.service));
        }
    }

    TEST_CASE("one key cache serves requests over midnight, regions and changed credentials") {
        KeyCache cache;
        const Request request = get("b", "k");
        const Credentials other = credentials_of("another", "");
        const Endpoint here = store_at("https://store.example", "r1");
        const Endpoint there = with_region(here, "r2");
        for (const Endpoint* endpoint : {&here, &there}) {
            for (const Credentials* credentials : {&long_lived, &other}) {
                for (const WallTime now : {before_midnight, midnight}) {
                    KeyCache fresh;
                    CHECK(sign(request, *endpoint, credentials, now, cache).headers.find("authorization") ==
                          sign(request, *endpoint, credentials, now, fresh).headers.find("authorization"));
                }
            }
        }
    }

    TEST_CASE("a presigned URL with token, version and condition has the signature computed elsewhere") {
        Request request = get("bkt", "dir//a b.txt");
        request.query = {{"versionId", "v+1"}};
        request.headers.add("if-match", "\"abc\"");
        request.headers.add("x-amz-checksum-mode", "ENABLED");
        request.headers.add("content-type", "text/plain");
        request.headers.add("range", "bytes=0-9");
        KeyCache cache;
        const auto url =
            presign(request, store_at("https://[::1]:8443", "garage"), temporary, midnight, hours(168), cache);
        REQUIRE(url.ok());
        CHECK(*url ==
              "https://[::1]:8443/bkt/dir//a%20b.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
              "&X-Amz-Credential=TUGEXAMPLE%2F20261130%2Fgarage%2Fs3%2Faws4_request&X-Amz-Date=20261130T000000Z"
              "&X-Amz-Expires=604800&X-Amz-Security-Token=tok%2Fen%2B%3D%3D"
              "&X-Amz-SignedHeaders=host%3Bif-match%3Bx-amz-checksum-mode&versionId=v%2B1"
              "&X-Amz-Signature=5e94b6e39a259877c6d1c3fe7fea8e3b1c5773aa62e7b84505c303edb56b57b6");
    }

    TEST_CASE("a presigned URL lasts from one second to seven days") {
        KeyCache cache;
        const auto signed_for = [&](Duration expires) {
            return presign(get("b", "k"), store_at("https://store.example", "r1"), long_lived, midnight, expires,
                           cache);
        };
        for (const Duration expires : {Duration(0), Duration(seconds(-1)), Duration(milliseconds(999)),
                                       Duration(hours(168) + Duration(1)), Duration::max(), Duration::min()}) {
            CAPTURE(expires.count());
            const auto url = signed_for(expires);
            REQUIRE_FALSE(url.ok());
            CHECK(url.error().kind == ErrorKind::usage);
        }
        CHECK(signed_for(seconds(1)).value().find("X-Amz-Expires=1&") != std::string::npos);
        CHECK(signed_for(milliseconds(1999)).value().find("X-Amz-Expires=1&") != std::string::npos);
        CHECK(signed_for(hours(168)).value().find("X-Amz-Expires=604800&") != std::string::npos);
    }
}

}  // namespace s3tug::wire::sigv4
