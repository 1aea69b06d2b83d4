#include <doctest/doctest.h>

#include <string>

#include "policy/decide.h"
#include "unit/policy/decide_fixture.h"

namespace s3tug::policy {

TEST_SUITE("policy/decide_after_look") {
    TEST_CASE("applied is done, whatever the last answer was") {
        DecideFixture f;
        for (const Verdict& v : {reset(), precondition_failed(), conditional_conflict(), no_such_key()}) {
            CHECK(as<Done>(f.after_look(v, Finding::applied, 1)));
        }
    }

    TEST_CASE("absent is looked at again after 150 ms and 300 ms, then sent again as a retry that counts") {
        DecideFixture f;
        const Decision second = f.after_look(reset(), Finding::absent, 1);
        REQUIRE(as<VerifyFirst>(second));
        CHECK(as<VerifyFirst>(second)->when == f.situation.now + milliseconds(150));
        const Decision third = f.after_look(reset(), Finding::absent, 2);
        REQUIRE(as<VerifyFirst>(third));
        CHECK(as<VerifyFirst>(third)->when == f.situation.now + milliseconds(300));
        const Decision retry = f.after_look(reset(), Finding::absent, 3);
        REQUIRE(as<RetryAt>(retry));
        CHECK(as<RetryAt>(retry)->wait >= milliseconds(500));
        CHECK(as<RetryAt>(retry)->wait <= milliseconds(1000));

        f.history.attempts = 7;
        const Decision end = f.after_look(reset(), Finding::absent, 3);
        REQUIRE(as<GiveUp>(end));
        CHECK(as<GiveUp>(end)->kind == ErrorKind::gave_up);
        CHECK(as<GiveUp>(end)->counts_for_breaker);
        CHECK(as<GiveUp>(end)->why == "CURLE_RECV_ERROR after 7 attempts; an attempt may have been applied");
    }

    TEST_CASE("another's object ends a conditional write and is no fault of the store") {
        for (const Conditional condition : {Conditional::if_none_match, Conditional::if_match}) {
            DecideFixture f;
            f.rule(wire::Op::put_object, condition);
            const Decision decision = f.after_look(reset(), Finding::other, 1);
            REQUIRE(as<GiveUp>(decision));
            CHECK(as<GiveUp>(decision)->kind == ErrorKind::precondition);
            CHECK_FALSE(as<GiveUp>(decision)->counts_for_breaker);
        }
    }

    TEST_CASE("another's object does not stop a plain write: the last writer wins") {
        DecideFixture f;
        CHECK(as<VerifyFirst>(f.after_look(reset(), Finding::other, 1)));
        CHECK(as<VerifyFirst>(f.after_look(reset(), Finding::other, 2)));
        CHECK(as<RetryAt>(f.after_look(reset(), Finding::other, 3)));
    }

    TEST_CASE(
        "a condition that failed over what is gone now is asked again; a failed pin of a copy's source is final") {
        DecideFixture f;
        f.history.unknown_outcome = true;
        f.rule(wire::Op::put_object, Conditional::if_none_match);
        CHECK(as<RetryAt>(f.after_look(precondition_failed(), Finding::absent, 3)));
        f.rule(wire::Op::copy_object);
        const Decision pin = f.after_look(precondition_failed(), Finding::absent, 3);
        REQUIRE(as<GiveUp>(pin));
        CHECK(as<GiveUp>(pin)->kind == ErrorKind::precondition);
        const Decision source_gone = f.after_look(no_such_key(), Finding::absent, 3);
        REQUIRE(as<GiveUp>(source_gone));
        CHECK(as<GiveUp>(source_gone)->kind == ErrorKind::not_found);
    }

    TEST_CASE("where looking decides nothing the row decides at once") {
        struct Row {
            Conditional condition;
            BucketKind bucket;
            Look look;
            bool stops;
        };
        for (const Row row : {Row{Conditional::none, BucketKind::not_known, Look::allowed, false},
                              Row{Conditional::none, BucketKind::not_known, Look::denied, false},
                              Row{Conditional::none, BucketKind::versioned, Look::denied, false},
                              Row{Conditional::none, BucketKind::locked, Look::allowed, true},
                              Row{Conditional::none, BucketKind::locked, Look::denied, true},
                              Row{Conditional::if_none_match, BucketKind::plain, Look::allowed, true},
                              Row{Conditional::if_match, BucketKind::plain, Look::denied, true}}) {
            CAPTURE(static_cast<int>(row.condition));
            CAPTURE(static_cast<int>(row.bucket));
            DecideFixture f;
            f.rule(wire::Op::put_object, row.condition, row.bucket, row.look);
            const Decision decision = f.after_look(reset(), Finding::undecidable, 1);
            if (row.stops) {
                REQUIRE(as<GiveUp>(decision));
                CHECK(as<GiveUp>(decision)->kind == ErrorKind::outcome_unknown);
                CHECK(as<GiveUp>(decision)->counts_for_breaker);
            } else {
                CHECK(as<RetryAt>(decision));
            }
        }
    }

    TEST_CASE("a trial looks, but does not send again") {
        DecideFixture f;
        f.situation.trial = true;
        CHECK(as<VerifyFirst>(f.after_look(reset(), Finding::absent, 1)));
        const Decision decision = f.after_look(reset(), Finding::absent, 3);
        REQUIRE(as<GiveUp>(decision));
        CHECK(as<GiveUp>(decision)->counts_for_breaker);
    }

    TEST_CASE("neither a look nor a retry is begun that would reach the deadline") {
        DecideFixture f;
        f.situation.deadline = f.situation.now + milliseconds(150);
        const Decision look = f.after_look(reset(), Finding::absent, 1);
        REQUIRE(as<GiveUp>(look));
        CHECK(as<GiveUp>(look)->kind == ErrorKind::deadline);
        f.situation.deadline = f.situation.now + milliseconds(151);
        CHECK(as<VerifyFirst>(f.after_look(reset(), Finding::absent, 1)));
        const Decision retry = f.after_look(reset(), Finding::absent, 3);
        REQUIRE(as<GiveUp>(retry));
        CHECK(as<GiveUp>(retry)->kind == ErrorKind::deadline);
        CHECK(as<GiveUp>(retry)->why.find("last error: CURLE_RECV_ERROR") != std::string::npos);
    }
}

}  // namespace s3tug::policy
