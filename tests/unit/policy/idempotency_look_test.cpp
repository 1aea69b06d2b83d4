#include <doctest/doctest.h>

#include <string>

#include "policy/idempotency.h"

namespace s3tug::policy {

namespace {

constexpr std::string_view md5_a = "0cc175b9c0f1b6a831c399e269772661";  // of "a"
constexpr std::string_view md5_b = "92eb5ffee6ae2fec3ad71c777531578f";  // of "b"
constexpr WallTime noon = wall_from_unix_seconds(1'796'040'000);

wire::ObjectFacts object(std::string_view token, uint64_t size, WallTime modified = noon,
                         std::string_view etag = md5_a) {
    wire::ObjectFacts facts;
    facts.size = size;
    facts.etag = etag;
    facts.last_modified = modified;
    facts.write_token = token;
    return facts;
}

Expected by_token(std::string_view token) {
    Expected expected;
    expected.write_token = token;
    expected.size = 1;
    return expected;
}

Expected by_time() {
    Expected expected;
    expected.proof = Proof::modified_since;
    expected.size = 1;
    expected.etag = md5_a;
    expected.not_before = noon;
    return expected;
}

wire::StoredChecksum crc64(std::string_view base64, wire::ChecksumScope scope = wire::ChecksumScope::full_object) {
    return {{ChecksumAlgorithm::crc64nvme, std::string(base64)}, scope};
}

}  // namespace

TEST_SUITE("policy/idempotency_look") {
    TEST_CASE("our token proves the write, and nothing else does") {
        CHECK(judge_look(by_token("t1"), object("t1", 1)) == Finding::applied);
        CHECK(judge_look(by_token("t1"), object("t2", 1)) == Finding::other);
        CHECK(judge_look(by_token("t1"), object("", 1)) == Finding::other);  // same bytes, same ETag: not this write
        CHECK(judge_look(by_token("t1"), object("T1", 1)) == Finding::other);
        CHECK(judge_look(by_token("t1"), std::nullopt) == Finding::absent);
        CHECK(judge_look(by_token(""), object("", 1)) == Finding::undecidable);
    }

    TEST_CASE("under a condition equal bytes prove nothing: a lock file's are the same for all") {
        Expected expected = by_time();
        REQUIRE(judge_look(expected, object("", 1)) == Finding::applied);
        expected.conditional = true;
        CHECK(judge_look(expected, object("", 1)) == Finding::undecidable);
        CHECK(judge_look(expected, object("", 1, noon - seconds(1))) == Finding::absent);
        CHECK(judge_look(expected, object("", 2)) == Finding::other);
        CHECK(judge_look(expected, std::nullopt) == Finding::absent);
    }

    TEST_CASE("an object of ours that was cut short is not our write") {
        CHECK(judge_look(by_token("t1"), object("t1", 0)) == Finding::other);
        Expected size_not_known = by_token("t1");
        size_not_known.size.reset();
        CHECK(judge_look(size_not_known, object("t1", 0)) == Finding::applied);
        wire::ObjectFacts without_length = object("t1", 0);
        without_length.size.reset();
        CHECK(judge_look(by_token("t1"), without_length) == Finding::applied);
    }

    TEST_CASE("a delete marker counts as nothing there") {
        wire::ObjectFacts marker = object("t1", 1);
        marker.delete_marker = true;
        CHECK(judge_look(by_token("t1"), marker) == Finding::absent);
        CHECK(judge_look(by_time(), marker) == Finding::absent);
        Expected gone;
        gone.proof = Proof::absence;
        CHECK(judge_look(gone, marker) == Finding::applied);
    }

    TEST_CASE("under If-Match the object that was to be replaced means not landed yet") {
        Expected expected = by_token("t1");
        expected.condition_etag = "\"" + std::string(md5_b) + "\"";
        CHECK(judge_look(expected, object("old", 9, noon, md5_b)) == Finding::absent);
        CHECK(judge_look(expected, object("old", 9, noon, md5_a)) == Finding::other);
        CHECK(judge_look(expected, object("t1", 1, noon, md5_a)) == Finding::applied);
    }

    TEST_CASE("without a token the time and the content prove it together") {
        struct Row {
            std::string_view what;
            WallTime modified;
            uint64_t size;
            std::string_view etag;
            Finding finding;
        };
        const Row rows[] = {
            {"same second, same ETag", noon, 1, md5_a, Finding::applied},
            {"later, same ETag", noon + seconds(3), 1, md5_a, Finding::applied},
            {"older, same ETag: the object of before", noon - seconds(1), 1, md5_a, Finding::absent},
            {"older, another ETag", noon - hours(1), 7, md5_b, Finding::absent},
            {"later, another size", noon, 2, md5_b, Finding::other},
            {"later, same size, another ETag: it need not be a digest", noon, 1, md5_b, Finding::undecidable},
            {"later, no ETag", noon, 1, "", Finding::undecidable},
        };
        for (const Row& row : rows) {
            CAPTURE(row.what);
            CHECK(judge_look(by_time(), object("", row.size, row.modified, row.etag)) == row.finding);
        }
        CHECK(judge_look(by_time(), std::nullopt) == Finding::absent);
    }

    TEST_CASE("the attempt's time has fractions, Last-Modified has none") {
        Expected expected = by_time();
        expected.not_before = noon + milliseconds(999);
        CHECK(judge_look(expected, object("", 1, noon)) == Finding::applied);
    }

    TEST_CASE("quotes and case of an ETag do no harm") {
        Expected expected = by_time();
        expected.etag = "\"0CC175B9C0F1B6A831C399E269772661\"";
        CHECK(judge_look(expected, object("", 1)) == Finding::applied);
    }

    TEST_CASE("without one of the two times nothing is proved") {
        Expected expected = by_time();
        expected.not_before.reset();
        CHECK(judge_look(expected, object("", 1)) == Finding::undecidable);
        wire::ObjectFacts undated = object("", 1);
        undated.last_modified.reset();
        CHECK(judge_look(by_time(), undated) == Finding::undecidable);
    }

    TEST_CASE("a checksum is better proof than the ETag, and only the same kind compares") {
        struct Row {
            wire::StoredChecksum stored;
            std::string_view etag;
            Finding finding;
        };
        const Row rows[] = {
            {crc64("AAAAAAAAAAE="), md5_b, Finding::applied},
            {crc64("AAAAAAAAAAI="), md5_a, Finding::other},
            {crc64("AAAAAAAAAAI=", wire::ChecksumScope::composite), md5_a, Finding::applied},
            {{{ChecksumAlgorithm::crc32, "AAAAAQ=="}, wire::ChecksumScope::full_object}, md5_b, Finding::undecidable},
        };
        for (const Row& row : rows) {
            CAPTURE(&row - rows);
            Expected expected = by_time();
            expected.checksum = crc64("AAAAAAAAAAE=");
            wire::ObjectFacts found = object("", 1, noon, row.etag);
            found.checksums = {row.stored};
            CHECK(judge_look(expected, found) == row.finding);
        }
    }

    TEST_CASE("a copy that replaced metadata is proved only with its metadata") {
        Expected expected = by_time();
        expected.metadata = {{"owner", "ann"}};
        wire::ObjectFacts found = object("", 1);
        CHECK(judge_look(expected, found) == Finding::undecidable);
        found.metadata = {{"added-by-store", "1"}, {"owner", "ann"}};
        CHECK(judge_look(expected, found) == Finding::applied);
    }

    TEST_CASE("the object under If-Match written in the same second is still the object of before") {
        Expected expected = by_time();
        expected.condition_etag = md5_b;
        CHECK(judge_look(expected, object("", 9, noon, md5_b)) == Finding::absent);
    }

    TEST_CASE("a delete is proved by absence; what still stands may still go") {
        Expected expected;
        expected.proof = Proof::absence;
        CHECK(judge_look(expected, std::nullopt) == Finding::applied);
        CHECK(judge_look(expected, object("any", 5)) == Finding::absent);
        expected.condition_etag = md5_a;
        CHECK(judge_look(expected, object("any", 5, noon, md5_a)) == Finding::absent);
        CHECK(judge_look(expected, object("any", 5, noon, md5_b)) == Finding::other);
        CHECK(judge_look(expected, std::nullopt) == Finding::applied);
    }

    TEST_CASE("where the row names no proof nothing is decided") {
        for (const Proof proof : {Proof::none, Proof::not_needed}) {
            Expected expected = by_token("t1");
            expected.proof = proof;
            CHECK(judge_look(expected, object("t1", 1)) == Finding::undecidable);
            CHECK(judge_look(expected, std::nullopt) == Finding::undecidable);
        }
    }
}

}  // namespace s3tug::policy
