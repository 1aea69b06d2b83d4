#include "wire/multipart_requests.h"

#include <doctest/doctest.h>

#include "base/limits.h"
#include "unit/wire/request_lines.h"

namespace s3tug::wire {

namespace {

using test::head_of;
using test::lines_of;

const S3Uri target{.bucket = "bucket", .key = "a b"};
const std::string id = "2~ab/+=";

const std::vector<Header> extra = {
    {.name = "x-amz-server-side-encryption-customer-key", .value = "k"},
    {.name = "x-amz-server-side-encryption", .value = "aws:kms"},
    {.name = "x-amz-request-payer", .value = "requester"},
    {.name = "x-amz-acl", .value = "private"},
    {.name = "x-amz-copy-source-server-side-encryption-customer-key", .value = "s"},
    {.name = "content-language", .value = "de"},
    {.name = "cache-control", .value = "no-store"},
    {.name = "x-gateway", .value = "g"},
};

}  // namespace

TEST_SUITE("wire/multipart_requests") {
    TEST_CASE("Create carries what describes the object, the kind of checksum and the token, and a length of 0") {
        CreateMultipartUploadInput input;
        input.target = target;
        input.properties.content_type = "text/plain";
        input.properties.metadata = {{.name = "k", .value = "v"}};
        input.properties.extra = extra;
        input.checksum = ChecksumAlgorithm::crc64nvme;
        input.write_token = "token";
        const Request request = create_multipart_upload(input);
        CHECK(request.op == Op::create_multipart_upload);
        CHECK(head_of(request) == "POST bucket/a b?uploads=");
        CHECK(request.has_body);
        CHECK(request.body_bytes == 0);
        CHECK(request.payload_word == empty_payload_sha256);
        CHECK(lines_of(request) ==
              "cache-control: no-store\n"
              "content-language: de\n"
              "content-type: text/plain\n"
              "x-amz-acl: private\n"
              "x-amz-checksum-algorithm: CRC64NVME\n"
              "x-amz-checksum-type: FULL_OBJECT\n"
              "x-amz-meta-k: v\n"
              "x-amz-meta-s3tug-write: token\n"
              "x-amz-request-payer: requester\n"
              "x-amz-server-side-encryption-customer-key: k\n"
              "x-amz-server-side-encryption: aws:kms\n"
              "x-gateway: g\n");

        CHECK(lines_of(create_multipart_upload({})).empty());
    }

    TEST_CASE(
        "the CRCs make one value of the whole object, the others one of the parts, unless the store wants it so") {
        struct Row {
            ChecksumAlgorithm algorithm;
            std::optional<ChecksumScope> scope;
            std::string_view name, type;
        };
        for (const Row& row : {Row{ChecksumAlgorithm::crc64nvme, {}, "CRC64NVME", "FULL_OBJECT"},
                               Row{ChecksumAlgorithm::crc32, {}, "CRC32", "FULL_OBJECT"},
                               Row{ChecksumAlgorithm::crc32c, {}, "CRC32C", "FULL_OBJECT"},
                               Row{ChecksumAlgorithm::sha1, {}, "SHA1", "COMPOSITE"},
                               Row{ChecksumAlgorithm::sha256, {}, "SHA256", "COMPOSITE"},
                               Row{ChecksumAlgorithm::crc32, ChecksumScope::composite, "CRC32", "COMPOSITE"}}) {
            CAPTURE(row.name);
            CreateMultipartUploadInput input;
            input.checksum = row.algorithm;
            input.scope = row.scope;
            const Request request = create_multipart_upload(input);
            CHECK(request.headers.find("x-amz-checksum-algorithm") == row.name);
            CHECK(request.headers.find("x-amz-checksum-type") == row.type);
        }
    }

    TEST_CASE("a part names its number and upload, and carries its own checksum and what every request needs") {
        UploadPartInput input;
        input.target = target;
        input.upload_id = id;
        input.number = 10'000;
        input.size = 5;
        input.payload_word = unsigned_payload;
        input.checksum = Checksum{ChecksumAlgorithm::crc64nvme, "pRf+emrnL+A="};
        input.content_md5 = "2g0uF81ajxRjPGtK661+Ag==";
        input.extra = extra;
        const Request request = upload_part(input);
        CHECK(request.op == Op::upload_part);
        CHECK(head_of(request) == "PUT bucket/a b?partNumber=10000&uploadId=2~ab%2F%2B%3D");
        CHECK(request.has_body);
        CHECK(request.body_bytes == 5);
        CHECK(request.payload_word == unsigned_payload);
        CHECK(lines_of(request) ==
              "content-md5: 2g0uF81ajxRjPGtK661+Ag==\n"
              "x-amz-checksum-crc64nvme: pRf+emrnL+A=\n"
              "x-amz-request-payer: requester\n"
              "x-amz-sdk-checksum-algorithm: CRC64NVME\n"
              "x-amz-server-side-encryption-customer-key: k\n"
              "x-gateway: g\n");
    }

    TEST_CASE("a copied part names its range of a source that is pinned") {
        UploadPartCopyInput input;
        input.target = target;
        input.upload_id = id;
        input.number = 2;
        input.source = {.bucket = "from", .key = "x y/+"};
        input.source_version_id = "v1";
        input.source_if_match = "\"abc-2\"";
        input.first = 5'368'709'120;
        input.last = 5'368'709'121;
        input.extra = extra;
        const Request request = upload_part_copy(input);
        CHECK(request.op == Op::upload_part_copy);
        CHECK(head_of(request) == "PUT bucket/a b?partNumber=2&uploadId=2~ab%2F%2B%3D");
        CHECK_FALSE(request.has_body);
        CHECK(request.payload_word == empty_payload_sha256);
        CHECK(lines_of(request) ==
              "x-amz-copy-source-if-match: \"abc-2\"\n"
              "x-amz-copy-source-range: bytes=5368709120-5368709121\n"
              "x-amz-copy-source-server-side-encryption-customer-key: s\n"
              "x-amz-copy-source: /from/x%20y/%2B?versionId=v1\n"
              "x-amz-request-payer: requester\n"
              "x-amz-server-side-encryption-customer-key: k\n"
              "x-gateway: g\n");

        input.source_if_match.clear();
        CHECK_FALSE(upload_part_copy(input).headers.find("x-amz-copy-source-if-match"));
    }

    TEST_CASE("Complete carries the parts, the whole object's checksum and size, and the conditions") {
        CompleteMultipartUploadInput input;
        input.target = target;
        input.upload_id = id;
        input.parts = {{1, "b8fc857a25e7958868c2f003d5e0952d", Checksum{ChecksumAlgorithm::crc64nvme, "pRf+emrnL+A="}},
                       {10'000, "\"a&b\"", std::nullopt}};
        input.checksum = StoredChecksum{.value = {ChecksumAlgorithm::crc64nvme, "jSnVw/bqjr4="}};
        input.object_size = 5'242'881;
        input.conditions.if_none_match_any = true;
        input.extra = extra;
        const Request request = complete_multipart_upload(input);
        CHECK(request.op == Op::complete_multipart_upload);
        CHECK(head_of(request) == "POST bucket/a b?uploadId=2~ab%2F%2B%3D");
        CHECK(request.body ==
              "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
              "<Part><PartNumber>1</PartNumber><ETag>&quot;b8fc857a25e7958868c2f003d5e0952d&quot;</ETag>"
              "<ChecksumCRC64NVME>pRf+emrnL+A=</ChecksumCRC64NVME></Part>"
              "<Part><PartNumber>10000</PartNumber><ETag>&quot;a&amp;b&quot;</ETag></Part>"
              "</CompleteMultipartUpload>");
        CHECK(request.has_body);
        CHECK(request.body_bytes == 321);
        // sha256sum of the text above.
        CHECK(request.payload_word == "38a20a4fd3363f3cb569988864aac8c117f7913c438d05a3a02f51c4360e34f4");
        CHECK(lines_of(request) ==
              "content-type: application/xml\n"
              "if-none-match: *\n"
              "x-amz-checksum-crc64nvme: jSnVw/bqjr4=\n"
              "x-amz-checksum-type: FULL_OBJECT\n"
              "x-amz-mp-object-size: 5242881\n"
              "x-amz-request-payer: requester\n"
              "x-amz-server-side-encryption-customer-key: k\n"
              "x-gateway: g\n");
    }

    TEST_CASE("a composite checksum names the number of parts, and If-Match stands in quotes") {
        CompleteMultipartUploadInput input;
        input.parts = {{1, "a", {}}, {2, "b", {}}, {3, "c", {}}};
        input.checksum =
            StoredChecksum{.value = {ChecksumAlgorithm::sha256, "AAAA"}, .scope = ChecksumScope::composite};
        input.conditions.if_match = "abc";
        const Request request = complete_multipart_upload(input);
        CHECK(request.headers.find("x-amz-checksum-sha256") == "AAAA-3");
        CHECK(request.headers.find("x-amz-checksum-type") == "COMPOSITE");
        CHECK(request.headers.find("if-match") == "\"abc\"");
    }

    TEST_CASE("10,000 parts make a body of less than 2.5 MB") {
        CompleteMultipartUploadInput input;
        for (unsigned n = 1; n <= limits::parts_max; ++n) {
            input.parts.push_back({n, std::string(32, 'e'), Checksum{ChecksumAlgorithm::sha256, std::string(44, 'c')}});
        }
        const Request request = complete_multipart_upload(input);
        CHECK(request.body_bytes == request.body.size());
        CHECK(request.body.size() < 2'500'000);
    }

    TEST_CASE("Abort names the upload") {
        const Request request = abort_multipart_upload({target, id, extra});
        CHECK(request.op == Op::abort_multipart_upload);
        CHECK(head_of(request) == "DELETE bucket/a b?uploadId=2~ab%2F%2B%3D");
        CHECK_FALSE(request.has_body);
        CHECK(lines_of(request) ==
              "x-amz-request-payer: requester\n"
              "x-amz-server-side-encryption-customer-key: k\n"
              "x-gateway: g\n");
    }
}

}  // namespace s3tug::wire
