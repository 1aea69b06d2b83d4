// The worked examples of the S3 documentation (facts/sigv4.md, "S3 documentation examples"). Streaming signatures are
// not sent by us; their chain shows that key, scope and signature are right for any string to sign.
#include <doctest/doctest.h>

#include <array>

#include "base/bytes.h"
#include "wire/sigv4.h"

namespace s3tug::wire::sigv4 {

namespace {

constexpr std::string_view secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
constexpr WallTime may_24_2013 = wall_from_unix_seconds(1369353600);
const Timestamp time_signed = timestamp(may_24_2013);
const std::string scope_signed = scope(time_signed, "us-east-1", "s3");

Credentials example_credentials() {
    Credentials credentials;
    credentials.access_key_id = "AKIAIOSFODNN7EXAMPLE";
    credentials.secret_access_key = secret;
    return credentials;
}

Endpoint global_host() {
    return parse_endpoint("https://s3.amazonaws.com", "us-east-1", Addressing::virtual_host).value();
}

Request request_for(Method method, std::string_view key) {
    Request request;
    request.method = method;
    request.bucket = "examplebucket";
    request.key = key;
    request.payload_word = empty_payload_sha256;
    return request;
}

std::string authorization_of(const Request& request) {
    KeyCache cache;
    const Credentials credentials = example_credentials();
    const SignedRequest sent = sign(request, global_host(), &credentials, may_24_2013, cache);
    return std::string(sent.headers.find("authorization").value());
}

std::string authorization_with(std::string_view names, std::string_view signature) {
    return "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=" +
           std::string(names) + ", Signature=" + std::string(signature);
}

std::string signed_text(std::string_view string_to_sign) {
    return signature(signing_key(secret, time_signed.date, "us-east-1", "s3"), string_to_sign);
}

std::string signature_of(const CanonicalInput& input) {
    return signed_text(string_to_sign(time_signed, scope_signed, canonical_request(input)));
}

std::string chunk_signature(std::string_view previous, std::string_view data) {
    return signed_text("AWS4-HMAC-SHA256-PAYLOAD\n" + time_signed.date_time + "\n" + scope_signed + "\n" +
                       std::string(previous) + "\n" + std::string(empty_payload_sha256) + "\n" +
                       to_hex(sha256(as_bytes(data))));
}

std::string trailer_signature(std::string_view previous, std::string_view lines) {
    return signed_text("AWS4-HMAC-SHA256-TRAILER\n" + time_signed.date_time + "\n" + scope_signed + "\n" +
                       std::string(previous) + "\n" + to_hex(sha256(as_bytes(lines))));
}

Headers streaming_headers(std::string_view payload_word) {
    Headers headers;
    headers.add("Host", "s3.amazonaws.com");
    headers.add("x-amz-date", time_signed.date_time);
    headers.add("x-amz-storage-class", "REDUCED_REDUNDANCY");
    headers.add("x-amz-content-sha256", payload_word);
    headers.add("Content-Encoding", "aws-chunked");
    headers.add("x-amz-decoded-content-length", "66560");
    return headers;
}

const std::string body(66560, 'a');
const std::array<std::string_view, 3> chunks = {std::string_view(body).substr(0, 65536),
                                                std::string_view(body).substr(65536), std::string_view()};

}  // namespace

TEST_SUITE("wire/sigv4 S3 examples") {
    TEST_CASE("GET of a range: the example signs Range, which we would not") {
        Headers headers;
        headers.add("Host", "examplebucket.s3.amazonaws.com");
        headers.add("Range", "bytes=0-9");
        headers.add("x-amz-content-sha256", empty_payload_sha256);
        headers.add("x-amz-date", "20130524T000000Z");
        CHECK(signed_header_names(headers) == "host;range;x-amz-content-sha256;x-amz-date");
        CHECK(signature_of({"GET", "/test.txt", {}, headers, empty_payload_sha256}) ==
              "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    }

    TEST_CASE("PUT of an object with a date and a storage class") {
        Request request = request_for(Method::put, "test$file.text");
        request.has_body = true;
        const std::string payload_word = to_hex(sha256(as_bytes("Welcome to Amazon S3.")));
        request.payload_word = payload_word;
        request.headers.add("Date", "Fri, 24 May 2013 00:00:00 GMT");
        request.headers.add("x-amz-storage-class", "REDUCED_REDUNDANCY");
        CHECK(authorization_of(request) ==
              authorization_with("date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                                 "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
    }

    TEST_CASE("GET of a bucket's lifecycle: a query name without value") {
        Request request = request_for(Method::get, "");
        request.query = {{"lifecycle", ""}};
        CHECK(authorization_of(request) ==
              authorization_with("host;x-amz-content-sha256;x-amz-date",
                                 "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
    }

    TEST_CASE("a listing: two query parameters") {
        Request request = request_for(Method::get, "");
        request.query = {{"prefix", "J"}, {"max-keys", "2"}};
        CHECK(authorization_of(request) ==
              authorization_with("host;x-amz-content-sha256;x-amz-date",
                                 "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
    }

    TEST_CASE("a presigned GET for a day") {
        KeyCache cache;
        const auto url = presign(request_for(Method::get, "test.txt"), global_host(), example_credentials(),
                                 may_24_2013, hours(24), cache);
        CHECK(url.value() ==
              "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
              "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
              "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
              "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
    }

    TEST_CASE("a streaming PUT: seed and three chunks") {
        constexpr std::string_view word = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
        Headers headers = streaming_headers(word);
        headers.add("Content-Length", "66824");
        std::string previous = signature_of({"PUT", "/examplebucket/chunkObject.txt", {}, headers, word});
        CHECK(previous == "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9");
        constexpr std::array<std::string_view, 3> right = {
            "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
            "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
            "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"};
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            previous = chunk_signature(previous, chunks[i]);
            CHECK(previous == right[i]);
        }
    }

    TEST_CASE("a streaming PUT with a trailer: seed, three chunks and the trailer") {
        constexpr std::string_view word = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
        Headers headers = streaming_headers(word);
        headers.add("x-amz-trailer", "x-amz-checksum-crc32c");
        std::string previous = signature_of({"PUT", "/examplebucket/chunkObject.txt", {}, headers, word});
        CHECK(previous == "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e");
        constexpr std::array<std::string_view, 3> right = {
            "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
            "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
            "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992"};
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            previous = chunk_signature(previous, chunks[i]);
            CHECK(previous == right[i]);
        }
        CHECK(trailer_signature(previous, "x-amz-checksum-crc32c:sOO8/Q==\n") ==
              "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435");
    }
}

}  // namespace s3tug::wire::sigv4
