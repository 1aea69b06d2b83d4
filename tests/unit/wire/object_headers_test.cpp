#include "wire/object_headers.h"

#include <doctest/doctest.h>

#include <string>

namespace s3tug::wire {

TEST_SUITE("wire/object_headers") {
    TEST_CASE("an ETag is taken for an MD5 only where S3 makes it one") {
        struct Row {
            std::string_view etag, encryption;
            std::optional<std::string> md5;
        };
        const std::string md5 = "da0d2e17cd5a8f14633c6b4aebad7e02";
        for (const Row& row :
             {Row{md5, "", md5}, Row{"DA0D2E17CD5A8F14633C6B4AEBAD7E02", "", md5}, Row{md5, "AES256", md5},
              Row{md5, "aws:kms", std::nullopt}, Row{md5, "aws:kms:dsse", std::nullopt},
              Row{md5, "SSE-C", std::nullopt}, Row{"da0d2e17cd5a8f14633c6b4aebad7e02-3", "", std::nullopt},
              Row{"da0d2e17cd5a8f14633c6b4aebad7e0", "", std::nullopt},
              Row{"ga0d2e17cd5a8f14633c6b4aebad7e02", "", std::nullopt}, Row{"", "", std::nullopt}}) {
            CAPTURE(row.etag);
            CAPTURE(row.encryption);
            ObjectFacts facts;
            facts.etag = row.etag;
            facts.server_side_encryption = row.encryption;
            CHECK(etag_as_md5(facts) == row.md5);
        }
    }

    TEST_CASE("properties that were not given add no header") {
        Headers headers;
        add_properties(headers, {});
        add_conditions(headers, {});
        CHECK(headers.empty());
    }

    TEST_CASE("properties become the headers of the same meaning") {
        ObjectProperties properties;
        properties.content_type = "text/plain";
        properties.cache_control = "max-age=1";
        properties.content_encoding = "gzip";
        properties.content_disposition = "inline";
        properties.storage_class = "STANDARD_IA";
        properties.metadata = {{.name = "a", .value = "1"}, {.name = "b", .value = ""}};
        properties.extra = {{.name = "x-amz-acl", .value = "private"}, {.name = "content-type", .value = "text/x"}};
        Headers headers;
        add_properties(headers, properties);
        CHECK(headers.size() == 8);
        CHECK(headers.find("cache-control") == "max-age=1");
        CHECK(headers.find("content-encoding") == "gzip");
        CHECK(headers.find("content-disposition") == "inline");
        CHECK(headers.find("x-amz-storage-class") == "STANDARD_IA");
        CHECK(headers.find("x-amz-meta-a") == "1");
        CHECK(headers.find("x-amz-meta-b") == "");
        CHECK(headers.find("x-amz-acl") == "private");
        CHECK_MESSAGE(headers.find("content-type") == "text/x", "a header that the user typed wins");
    }

    TEST_CASE("conditions are sent as the RFC writes them") {
        Headers headers;
        add_conditions(headers, {.if_none_match_any = true, .if_match = {}});
        CHECK(headers.find("if-none-match") == "*");
        CHECK(!headers.find("if-match").has_value());
        for (const std::string_view typed : {"abc", "\"abc\""}) {
            Headers matching;
            add_conditions(matching, {.if_none_match_any = false, .if_match = std::string(typed)});
            CHECK(matching.find("if-match") == "\"abc\"");
            CHECK(matching.size() == 1);
        }
    }

    TEST_CASE("a copy source is encoded once and its version is no part of the key") {
        struct Row {
            S3Uri source;
            std::string_view version, value;
        };
        for (const Row& row :
             {Row{{.bucket = "bucket", .key = "a/b"}, "", "/bucket/a/b"},
              Row{{.bucket = "bucket", .key = "a b+c%20?versionId=x"}, "", "/bucket/a%20b%2Bc%2520%3FversionId%3Dx"},
              Row{{.bucket = "bucket", .key = "\xc3\xa9"}, "v+/=1", "/bucket/%C3%A9?versionId=v%2B%2F%3D1"},
              Row{{.bucket = "bucket", .key = "/../x//"}, "null", "/bucket//../x//?versionId=null"}}) {
            CAPTURE(row.source.key);
            CHECK(copy_source(row.source, row.version) == row.value);
        }
    }
}

}  // namespace s3tug::wire
