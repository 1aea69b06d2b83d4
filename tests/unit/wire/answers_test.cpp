#include "wire/answers.h"

#include <doctest/doctest.h>

#include <string>

namespace s3tug::wire {

namespace {

HttpAnswer body_of(int status, std::string body) {
    HttpAnswer answer;
    answer.status = status;
    answer.body = std::move(body);
    return answer;
}

const std::string copied =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<CopyObjectResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><LastModified>2026-11-29T21:01:30.000Z"
    "</LastModified><ETag>&quot;da0d2e17cd5a8f14633c6b4aebad7e02&quot;</ETag>"
    "<ChecksumType>FULL_OBJECT</ChecksumType><ChecksumCRC64NVME>pRf+emrnL+A=</ChecksumCRC64NVME></CopyObjectResult>";

}  // namespace

TEST_SUITE("wire/answers") {
    TEST_CASE("the result of a put is in its headers") {
        HttpAnswer answer = body_of(200, "");
        answer.headers.add("ETag", "\"da0d2e17cd5a8f14633c6b4aebad7e02\"");
        answer.headers.add("x-amz-version-id", "v1");
        answer.headers.add("x-amz-checksum-crc64nvme", "pRf+emrnL+A=");
        const WriteResult result = parse_put_object(answer);
        CHECK(result.etag == "da0d2e17cd5a8f14633c6b4aebad7e02");
        CHECK(result.version_id == "v1");
        REQUIRE(result.checksums.size() == 1);
        CHECK(result.checksums[0].value.base64 == "pRf+emrnL+A=");

        const WriteResult bare = parse_put_object(body_of(200, ""));
        CHECK(bare.etag.empty());
        CHECK(bare.version_id.empty());
        CHECK(bare.checksums.empty());
    }

    TEST_CASE("a copy is a success only with its result element and an ETag") {
        HttpAnswer answer = body_of(200, copied);
        answer.headers.add("x-amz-version-id", "v1");
        const Result<WriteResult> result = parse_copy_object(answer);
        REQUIRE(result.ok());
        CHECK(result->etag == "da0d2e17cd5a8f14633c6b4aebad7e02");
        CHECK(result->version_id == "v1");
        REQUIRE(result->checksums.size() == 1);
        CHECK(result->checksums[0].value == Checksum{ChecksumAlgorithm::crc64nvme, "pRf+emrnL+A="});
        CHECK(result->checksums[0].scope == ChecksumScope::full_object);
    }

    TEST_CASE("other spellings of a copy's result are taken") {
        for (const std::string_view body :
             {"<CopyObjectResult><ETag>abc</ETag></CopyObjectResult>",
              "<CopyObjectResult><ETag>\"abc\"</ETag></CopyObjectResult>",
              "<s3:CopyObjectResult xmlns:s3='x'><s3:ETag>abc</s3:ETag></s3:CopyObjectResult>",
              "  \n \n<?xml version='1.0'?><CopyObjectResult><ETag> abc\n</ETag></CopyObjectResult>\n",
              "\xEF\xBB\xBF<CopyObjectResult><ETag>abc</ETag></CopyObjectResult>",
              "<CopyObjectResult><ETag><![CDATA[\"abc\"]]></ETag></CopyObjectResult>"}) {
            CAPTURE(body);
            const Result<WriteResult> result = parse_copy_object(body_of(200, std::string(body)));
            REQUIRE(result.ok());
            CHECK(result->etag == "abc");
        }
    }

    TEST_CASE("a 200 without the result of a copy is an unknown outcome and says what came instead") {
        struct Row {
            std::string_view body, words;
        };
        for (const Row row :
             {Row{"", "an empty body"}, Row{"  \n  ", "an empty body"},
              Row{"<Error><Code>InternalError</Code></Error>", "the error InternalError"},
              Row{"<?xml version=\"1.0\"?>\n", "a body that is cut off"},
              Row{"<CopyObjectResult></CopyObjectResult>", "<CopyObjectResult> without an ETag"},
              Row{"<CopyObjectResult><ETag/></CopyObjectResult>", "<CopyObjectResult> without an ETag"},
              Row{"<CopyObjectResult><ETag>\"\"</ETag></CopyObjectResult>", "<CopyObjectResult> without an ETag"},
              Row{"<Other><ETag>abc</ETag></Other>", "<Other> without an ETag"},
              Row{"<Wrap><CopyObjectResult><ETag>abc</ETag></CopyObjectResult></Wrap>", "<Wrap> without an ETag"},
              Row{"<html><body>hi</body></html>", "an HTML page"}, Row{"OK", "no XML"}, Row{"{}", "no XML"}}) {
            CAPTURE(row.body);
            const Result<WriteResult> result = parse_copy_object(body_of(200, std::string(row.body)));
            REQUIRE(!result.ok());
            CHECK(result.error().kind == ErrorKind::refused);
            CHECK(result.error().message.find(row.words) != std::string::npos);
            CHECK(result.error().message.find("not known") != std::string::npos);
        }
    }

    TEST_CASE("a result that is cut at any byte is no success") {
        for (std::size_t cut = 0; cut < copied.size(); ++cut) {
            CAPTURE(cut);
            CHECK(!parse_copy_object(body_of(200, copied.substr(0, cut))).ok());
        }
        HttpAnswer truncated = body_of(200, copied);
        truncated.body_truncated = true;
        CHECK(!parse_copy_object(truncated).ok());
    }

    TEST_CASE("a result with any byte replaced is a result or an error, on one line") {
        for (std::size_t at = 0; at < copied.size(); ++at) {
            for (const int byte : {0, 1, 10, 34, 38, 47, 60, 62, 127, 128, 255}) {
                std::string body = copied;
                body[at] = static_cast<char>(byte);
                const Result<WriteResult> result = parse_copy_object(body_of(200, body));
                if (!result) CHECK(result.error().message.find('\n') == std::string::npos);
            }
        }
    }

    TEST_CASE("a delete tells its marker and version") {
        HttpAnswer answer = body_of(204, "");
        CHECK(!parse_delete_object(answer).delete_marker);
        CHECK(parse_delete_object(answer).version_id.empty());
        answer.headers.add("x-amz-delete-marker", "true");
        answer.headers.add("x-amz-version-id", "v1");
        CHECK(parse_delete_object(answer).delete_marker);
        CHECK(parse_delete_object(answer).version_id == "v1");
    }
}

}  // namespace s3tug::wire
