#include "wire/object_requests.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace s3tug::wire {

namespace {

/// All header lines as "name: value", sorted, so that one comparison shows what is missing or too much.
std::string lines_of(const Request& request) {
    std::vector<std::string> lines;
    for (const Header& line : request.headers) lines.push_back(line.name + ": " + line.value + "\n");
    std::ranges::sort(lines);
    std::string all;
    for (const std::string& line : lines) all += line;
    return all;
}

const S3Uri target{.bucket = "bucket", .key = "a b"};

}  // namespace

TEST_SUITE("wire/object_requests") {
    TEST_CASE("a put carries properties, conditions, checksum and token") {
        PutObjectInput input;
        input.target = target;
        input.size = 5;
        input.payload_word = unsigned_payload;
        input.properties.content_type = "text/plain";
        input.properties.metadata = {{.name = "k", .value = "v"}};
        input.conditions.if_none_match_any = true;
        input.checksum = Checksum{ChecksumAlgorithm::crc64nvme, "pRf+emrnL+A="};
        input.content_md5 = "2g0uF81ajxRjPGtK661+Ag==";
        input.write_token = "token";
        const Request request = put_object(input);
        CHECK(request.op == Op::put_object);
        CHECK(request.method == Method::put);
        CHECK(request.bucket == "bucket");
        CHECK(request.key == "a b");
        CHECK(request.query.empty());
        CHECK(request.has_body);
        CHECK(request.body_bytes == 5);
        CHECK(request.payload_word == "UNSIGNED-PAYLOAD");
        CHECK(lines_of(request) ==
              "content-md5: 2g0uF81ajxRjPGtK661+Ag==\n"
              "content-type: text/plain\n"
              "if-none-match: *\n"
              "x-amz-checksum-crc64nvme: pRf+emrnL+A=\n"
              "x-amz-meta-k: v\n"
              "x-amz-meta-s3tug-write: token\n"
              "x-amz-sdk-checksum-algorithm: CRC64NVME\n");
    }

    TEST_CASE("a bare put has no header of its own, and an empty body is a body") {
        PutObjectInput input;
        input.target = target;
        input.payload_word = empty_payload_sha256;
        const Request request = put_object(input);
        CHECK(request.headers.empty());
        CHECK(request.has_body);
        CHECK(request.body_bytes == 0);
        CHECK(request.payload_word == empty_payload_sha256);
    }

    TEST_CASE("the checksum header names its algorithm in upper case beside it") {
        struct Row {
            ChecksumAlgorithm algorithm;
            std::string_view header, upper;
        };
        for (const Row& row : {Row{ChecksumAlgorithm::crc32, "x-amz-checksum-crc32", "CRC32"},
                               Row{ChecksumAlgorithm::crc32c, "x-amz-checksum-crc32c", "CRC32C"},
                               Row{ChecksumAlgorithm::sha1, "x-amz-checksum-sha1", "SHA1"},
                               Row{ChecksumAlgorithm::sha256, "x-amz-checksum-sha256", "SHA256"}}) {
            PutObjectInput input;
            input.checksum = Checksum{row.algorithm, "eA=="};
            const Request request = put_object(input);
            CHECK(request.headers.find(row.header) == "eA==");
            CHECK(request.headers.find("x-amz-sdk-checksum-algorithm") == row.upper);
        }
    }

    TEST_CASE("a get asks for checksums, pins its object and bounds its range") {
        GetObjectInput input;
        input.source = target;
        const Request plain = get_object(input);
        CHECK(plain.op == Op::get_object);
        CHECK(plain.method == Method::get);
        CHECK(!plain.has_body);
        CHECK(plain.payload_word == empty_payload_sha256);
        CHECK(lines_of(plain) == "x-amz-checksum-mode: ENABLED\n");

        input.version_id = "v1";
        input.if_match = "abc";
        input.range_first = 10;
        input.extra = {{.name = "x-amz-request-payer", .value = "requester"}};
        const Request open_ended = get_object(input);
        REQUIRE(open_ended.query.size() == 1);
        CHECK(open_ended.query[0].name == "versionId");
        CHECK(open_ended.query[0].value == "v1");
        CHECK(lines_of(open_ended) ==
              "if-match: \"abc\"\nrange: bytes=10-\nx-amz-checksum-mode: ENABLED\nx-amz-request-payer: requester\n");

        input.range_last = 19;
        CHECK(get_object(input).headers.find("range") == "bytes=10-19");
        input.range_first.reset();
        CHECK(!get_object(input).headers.find("range").has_value());
    }

    TEST_CASE("a head asks for the same facts as a get") {
        HeadObjectInput input;
        input.target = target;
        input.version_id = "v1";
        const Request request = head_object(input);
        CHECK(request.op == Op::head_object);
        CHECK(request.method == Method::head);
        CHECK(request.query.size() == 1);
        CHECK(lines_of(request) == "x-amz-checksum-mode: ENABLED\n");
    }

    TEST_CASE("a head of one part names it and the object that is meant") {
        HeadObjectInput input;
        input.target = target;
        input.part_number = 12;
        input.if_match = "abc-20";
        const Request request = head_object(input);
        REQUIRE(request.query.size() == 1);
        CHECK(request.query[0].name == "partNumber");
        CHECK(request.query[0].value == "12");
        CHECK(request.headers.find("if-match") == "\"abc-20\"");
    }

    TEST_CASE("a delete carries its condition and version") {
        DeleteObjectInput input;
        input.target = target;
        CHECK(delete_object(input).headers.empty());
        CHECK(delete_object(input).query.empty());
        input.version_id = "v/1";
        input.if_match = "\"abc\"";
        const Request request = delete_object(input);
        CHECK(request.op == Op::delete_object);
        CHECK(request.method == Method::del);
        REQUIRE(request.query.size() == 1);
        CHECK_MESSAGE(request.query[0].value == "v/1", "raw: encoded when signed");
        CHECK(lines_of(request) == "if-match: \"abc\"\n");
    }

    TEST_CASE("a copy keeps what the source has, unless properties were given") {
        CopyObjectInput input;
        input.source = {.bucket = "from", .key = "x y"};
        input.source_version_id = "v1";
        input.source_if_match = "abc";
        input.target = target;
        input.properties.content_type = "text/plain";
        input.properties.storage_class = "STANDARD_IA";
        input.properties.metadata = {{.name = "k", .value = "v"}};
        input.properties.extra = {{.name = "x-amz-acl", .value = "private"}};
        input.conditions.if_match = "def";
        input.write_token = "token";
        const Request kept = copy_object(input);
        CHECK(kept.op == Op::copy_object);
        CHECK(kept.method == Method::put);
        CHECK(kept.bucket == "bucket");
        CHECK(!kept.has_body);
        CHECK(kept.payload_word == empty_payload_sha256);
        CHECK(lines_of(kept) ==
              "if-match: \"def\"\n"
              "x-amz-acl: private\n"
              "x-amz-copy-source-if-match: \"abc\"\n"
              "x-amz-copy-source: /from/x%20y?versionId=v1\n"
              "x-amz-metadata-directive: COPY\n"
              "x-amz-storage-class: STANDARD_IA\n");

        input.replace_metadata = true;
        CHECK(lines_of(copy_object(input)) ==
              "content-type: text/plain\n"
              "if-match: \"def\"\n"
              "x-amz-acl: private\n"
              "x-amz-copy-source-if-match: \"abc\"\n"
              "x-amz-copy-source: /from/x%20y?versionId=v1\n"
              "x-amz-meta-k: v\n"
              "x-amz-meta-s3tug-write: token\n"
              "x-amz-metadata-directive: REPLACE\n"
              "x-amz-storage-class: STANDARD_IA\n");
    }

    TEST_CASE("what makes a request safe cannot be replaced by a header of the user") {
        PutObjectInput input;
        input.properties.extra = {{.name = "x-amz-meta-s3tug-write", .value = "mine"},
                                  {.name = "if-none-match", .value = "x"}};
        input.conditions.if_none_match_any = true;
        input.write_token = "token";
        const Request request = put_object(input);
        CHECK(request.headers.find("x-amz-meta-s3tug-write") == "token");
        CHECK(request.headers.find("if-none-match") == "*");
        CHECK(request.headers.size() == 2);
    }

    TEST_CASE("a head of a bucket has no key") {
        const Request request = head_bucket("bucket");
        CHECK(request.op == Op::head_bucket);
        CHECK(request.method == Method::head);
        CHECK(request.bucket == "bucket");
        CHECK(request.key.empty());
        CHECK(request.headers.empty());
        CHECK(request.payload_word == empty_payload_sha256);
    }
}

}  // namespace s3tug::wire
