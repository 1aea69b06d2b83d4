#include "lab/auth.h"

#include <doctest/doctest.h>

#include "lab/aws_chunked.h"

namespace s3tug::lab {

namespace {

constexpr std::string_view empty_hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The published S3 examples: their key, time and bucket.
AuthRules example_rules() {
    AuthRules rules;
    rules.credentials = {{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "", std::nullopt}};
    rules.region = "us-east-1";
    rules.now = *parse_amz_date("20130524T000000Z");
    return rules;
}

Head example(std::string method, std::string target, std::string_view signed_headers, std::string_view signature,
             Fields more = {}, std::string_view word = empty_hash) {
    Head head{std::move(method), std::move(target), "HTTP/1.1", std::move(more)};
    if (head.header("host") == nullptr) head.headers.push_back({"Host", "examplebucket.s3.amazonaws.com"});
    head.headers.push_back({"x-amz-content-sha256", std::string(word)});
    head.headers.push_back({"x-amz-date", "20130524T000000Z"});
    head.headers.push_back({"Authorization",
                            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                            "SignedHeaders=" +
                                std::string(signed_headers) + ",Signature=" + std::string(signature)});
    return head;
}

Head get_example() {
    return example("GET", "/test.txt", "host;range;x-amz-content-sha256;x-amz-date",
                   "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41", {{"Range", "bytes=0-9"}});
}

std::string code_of(const Head& head, const AuthRules& rules) {
    const auto who = authenticate(head, rules);
    const auto* error = std::get_if<S3Error>(&who);
    return error == nullptr ? "" : error->code;
}

const std::string presigned =
    "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2F"
    "aws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=";
const std::string presigned_signature = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";

}  // namespace

TEST_SUITE("lab/auth") {
    TEST_CASE("the published S3 examples are accepted") {
        const Head put =
            example("PUT", "/test%24file.text", "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
                    {{"Date", "Fri, 24 May 2013 00:00:00 GMT"}, {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                    "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
        const Head bare = example("GET", "/?lifecycle", "host;x-amz-content-sha256;x-amz-date",
                                  "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
        const Head list = example("GET", "/?prefix=J&max-keys=2", "host;x-amz-content-sha256;x-amz-date",
                                  "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
        for (const Head& head : {get_example(), put, bare, list}) {
            CAPTURE(head.target);
            CHECK(code_of(head, example_rules()) == "");
        }
    }

    TEST_CASE("a presigned URL is good until it expires") {
        const Head head{
            "GET", presigned + presigned_signature, "HTTP/1.1", {{"Host", "examplebucket.s3.amazonaws.com"}}};
        AuthRules rules = example_rules();
        CHECK(code_of(head, rules) == "");
        rules.now += 86'400;
        CHECK(code_of(head, rules) == "");
        rules.now += 1;
        CHECK(code_of(head, rules) == "AccessDenied");
        Head tampered = head;
        tampered.target.replace(tampered.target.find("86400"), 5, "86401");
        CHECK(code_of(tampered, example_rules()) == "SignatureDoesNotMatch");
        Head too_long = head;
        too_long.target.replace(too_long.target.find("86400"), 5, "604801");
        CHECK(code_of(too_long, example_rules()) == "AuthorizationQueryParametersError");
    }

    TEST_CASE("each thing that is wrong has its own code") {
        struct Row {
            const char* what;
            void (*spoil)(Head&, AuthRules&);
            const char* code;
        };
        for (const Row row : {
                 Row{"another range", [](Head&h, AuthRules&) { h.headers[0].value = "bytes=0-8"; },
                     "SignatureDoesNotMatch"},
                 Row{"another path", [](Head&h, AuthRules&) { h.target = "/test.tx"; }, "SignatureDoesNotMatch"},
                 Row{"another query", [](Head&h, AuthRules&) { h.target += "?versionId=1"; }, "SignatureDoesNotMatch"},
                 Row{"another secret", [](Head&, AuthRules&r) { r.credentials[0].secret_key += "x"; },
                     "SignatureDoesNotMatch"},
                 Row{"an unknown key", [](Head&, AuthRules&r) { r.credentials[0].access_key += "x"; },
                     "InvalidAccessKeyId"},
                 Row{"16 minutes late", [](Head&, AuthRules&r) { r.now += 960; }, "RequestTimeTooSkewed"},
                 Row{"16 minutes early", [](Head&, AuthRules&r) { r.now -= 960; }, "RequestTimeTooSkewed"},
                 Row{"another region", [](Head&, AuthRules&r) { r.region = "eu-west-1"; },
                     "AuthorizationHeaderMalformed"},
                 Row{"an unsigned x-amz header",
                     [](Head&h, AuthRules&) {
                         h.headers.push_back({"x-amz-acl", "private"});
                     },
                     "AccessDenied"},
                 Row{"a token that is not due", [](Head&, AuthRules&r) { r.credentials[0].session_token = "t"; },
                     "InvalidToken"},
                 Row{"expired credentials", [](Head&, AuthRules&r) { r.credentials[0].expires = r.now; },
                     "ExpiredToken"},
                 Row{"nothing at all", [](Head&h, AuthRules&) { h.headers.pop_back(); }, "AccessDenied"},
                 Row{"an odd escape in the path", [](Head&h, AuthRules&) { h.target = "/test%2etxt"; }, "InvalidURI"},
                 Row{"a byte to be escaped", [](Head&h, AuthRules&) { h.target = "/te(st.txt"; }, "InvalidURI"},
                 Row{"a lower-case escape", [](Head&h, AuthRules&) { h.target = "/te%2fst.txt"; }, "InvalidURI"},
                 Row{"a plus in the query", [](Head&h, AuthRules&) { h.target += "?prefix=a+b"; }, "InvalidURI"},
             }) {
            CAPTURE(row.what);
            Head head = get_example();
            AuthRules rules = example_rules();
            row.spoil(head, rules);
            CHECK(code_of(head, rules) == row.code);
        }
    }

    TEST_CASE("a wrong region is told which one is right") {
        AuthRules rules = example_rules();
        rules.region = "eu-west-1";
        const auto who = authenticate(get_example(), rules);
        const S3Error& error = std::get<S3Error>(who);
        CHECK(*find_field(error.elements, "Region") == "eu-west-1");
        CHECK(*find_field(error.headers, "x-amz-bucket-region") == "eu-west-1");
    }

    TEST_CASE("a signature that does not match comes with what should have been signed") {
        Head head = get_example();
        head.headers[0].value = "bytes=0-8";
        const auto who = authenticate(head, example_rules());
        const S3Error& error = std::get<S3Error>(who);
        CHECK(find_field(error.elements, "CanonicalRequest")->starts_with("GET\n/test.txt\n\nhost:"));
        CHECK(find_field(error.elements, "StringToSign")->starts_with("AWS4-HMAC-SHA256\n20130524T000000Z\n"));
    }

    TEST_CASE("anonymous requests are let in only when that is switched on") {
        const Head head{"GET", "/b/k", "HTTP/1.1", {{"Host", "127.0.0.1"}}};
        AuthRules rules = example_rules();
        CHECK(code_of(head, rules) == "AccessDenied");
        rules.allow_anonymous = true;
        CHECK(code_of(head, rules) == "");
    }
}

TEST_SUITE("lab/aws_chunked") {
    TEST_CASE("the published chunked upload is accepted, and a damaged byte is not") {
        const Head head = example("PUT", "/examplebucket/chunkObject.txt",
                                  "content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-"
                                  "content-length;x-amz-storage-class",
                                  "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
                                  {{"Host", "s3.amazonaws.com"},
                                   {"Content-Encoding", "aws-chunked"},
                                   {"Content-Length", "66824"},
                                   {"x-amz-decoded-content-length", "66560"},
                                   {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                                  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
        const auto who = authenticate(head, example_rules());
        REQUIRE(std::holds_alternative<Identity>(who));
        std::string body =
            "10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n" +
            std::string(65'536, 'a') +
            "\r\n400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n" +
            std::string(1024, 'a') +
            "\r\n0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n";
        CHECK(body.size() == 66'824);
        const auto decode = [&](size_t step) {
            std::string payload;
            AwsChunked decoder(std::get<Identity>(who), [&](std::string_view bytes) { payload += bytes; });
            for (size_t at = 0; at < body.size(); at += step)
                if (const auto error = decoder.push(std::string_view(body).substr(at, step))) return error->code;
            if (const auto error = decoder.finish()) return error->code;
            return std::to_string(payload.size());
        };
        CHECK(decode(body.size()) == "66560");
        CHECK(decode(777) == "66560");
        body[1000] = 'b';
        CHECK(decode(body.size()) == "SignatureDoesNotMatch");
        body[1000] = 'a';
        body.resize(body.size() - 2);
        CHECK(decode(body.size()) == "IncompleteBody");
    }

    TEST_CASE("an unsigned trailer is taken apart") {
        Identity who;
        who.payload_word = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
        std::string payload;
        AwsChunked decoder(who, [&](std::string_view bytes) { payload += bytes; });
        CHECK_FALSE(decoder.push("5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n"));
        CHECK_FALSE(decoder.finish());
        CHECK(payload == "hello");
        CHECK(*find_field(decoder.trailers(), "x-amz-checksum-crc32") == "NhCmhg==");
    }
}

}  // namespace s3tug::lab
