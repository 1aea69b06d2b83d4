#include "wire/multipart_answers.h"

#include <doctest/doctest.h>

#include "base/limits.h"
#include "unit/wire/answer_of.h"

namespace s3tug::wire {

namespace {

using test::answer_of;

// As AWS documents it, with the entities that RGW 16 sends.
constexpr std::string_view completed =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<CompleteMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
    "<Location>http://bucket.s3.amazonaws.com/key</Location><Bucket>bucket</Bucket><Key>key</Key>"
    "<ETag>&quot;f508fb2124051f6498dc6fd2018a7c29-2&quot;</ETag><ChecksumCRC64NVME>pRf+emrnL+A=</ChecksumCRC64NVME>"
    "<ChecksumType>FULL_OBJECT</ChecksumType></CompleteMultipartUploadResult>";

}  // namespace

TEST_SUITE("wire/multipart_answers") {
    TEST_CASE("Create gives the upload id and what the store understood of the checksum") {
        const HttpAnswer answer =
            answer_of(200,
                      "<InitiateMultipartUploadResult xmlns=\"x\"><Bucket>b</Bucket><Key>m+p u"
                      "</Key><UploadId>2~arWVLFVDxK8PQOvpesH1x7Bs3ToKh0n</UploadId>"
                      "</InitiateMultipartUploadResult>",
                      {{"x-amz-checksum-algorithm", "CRC64NVME"}, {"x-amz-checksum-type", "FULL_OBJECT"}});
        const Result<CreatedUpload> created = parse_create_multipart_upload(answer);
        REQUIRE(created.ok());
        CHECK(created->upload_id == "2~arWVLFVDxK8PQOvpesH1x7Bs3ToKh0n");
        CHECK(created->checksum == ChecksumAlgorithm::crc64nvme);
        CHECK(created->scope == ChecksumScope::full_object);

        const Result<CreatedUpload> silent = parse_create_multipart_upload(answer_of(
            200, "<InitiateMultipartUploadResult><UploadId> id\n</UploadId></InitiateMultipartUploadResult>"));
        REQUIRE(silent.ok());
        CHECK(silent->upload_id == "id");
        CHECK(!silent->checksum);
        CHECK(!silent->scope);
    }

    TEST_CASE("Create without a usable id is refused and may have made an upload") {
        const std::string too_long(limits::upload_id_max_bytes + 1, 'i');
        for (const std::string& body :
             {std::string(), std::string("<InitiateMultipartUploadResult/>"),
              std::string("<InitiateMultipartUploadResult><UploadId/></InitiateMultipartUploadResult>"),
              std::string("<Other><UploadId>id</UploadId></Other>"),
              "<InitiateMultipartUploadResult><UploadId>" + too_long + "</UploadId></InitiateMultipartUploadResult>"}) {
            const Result<CreatedUpload> created = parse_create_multipart_upload(answer_of(200, body));
            REQUIRE(!created.ok());
            CHECK(created.error().kind == ErrorKind::refused);
            CHECK(created.error().message.find("CreateMultipartUpload") != std::string::npos);
            CHECK(created.error().message.find("not known") != std::string::npos);
        }
    }

    TEST_CASE("a part's result is in its headers, and needs an ETag") {
        const Result<PartResult> part = parse_upload_part(answer_of(
            200, "", {{"ETag", "\"b8fc857a25e7958868c2f003d5e0952d\""}, {"x-amz-checksum-crc32", "AAAAAA=="}}));
        REQUIRE(part.ok());
        CHECK(part->etag == "b8fc857a25e7958868c2f003d5e0952d");
        REQUIRE(part->checksums.size() == 1);
        CHECK(part->checksums[0].value == Checksum{ChecksumAlgorithm::crc32, "AAAAAA=="});
        CHECK(!parse_upload_part(answer_of(200, "")).ok());
        CHECK(!parse_upload_part(answer_of(200, "", {{"ETag", "\"\""}})).ok());
    }

    TEST_CASE("a copied part's result is in its body") {
        // RGW 16 sends the ETag without quotes, Swift and moto with them.
        for (const std::string_view etag : {"5d41402abc4b2a76b9719d911017c592", "\"5d41402abc4b2a76b9719d911017c592\"",
                                            "&quot;5d41402abc4b2a76b9719d911017c592&quot;"}) {
            const std::string body =
                "   \n<CopyPartResult xmlns=\"x\"><LastModified>2026-11-29T21:54:15.000Z"
                "</LastModified><ETag>" +
                std::string(etag) + "</ETag><ChecksumCRC32C>AAAAAA==</ChecksumCRC32C></CopyPartResult>";
            const Result<PartResult> part = parse_upload_part_copy(answer_of(200, body));
            REQUIRE(part.ok());
            CHECK(part->etag == "5d41402abc4b2a76b9719d911017c592");
            REQUIRE(part->checksums.size() == 1);
            CHECK(part->checksums[0].value == Checksum{ChecksumAlgorithm::crc32c, "AAAAAA=="});
        }
        for (const std::string_view body :
             {"", "<CopyPartResult/>", "<CopyObjectResult><ETag>a</ETag></CopyObjectResult>",
              "<Error><Code>InternalError</Code></Error>"}) {
            CHECK(!parse_upload_part_copy(answer_of(200, body)).ok());
        }
    }

    TEST_CASE("Complete is a success only with its result element and an ETag") {
        const Result<WriteResult> result =
            parse_complete_multipart_upload(answer_of(200, completed, {{"x-amz-version-id", "v1"}}));
        REQUIRE(result.ok());
        CHECK(result->etag == "f508fb2124051f6498dc6fd2018a7c29-2");
        CHECK(result->version_id == "v1");
        REQUIRE(result->checksums.size() == 1);
        CHECK(result->checksums[0].value == Checksum{ChecksumAlgorithm::crc64nvme, "pRf+emrnL+A="});
        CHECK(result->checksums[0].scope == ChecksumScope::full_object);
    }

    TEST_CASE("blanks that keep the connection alive, a composite checksum and moto's spelling are taken") {
        std::string body(limits::error_body_max_bytes + 10, ' ');
        body +=
            "\n<CompleteMultipartUploadResponse><ETag>\"abc-3\"</ETag>"
            "<ChecksumSHA256>47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=-3</ChecksumSHA256>"
            "</CompleteMultipartUploadResponse>  \n";
        const Result<WriteResult> result = parse_complete_multipart_upload(answer_of(200, body));
        REQUIRE(result.ok());
        CHECK(result->etag == "abc-3");
        REQUIRE(result->checksums.size() == 1);
        CHECK(result->checksums[0].scope == ChecksumScope::composite);
        CHECK(result->checksums[0].parts == 3);
    }

    TEST_CASE("RGW 16 completes with an empty ETag") {
        const Result<WriteResult> result = parse_complete_multipart_upload(answer_of(
            200,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><CompleteMultipartUploadResult "
            "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Location>localhost/b/k0</Location><Bucket>b</Bucket>"
            "<Key>k0</Key><ETag></ETag></CompleteMultipartUploadResult>"));
        REQUIRE(result.ok());
        CHECK(result->etag.empty());
        // But not with none at all.
        CHECK(!parse_complete_multipart_upload(
                   answer_of(200, "<CompleteMultipartUploadResult><Key>k0</Key></CompleteMultipartUploadResult>"))
                   .ok());
    }

    TEST_CASE("a 200 to Complete with anything else says what came instead, and that the outcome is not known") {
        struct Row {
            std::string_view body, words;
        };
        for (const Row& row :
             {Row{"", "an empty body"}, Row{"    \n    ", "an empty body"},
              Row{"    <Error><Code>InternalError</Code></Error>", "the error InternalError"},
              Row{"<?xml version=\"1.0\"?>\n   ", "a body that is cut off"},
              Row{"<CompleteMultipartUploadResult><ETag/></CompleteMultipartUploadResult>", "without an ETag"},
              Row{"<CompleteMultipartUpload><ETag>a</ETag></CompleteMultipartUpload>", "without an ETag"},
              Row{"<CopyObjectResult><ETag>a</ETag></CopyObjectResult>", "<CopyObjectResult> without an ETag"},
              Row{"<html>proxy</html>", "an HTML page"}}) {
            CAPTURE(row.body);
            const Result<WriteResult> result = parse_complete_multipart_upload(answer_of(200, row.body));
            REQUIRE(!result.ok());
            CHECK(result.error().kind == ErrorKind::refused);
            CHECK(result.error().message.find(row.words) != std::string::npos);
            CHECK(result.error().message.find("not known") != std::string::npos);
        }
    }

    TEST_CASE("a result that is cut is no success, and one with a damaged byte is a result or an error on one line") {
        test::for_each_damage(completed, [](const std::string& body, bool cut) {
            const Result<WriteResult> result = parse_complete_multipart_upload(answer_of(200, body));
            if (cut) CHECK(!result.ok());
            if (!result) CHECK(result.error().message.find('\n') == std::string::npos);
        });
        HttpAnswer truncated = answer_of(200, completed);
        truncated.body_truncated = true;
        CHECK(!parse_complete_multipart_upload(truncated).ok());
    }
}

}  // namespace s3tug::wire
