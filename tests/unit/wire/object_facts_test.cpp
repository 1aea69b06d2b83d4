#include <doctest/doctest.h>

#include <string>

#include "wire/object_headers.h"

namespace s3tug::wire {

namespace {

HttpAnswer answer_of(int status, std::initializer_list<Header> lines) {
    HttpAnswer answer;
    answer.status = status;
    for (const Header& line : lines) answer.headers.add(line.name, line.value);
    return answer;
}

}  // namespace

// Checksums are those of 66560 times `a` (facts/sigv4.md, section 3).
TEST_SUITE("wire/object_facts") {
    TEST_CASE("all that a HEAD of AWS says is read") {
        const ObjectFacts facts =
            parse_object_facts(answer_of(200, {{"Content-Length", "66560"},
                                               {"ETag", "\"da0d2e17cd5a8f14633c6b4aebad7e02\""},
                                               {"Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"},
                                               {"Date", "Sun, 29 Nov 2026 21:01:30 GMT"},
                                               {"Content-Type", "text/plain"},
                                               {"x-amz-version-id", "3HL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY"},
                                               {"x-amz-meta-S3tug-Write", "0123456789abcdef"},
                                               {"x-amz-meta-Build", "42"},
                                               {"x-amz-meta-empty", ""},
                                               {"Cache-Control", "no-store"},
                                               {"Content-Encoding", "gzip"},
                                               {"Content-Disposition", "attachment"},
                                               {"x-amz-storage-class", "STANDARD_IA"},
                                               {"x-amz-server-side-encryption", "AES256"},
                                               {"x-amz-checksum-crc64nvme", "pRf+emrnL+A="},
                                               {"x-amz-checksum-type", "FULL_OBJECT"}}));
        CHECK(facts.size == 66560U);
        CHECK(facts.etag == "da0d2e17cd5a8f14633c6b4aebad7e02");
        CHECK(to_unix_seconds(*facts.last_modified) == 784111777);
        CHECK(to_unix_seconds(*facts.server_date) == 1795986090);
        CHECK(facts.content_type == "text/plain");
        CHECK(facts.version_id == "3HL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY");
        CHECK(facts.write_token == "0123456789abcdef");
        REQUIRE(facts.metadata.size() == 2);
        CHECK(facts.metadata[0] == Header{.name = "build", .value = "42"});
        CHECK(facts.metadata[1] == Header{.name = "empty", .value = ""});
        CHECK(facts.cache_control == "no-store");
        CHECK(facts.content_encoding == "gzip");
        CHECK(facts.content_disposition == "attachment");
        CHECK(facts.storage_class == "STANDARD_IA");
        CHECK(facts.server_side_encryption == "AES256");
        REQUIRE(facts.checksums.size() == 1);
        CHECK(facts.checksums[0].value == Checksum{ChecksumAlgorithm::crc64nvme, "pRf+emrnL+A="});
        CHECK(facts.checksums[0].scope == ChecksumScope::full_object);
        CHECK(!facts.delete_marker);
    }

    TEST_CASE("the size is that of the whole object, never that of a part or of an error document") {
        CHECK(parse_object_facts(answer_of(206, {{"content-length", "10"}, {"content-range", "bytes 0-9/100"}})).size ==
              100U);
        CHECK(!parse_object_facts(answer_of(206, {{"content-length", "10"}, {"content-range", "bytes 0-9/*"}})).size);
        CHECK(!parse_object_facts(answer_of(206, {{"content-length", "10"}})).size);
        CHECK(parse_object_facts(answer_of(416, {{"content-length", "234"}, {"content-range", "bytes */0"}})).size ==
              0U);
        CHECK(!parse_object_facts(answer_of(404, {{"content-length", "234"}})).size);
        CHECK(!parse_object_facts(answer_of(200, {{"content-length", "-1"}})).size);
        CHECK(!parse_object_facts(answer_of(200, {{"content-length", "1e3"}})).size);
        CHECK(!parse_object_facts(answer_of(200, {})).size);
    }

    TEST_CASE("customer keys are seen by either header, a delete marker by its own") {
        CHECK(parse_object_facts(answer_of(200, {{"x-amz-server-side-encryption-customer-algorithm", "AES256"}}))
                  .server_side_encryption == "SSE-C");
        CHECK(parse_object_facts(answer_of(200, {{"x-amz-server-side-encryption-customer-key-MD5", "x"}}))
                  .server_side_encryption == "SSE-C");
        CHECK(
            parse_object_facts(answer_of(200, {{"x-amz-server-side-encryption", "aws:kms"}})).server_side_encryption ==
            "aws:kms");
        CHECK(parse_object_facts(answer_of(404, {{"x-amz-delete-marker", "true"}})).delete_marker);
        CHECK(!parse_object_facts(answer_of(404, {{"x-amz-delete-marker", "false"}})).delete_marker);
    }

    TEST_CASE("a checksum is of the object only when the answer is all of it") {
        const Header crc{.name = "x-amz-checksum-crc32c", .value = "sOO8/Q=="};
        CHECK(parse_object_facts(answer_of(200, {crc})).checksums.size() == 1);
        CHECK(parse_object_facts(answer_of(206, {crc, {"content-range", "bytes 0-66559/66560"}})).checksums.size() ==
              1);
        CHECK(parse_object_facts(answer_of(206, {crc, {"content-range", "bytes 0-9/66560"}})).checksums.empty());
        CHECK(parse_object_facts(answer_of(206, {crc, {"content-range", "bytes 10-66559/66560"}})).checksums.empty());
        CHECK(parse_object_facts(answer_of(206, {crc})).checksums.empty());
    }

    TEST_CASE("full and composite checksums are told apart") {
        struct Row {
            ChecksumAlgorithm algorithm;
            std::string_view text, type, base64;
            ChecksumScope scope;
            unsigned parts;
        };
        constexpr auto full = ChecksumScope::full_object;
        constexpr auto composite = ChecksumScope::composite;
        for (const Row& row :
             {Row{ChecksumAlgorithm::crc64nvme, "pRf+emrnL+A=", "", "pRf+emrnL+A=", full, 0},
              Row{ChecksumAlgorithm::crc32, "sK4Y7A==", "FULL_OBJECT", "sK4Y7A==", full, 0},
              Row{ChecksumAlgorithm::crc32c, "sOO8/Q==-3", "", "sOO8/Q==", composite, 3},
              Row{ChecksumAlgorithm::crc32c, "sOO8/Q==-3", "COMPOSITE", "sOO8/Q==", composite, 3},
              Row{ChecksumAlgorithm::crc32c, "sOO8/Q==-10000", "FULL_OBJECT", "sOO8/Q==", composite, 10000},
              Row{ChecksumAlgorithm::crc32c, "sOO8/Q==", "composite", "sOO8/Q==", composite, 0},
              Row{ChecksumAlgorithm::sha256, " zWnTiHxq+SZLEA17dgIzEzXZqn4718MM3G1vS/uzyIg= ", "",
                  "zWnTiHxq+SZLEA17dgIzEzXZqn4718MM3G1vS/uzyIg=", full, 0}}) {
            CAPTURE(row.text);
            const auto checksum = parse_checksum(row.algorithm, row.text, row.type);
            REQUIRE(checksum.has_value());
            CHECK(checksum->value == Checksum{row.algorithm, std::string(row.base64)});
            CHECK(checksum->scope == row.scope);
            CHECK(checksum->parts == row.parts);
        }
    }

    TEST_CASE("a checksum that is none is left out, since it would prove nothing") {
        for (const std::string_view text :
             {"", "-", "-3", "sOO8/Q==-", "sOO8/Q==-0", "sOO8/Q==-x", "sOO8/Q==-10001", "sOO8/Q==-3-3", "sOO8/Q",
              "sOO8", "pRf+emrnL+A=", "sOO8/Q==x", "????????"}) {
            CAPTURE(text);
            CHECK(!parse_checksum(ChecksumAlgorithm::crc32c, text, "").has_value());
        }
        CHECK(parse_object_facts(answer_of(200, {{"x-amz-checksum-crc32c", "junk"}, {"x-amz-checksum-sha512", "x"}}))
                  .checksums.empty());
    }

    TEST_CASE("several checksums come with the default of the tool first") {
        const ObjectFacts facts = parse_object_facts(
            answer_of(200, {{"x-amz-checksum-crc32", "sK4Y7A=="}, {"x-amz-checksum-crc64nvme", "pRf+emrnL+A="}}));
        REQUIRE(facts.checksums.size() == 2);
        CHECK(facts.checksums[0].value.algorithm == ChecksumAlgorithm::crc64nvme);
    }

    TEST_CASE("other spellings of stores are understood: bare and weak ETags, no version, a null version") {
        CHECK(parse_object_facts(answer_of(200, {{"etag", "abc"}})).etag == "abc");
        CHECK(parse_object_facts(answer_of(200, {{"etag", "W/\"abc\""}})).etag == "abc");
        CHECK(parse_object_facts(answer_of(200, {})).version_id.empty());
        CHECK(parse_object_facts(answer_of(200, {{"x-amz-version-id", "null"}})).version_id == "null");
    }

    TEST_CASE("values with control characters cannot be used to inject a header later") {
        const ObjectFacts facts =
            parse_object_facts(answer_of(200, {{"x-amz-meta-a", "b\rx-amz-acl: public\x01"}, {"etag", "\"a\nb\""}}));
        REQUIRE(facts.metadata.size() == 1);
        CHECK(facts.metadata[0].value == "b x-amz-acl: public ");
        CHECK(facts.etag == "a b");
    }

    TEST_CASE("dates that are none are absent") {
        const ObjectFacts facts = parse_object_facts(answer_of(200, {{"date", "yesterday"}, {"last-modified", ""}}));
        CHECK(!facts.server_date);
        CHECK(!facts.last_modified);
    }
}

}  // namespace s3tug::wire
