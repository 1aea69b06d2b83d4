#include "wire/uri.h"

#include <doctest/doctest.h>

#include <string>

namespace s3tug::wire {

TEST_SUITE("wire/uri") {
    TEST_CASE("bucket and key are taken as typed, nothing is decoded or normalised") {
        struct Row {
            std::string_view text, bucket, key;
        };
        for (const Row row :
             {Row{"s3://bucket", "bucket", ""}, Row{"s3://bucket/", "bucket", ""},
              Row{"s3://bucket/key", "bucket", "key"}, Row{"s3://bucket/a/b/", "bucket", "a/b/"},
              Row{"s3://bucket//k", "bucket", "/k"}, Row{"s3://bucket/a//b", "bucket", "a//b"},
              Row{"s3://bucket/../x/./y", "bucket", "../x/./y"}, Row{"s3://bucket/%20+", "bucket", "%20+"},
              Row{"s3://bucket/a?b=c#d&e", "bucket", "a?b=c#d&e"}, Row{"s3://bucket/s3://x", "bucket", "s3://x"},
              Row{"s3://b.u-c_K9/k", "b.u-c_K9", "k"}, Row{"s3://bucket/\xff\x01\n", "bucket", "\xff\x01\n"}}) {
            CAPTURE(row.text);
            const Result<S3Uri> uri = parse_s3_uri(row.text);
            REQUIRE(uri.ok());
            CHECK(uri->bucket == row.bucket);
            CHECK(uri->key == row.key);
        }
    }

    TEST_CASE("a NUL in a key is a byte like others") {
        const std::string text("s3://bucket/a\0b", 15);
        const Result<S3Uri> uri = parse_s3_uri(text);
        REQUIRE(uri.ok());
        CHECK(uri->key == std::string("a\0b", 3));
    }

    TEST_CASE("what is wrong is refused with the input, the reason and the right form") {
        struct Row {
            std::string text, reason;
        };
        for (const Row& row : {
                 Row{"", "not an s3:// address"},
                 Row{"bucket/key", "not an s3:// address"},
                 Row{"http://bucket/key", "not an s3:// address"},
                 Row{"S3://bucket/key", "lower-case"},
                 Row{"s3:/bucket/key", "two slashes"},
                 Row{"s3://", "bucket name is missing"},
                 Row{"s3:///key", "bucket name is missing"},
                 Row{"s3://ab/key", "at least 3"},
                 Row{"s3://../key", "at least 3"},
                 Row{"s3://" + std::string(256, 'b') + "/k", "at most 255 characters, this one has 256"},
                 Row{"s3://buc ket/k", "not ' '"},
                 Row{"s3://bucket:9000/k", "not ':'"},
                 Row{"s3://bucket?versionId=1", "not '?'"},
                 Row{"s3://buck\xc3\xa9t/k", "has only letters"},
                 Row{"s3://arn:aws:s3:eu-west-1:1:accesspoint/x", "alias"},
                 Row{"s3://bucket/" + std::string(1025, 'k'), "at most 1024 bytes, this one has 1025"},
             }) {
            CAPTURE(row.text);
            const Result<S3Uri> uri = parse_s3_uri(row.text);
            REQUIRE(!uri.ok());
            CHECK(uri.error().kind == ErrorKind::usage);
            CHECK(uri.error().message.find(row.reason) != std::string::npos);
            CHECK(uri.error().message.find("write s3://BUCKET/KEY") != std::string::npos);
            CHECK(uri.error().message.find(row.text.substr(0, 4)) != std::string::npos);
        }
    }

    TEST_CASE("the longest bucket and key are taken") {
        const std::string text = "s3://" + std::string(255, 'b') + "/" + std::string(1024, 'k');
        const Result<S3Uri> uri = parse_s3_uri(text);
        REQUIRE(uri.ok());
        CHECK(to_text(*uri) == text);
        CHECK(parse_s3_uri("s3://abc").ok());
    }

    TEST_CASE("whatever is meant as an s3 address is not taken for a local file") {
        CHECK(looks_like_s3_uri("s3://bucket/key"));
        CHECK(looks_like_s3_uri("S3://bucket/key"));
        CHECK(looks_like_s3_uri("s3:/bucket/key"));
        CHECK(!looks_like_s3_uri("s3"));
        CHECK(!looks_like_s3_uri("s3:"));
        CHECK(!looks_like_s3_uri("./s3://bucket"));
        CHECK(!looks_like_s3_uri(""));
    }

    TEST_CASE("text for people cannot break a line") {
        CHECK(to_text({.bucket = "bucket", .key = "a\nb"}) == "s3://bucket/a\\x0ab");
        CHECK(to_text({.bucket = "bucket", .key = ""}) == "s3://bucket/");
    }

    TEST_CASE("an empty key and a key that ends in a slash name folders") {
        CHECK(S3Uri{.bucket = "b", .key = ""}.names_folder());
        CHECK(S3Uri{.bucket = "b", .key = "a/"}.names_folder());
        CHECK(!S3Uri{.bucket = "b", .key = "a"}.names_folder());
    }
}

}  // namespace s3tug::wire
