#include "wire/batch_answers.h"

#include <doctest/doctest.h>

#include "unit/wire/answer_of.h"

namespace s3tug::wire {

namespace {

using test::answer_of;

DeleteObjectsInput asked_for(std::vector<DeleteTarget> targets, bool quiet = false) {
    DeleteObjectsInput asked;
    asked.targets = std::move(targets);
    asked.quiet = quiet;
    return asked;
}

std::string result_of(std::string_view entries) {
    return "<?xml version=\"1.0\"?><DeleteResult xmlns=\"x\">" + std::string(entries) + "</DeleteResult>";
}

}  // namespace

TEST_SUITE("wire/batch_answers") {
    TEST_CASE("each key has its outcome, in the order of the request whatever that of the answer") {
        // Deleted entries as Ceph RGW 16 sorts and writes them.
        const HttpAnswer answer = answer_of(
            200, result_of("<Deleted><Key>a b</Key></Deleted><Deleted><Key>cr&#x0d;lf\n</Key></Deleted>"
                           "<Error><Key>locked</Key><VersionId>v9</VersionId><Code>AccessDenied</Code>"
                           "<Message>Access Denied</Message></Error>"
                           "<Deleted><Key>marked</Key><DeleteMarker>true</DeleteMarker>"
                           "<DeleteMarkerVersionId>m1</DeleteMarkerVersionId></Deleted>"
                           "<Deleted><Key>quo&quot;&apos;&lt;&amp;&gt;</Key><VersionId>v1</VersionId></Deleted>"
                           "<Deleted><Key> </Key></Deleted>"));
        const auto keys = parse_delete_objects(answer, asked_for({{"locked", "v9"},
                                                                  {"quo\"'<&>", "v1"},
                                                                  {" ", ""},
                                                                  {"marked", ""},
                                                                  {"cr\rlf\n", ""},
                                                                  {"a b", ""},
                                                                  {"forgotten", ""}}));
        REQUIRE(keys.ok());
        REQUIRE(keys->size() == 7);
        CHECK((*keys)[0].outcome == KeyOutcome::failed);
        CHECK((*keys)[0].code == "AccessDenied");
        CHECK((*keys)[0].message == "Access Denied");
        CHECK((*keys)[0].version_id == "v9");
        CHECK((*keys)[1].outcome == KeyOutcome::deleted);
        CHECK((*keys)[1].version_id == "v1");
        CHECK_FALSE((*keys)[1].delete_marker);
        CHECK((*keys)[2].outcome == KeyOutcome::deleted);
        CHECK((*keys)[3].outcome == KeyOutcome::deleted);
        CHECK((*keys)[3].delete_marker);
        CHECK((*keys)[3].version_id == "m1");
        CHECK((*keys)[4].outcome == KeyOutcome::deleted);
        CHECK((*keys)[5].outcome == KeyOutcome::deleted);
        // Silence is no success.
        CHECK((*keys)[6].outcome == KeyOutcome::unanswered);
        CHECK(has_failed_keys(answer));
    }

    TEST_CASE("in a quiet answer silence is success, unless an error names no key of ours") {
        const DeleteObjectsInput asked = asked_for({{"a", ""}, {"b", ""}}, true);
        const auto silent = parse_delete_objects(answer_of(200, result_of("")), asked);
        REQUIRE(silent.ok());
        CHECK((*silent)[0].outcome == KeyOutcome::deleted);
        CHECK((*silent)[1].outcome == KeyOutcome::deleted);
        CHECK_FALSE(has_failed_keys(answer_of(200, result_of(""))));

        const auto failed =
            parse_delete_objects(answer_of(200, result_of("<Error><Key>b</Key><Code>SlowDown</Code></Error>")), asked);
        CHECK((*failed)[0].outcome == KeyOutcome::deleted);
        CHECK((*failed)[1].outcome == KeyOutcome::failed);
        CHECK((*failed)[1].code == "SlowDown");

        for (const std::string_view entry :
             {"<Error><Key>other</Key><Code>SlowDown</Code></Error>", "<Error><Code>InternalError</Code></Error>"}) {
            const auto doubtful = parse_delete_objects(answer_of(200, result_of(entry)), asked);
            CHECK((*doubtful)[0].outcome == KeyOutcome::unanswered);
            CHECK((*doubtful)[1].outcome == KeyOutcome::unanswered);
        }
    }

    TEST_CASE("versions of one key are told apart, also where the store leaves the version out") {
        const DeleteObjectsInput asked = asked_for({{"k", "v1"}, {"k", "v2"}, {"k", ""}});
        const auto keys = parse_delete_objects(
            answer_of(200, result_of("<Error><Key>k</Key><VersionId>v2</VersionId><Code>AccessDenied</Code></Error>"
                                     "<Deleted><Key>k</Key><VersionId>v1</VersionId></Deleted>")),
            asked);
        REQUIRE(keys.ok());
        CHECK((*keys)[0].outcome == KeyOutcome::deleted);
        CHECK((*keys)[1].outcome == KeyOutcome::failed);
        CHECK((*keys)[2].outcome == KeyOutcome::unanswered);

        const auto bare = parse_delete_objects(answer_of(200, result_of("<Deleted><Key>k</Key></Deleted>")),
                                               asked_for({{"k", "v1"}}));
        CHECK((*bare)[0].outcome == KeyOutcome::deleted);
    }

    TEST_CASE("a key that is answered twice does not answer for another") {
        const auto keys = parse_delete_objects(
            answer_of(200, result_of("<Deleted><Key>a</Key></Deleted><Deleted><Key>a</Key></Deleted>")),
            asked_for({{"a", ""}, {"b", ""}}));
        CHECK((*keys)[0].outcome == KeyOutcome::deleted);
        CHECK((*keys)[1].outcome == KeyOutcome::unanswered);
    }

    TEST_CASE("without a DeleteResult nothing is known of any key") {
        for (const std::string_view body : {"", "<Error><Code>InternalError</Code></Error>", "<ListBucketResult/>",
                                            "<DeleteResult><Deleted><Key>a</Key></Deleted>", "OK"}) {
            CAPTURE(body);
            for (const bool quiet : {false, true}) {
                const auto keys = parse_delete_objects(answer_of(200, body), asked_for({{"a", ""}}, quiet));
                REQUIRE(!keys.ok());
                CHECK(keys.error().kind == ErrorKind::refused);
                CHECK(keys.error().message.find("not known") != std::string::npos);
            }
            CHECK_FALSE(has_failed_keys(answer_of(200, body)));
        }
    }

    TEST_CASE("damage never turns a failed key into a deleted one without its own entry") {
        const std::string whole =
            result_of("<Error><Key>b</Key><Code>AccessDenied</Code></Error><Deleted><Key>a</Key></Deleted>");
        test::for_each_damage(whole, [](const std::string& body, bool cut) {
            const auto keys = parse_delete_objects(answer_of(200, body), asked_for({{"a", ""}, {"b", ""}}));
            if (cut) CHECK(!keys.ok());
            if (keys) CHECK((*keys)[1].outcome != KeyOutcome::deleted);
        });
    }
}

}  // namespace s3tug::wire
