#include <doctest/doctest.h>

#include <string>

#include "policy/decide.h"
#include "unit/policy/decide_fixture.h"

namespace s3tug::policy {

TEST_SUITE("policy/decide unknown outcomes") {
    TEST_CASE("a lost answer is looked at at once, also without retries left and in a trial") {
        for (const Verdict& v : {reset(), internal_error()}) {
            DecideFixture f;
            f.config.retries = 0;
            f.situation.trial = true;
            const Decision decision = f.decide(v);
            REQUIRE(as<VerifyFirst>(decision));
            CHECK(as<VerifyFirst>(decision)->when == f.situation.now);
            CHECK(as<VerifyFirst>(decision)->why == "may have left one more version for each attempt that landed");
        }
    }

    TEST_CASE("what the row says to send again is sent again, whatever the verdict would like") {
        DecideFixture f;
        for (const wire::Op op : {wire::Op::get_object, wire::Op::head_object, wire::Op::head_bucket}) {
            f.rule(op);
            CHECK(as<RetryAt>(f.decide(internal_error())));
        }
        f.rule(wire::Op::put_object, Conditional::none, BucketKind::plain);
        CHECK(as<RetryAt>(f.decide(reset())));
        f.rule(wire::Op::put_object, Conditional::none, BucketKind::not_known, Look::denied);
        CHECK(as<RetryAt>(f.decide(reset())));
    }

    TEST_CASE("class C without a proof ends with outcome unknown, never with a guess") {
        for (const Conditional condition : {Conditional::if_none_match, Conditional::if_match}) {
            DecideFixture f;
            f.rule(wire::Op::put_object, condition, BucketKind::not_known, Look::denied);
            const Decision decision = f.decide(reset());
            const auto* end = as<GiveUp>(decision);
            REQUIRE(end);
            CHECK(end->kind == ErrorKind::outcome_unknown);
            CHECK(end->counts_for_breaker);
            CHECK(contains(end->why, "running the command again settles it"));
        }
    }

    TEST_CASE("a throttle is sent again without a look, except where a second landing cannot be undone") {
        DecideFixture f;
        CHECK(as<RetryAt>(f.decide(plain_503())));
        f.rule(wire::Op::put_object, Conditional::if_none_match);
        CHECK(as<RetryAt>(f.decide(plain_503())));  // the condition guards it; the 412 is checked afterwards
        f.rule(wire::Op::put_object, Conditional::none, BucketKind::locked);
        CHECK(as<VerifyFirst>(f.decide(plain_503())));
        CHECK(as<RetryAt>(f.decide(slow_down())));  // says itself that it was not applied
    }

    TEST_CASE("412, 409 and 404 after an unknown attempt may be the echo of our own success") {
        for (const Verdict& v : {precondition_failed(), conditional_conflict(), no_such_key()}) {
            CAPTURE(v.code);
            DecideFixture f;
            f.rule(wire::Op::put_object, Conditional::if_none_match);
            f.history = {.attempts = 7, .unknown_outcome = true};
            CHECK(as<VerifyFirst>(f.decide(v)));

            f.rule(wire::Op::put_object, Conditional::if_none_match, BucketKind::plain, Look::denied);
            const Decision blind = f.decide(v);
            REQUIRE(as<GiveUp>(blind));
            CHECK(as<GiveUp>(blind)->kind == ErrorKind::outcome_unknown);
        }
        DecideFixture f;
        f.rule(wire::Op::put_object, Conditional::if_none_match);
        f.history.unknown_outcome = true;
        Verdict no_bucket = no_such_key();
        no_bucket.code = "NoSuchBucket";
        CHECK(as<GiveUp>(f.decide(no_bucket)));
        CHECK(as<GiveUp>(f.decide(access_denied())));
    }

    TEST_CASE("409 without an unknown attempt is a race and is sent again; 412 is final") {
        DecideFixture f;
        f.rule(wire::Op::put_object, Conditional::if_none_match);
        CHECK(as<RetryAt>(f.decide(conditional_conflict())));
        const Decision decision = f.decide(precondition_failed());
        REQUIRE(as<GiveUp>(decision));
        CHECK(as<GiveUp>(decision)->kind == ErrorKind::precondition);
    }

    TEST_CASE("a final error after an unknown attempt says that the attempt may have been applied") {
        DecideFixture f;
        f.history = {.attempts = 2, .unknown_outcome = true};
        const Decision decision = f.decide(access_denied());
        REQUIRE(as<GiveUp>(decision));
        CHECK(as<GiveUp>(decision)->kind == ErrorKind::access_denied);
        CHECK(as<GiveUp>(decision)->why == "403 AccessDenied is final; an attempt may have been applied");
        f.rule(wire::Op::get_object);
        const Decision read = f.decide(access_denied());
        CHECK(as<GiveUp>(read)->why == "403 AccessDenied is final");
    }

    TEST_CASE("at the deadline nothing is looked at any more") {
        DecideFixture f;
        f.situation.deadline = f.situation.now;
        const Decision decision = f.decide(reset());
        REQUIRE(as<GiveUp>(decision));
        CHECK(as<GiveUp>(decision)->kind == ErrorKind::deadline);
    }
}

}  // namespace s3tug::policy
