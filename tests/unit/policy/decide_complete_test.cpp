#include <doctest/doctest.h>

#include <string>

#include "policy/decide.h"
#include "unit/policy/decide_fixture.h"

/// CompleteMultipartUpload, step by step (facts/idempotency.md section 4).
namespace s3tug::policy {

namespace {

DecideFixture complete(Conditional condition = Conditional::none, Look look = Look::allowed) {
    DecideFixture f;
    f.rule(wire::Op::complete_multipart_upload, condition, BucketKind::not_known, look);
    return f;
}

Verdict no_such_upload() {
    return failure(FailureClass::not_found, RetryRule::verify_first, Effect::not_applied, false, 404, "NoSuchUpload");
}

}  // namespace

TEST_SUITE("policy/decide Complete") {
    TEST_CASE("step 3: after an unknown outcome the same Complete is sent again, after a wait and without a look") {
        for (const Verdict& v : {reset(), internal_error(), plain_503()}) {
            DecideFixture f = complete();
            const Decision decision = f.decide(v);
            REQUIRE(as<RetryAt>(decision));
            CHECK(as<RetryAt>(decision)->wait >= milliseconds(500));
            f = complete(Conditional::if_none_match);
            CHECK(as<RetryAt>(f.decide(v)));
            f = complete(Conditional::none, Look::denied);
            CHECK(as<RetryAt>(f.decide(v)));
        }
    }

    TEST_CASE("step 4: NoSuchUpload to the repeat is looked at; to the first it is final") {
        DecideFixture f = complete();
        CHECK(as<GiveUp>(f.decide(no_such_upload())));
        CHECK(as<GiveUp>(f.decide(no_such_upload()))->kind == ErrorKind::not_found);

        f.history = {.attempts = 2, .unknown_outcome = true};
        const Decision look = f.decide(no_such_upload());
        REQUIRE(as<VerifyFirst>(look));
        CHECK(as<VerifyFirst>(look)->when == f.situation.now);

        CHECK(as<Done>(f.after_look(no_such_upload(), Finding::applied, 1)));
    }

    TEST_CASE(
        "step 4: absent or another's object is looked at twice more, then the upload is gone and nothing is ours") {
        for (const Finding finding : {Finding::absent, Finding::other}) {
            DecideFixture f = complete();
            f.history = {.attempts = 2, .unknown_outcome = true};
            for (const unsigned looks : {1U, 2U})
                CHECK(as<VerifyFirst>(f.after_look(no_such_upload(), finding, looks)));
            const Decision end = f.after_look(no_such_upload(), finding, 3);
            REQUIRE(as<GiveUp>(end));
            CHECK(as<GiveUp>(end)->kind == ErrorKind::not_found);
        }
    }

    TEST_CASE("a look that decides nothing, or is denied, never becomes a guess") {
        DecideFixture f = complete();
        f.history = {.attempts = 2, .unknown_outcome = true};
        const Decision end = f.after_look(no_such_upload(), Finding::undecidable, limits::verifications_max);
        REQUIRE(as<GiveUp>(end));
        CHECK(as<GiveUp>(end)->kind == ErrorKind::outcome_unknown);

        f = complete(Conditional::none, Look::denied);
        f.history = {.attempts = 2, .unknown_outcome = true};
        const Decision blind = f.decide(no_such_upload());
        REQUIRE(as<GiveUp>(blind));
        CHECK(as<GiveUp>(blind)->kind == ErrorKind::outcome_unknown);
    }

    TEST_CASE("step 5: 412 and 409 after an unknown attempt are looked at, alone they are final") {
        Verdict conflict = conditional_conflict();
        conflict.retry = RetryRule::no;  // as classify() has it for Complete
        for (const Verdict& v : {precondition_failed(), conflict}) {
            CAPTURE(v.code);
            DecideFixture f = complete(Conditional::if_none_match);
            REQUIRE(as<GiveUp>(f.decide(v)));
            CHECK(as<GiveUp>(f.decide(v))->kind == ErrorKind::precondition);
            f.history = {.attempts = 2, .unknown_outcome = true};
            CHECK(as<VerifyFirst>(f.decide(v)));
            const Decision others = f.after_look(v, Finding::other, 1);
            REQUIRE(as<GiveUp>(others));
            CHECK(as<GiveUp>(others)->kind == ErrorKind::precondition);
        }
    }

    TEST_CASE("step 6: InvalidPart compares the parts, once") {
        Verdict v =
            failure(FailureClass::integrity, RetryRule::once_after_fix, Effect::not_applied, false, 400, "InvalidPart");
        v.repair = Repair::list_parts;
        DecideFixture f = complete();
        REQUIRE(as<RepairAndRetry>(f.decide(v)));
        CHECK(as<RepairAndRetry>(f.decide(v))->repair == Repair::list_parts);
        f.history.repairs = {Repair::list_parts};
        REQUIRE(as<GiveUp>(f.decide(v)));
        CHECK(as<GiveUp>(f.decide(v))->kind == ErrorKind::integrity);
    }

    TEST_CASE("with no attempt left a doubt is looked at before it is given up") {
        for (const bool trial : {false, true}) {
            DecideFixture f = complete();
            f.situation.trial = trial;
            f.history = {.attempts = trial ? 1U : 7U};
            CHECK(as<VerifyFirst>(f.decide(reset())));
            const Decision end = f.after_look(reset(), Finding::absent, limits::verifications_max);
            REQUIRE(as<GiveUp>(end));
            CHECK(as<GiveUp>(end)->kind == ErrorKind::gave_up);
            CHECK(as<GiveUp>(end)->why.find("may have been applied") != std::string::npos);
        }
        // The last answer says that it did nothing, but an earlier one was lost.
        DecideFixture f = complete();
        f.history = {.attempts = 7, .unknown_outcome = true};
        CHECK(as<VerifyFirst>(f.decide(slow_down())));
        f.history.unknown_outcome = false;
        CHECK(as<GiveUp>(f.decide(slow_down())));

        f = complete(Conditional::none, Look::denied);
        f.history = {.attempts = 7};
        REQUIRE(as<GiveUp>(f.decide(reset())));
        CHECK(as<GiveUp>(f.decide(reset()))->kind == ErrorKind::outcome_unknown);
    }
}

TEST_SUITE("policy/decide other operations of an upload") {
    TEST_CASE("Create, parts and Abort are sent again without a look, and say so of a doubt at the end") {
        for (const wire::Op op : {wire::Op::create_multipart_upload, wire::Op::upload_part, wire::Op::upload_part_copy,
                                  wire::Op::abort_multipart_upload}) {
            DecideFixture f;
            f.rule(op);
            CHECK(as<RetryAt>(f.decide(reset())));
            f.history.attempts = 7;
            const Decision end = f.decide(reset());
            REQUIRE(as<GiveUp>(end));
            CHECK(as<GiveUp>(end)->why.find("may have been applied") != std::string::npos);
        }
    }

    TEST_CASE("a batch on a bucket that may keep versions is not repeated blindly where one may look") {
        DecideFixture f;
        f.rule(wire::Op::delete_objects);
        CHECK(as<VerifyFirst>(f.decide(reset())));
        f.rule(wire::Op::delete_objects, Conditional::none, BucketKind::plain);
        CHECK(as<RetryAt>(f.decide(reset())));
    }
}

}  // namespace s3tug::policy
