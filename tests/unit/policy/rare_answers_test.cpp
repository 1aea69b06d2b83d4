#include <doctest/doctest.h>

#include "policy/classify.h"
#include "unit/policy/decide_fixture.h"
#include "unit/policy/replies.h"

/// Answers that stores seldom give, each by its row in the table of failures.
namespace s3tug::policy {
namespace {

using namespace test;
using C = FailureClass;
using R = RetryRule;
using E = Effect;
using wire::Op;
using wire::TransportCode;

}  // namespace

TEST_SUITE("policy/rare answers") {
    TEST_CASE("a 2xx that S3 never gives proves nothing: a write is looked at, a read is asked again") {
        for (const int status : {202, 203, 206, 226}) {
            CAPTURE(status);
            check(classify(put_of_1000(), answered(status, {{"etag", "\"1\""}})), C::unknown, R::verify_first,
                  E::unknown);
            check(classify(context_of(Op::head_object), answered(status, {{"etag", "\"1\""}})), C::unknown, R::yes,
                  E::not_applied);
        }
    }

    TEST_CASE("an interim answer and nothing more is a connection that broke, with an unknown outcome") {
        for (const int status : {100, 102, 103}) {
            CAPTURE(status);
            const Verdict v = classify(put_of_1000(), with_body_sent(answered(status), 1000));
            check(v, C::transient_network, R::verify_first, E::unknown);
            CHECK(v.counts_for_breaker);
        }
    }

    TEST_CASE("where a redirect leads is told, from the document or else from the header, and only told") {
        const Verdict document =
            classify(put_of_1000(), refused(301, "PermanentRedirect", {{"location", "https://b.example/"}},
                                            "<Endpoint>bucket.s3-eu-west-1.amazonaws.com</Endpoint>"));
        CHECK(document.endpoint == "bucket.s3-eu-west-1.amazonaws.com");
        const Verdict header =
            classify(put_of_1000(), refused(301, "PermanentRedirect", {{"location", "https://b.example/"}}));
        CHECK(header.endpoint == "https://b.example/");
        for (const Verdict& v : {document, header}) CHECK(v.cls == C::redirect);
    }

    TEST_CASE("our own side ended the attempt: what the store had begun to say is not the reason") {
        for (const TransportCode code : {TransportCode::write_error, TransportCode::read_error,
                                         TransportCode::aborted_by_callback, TransportCode::cancelled}) {
            CAPTURE(static_cast<int>(code));
            wire::Reply reply = with_body_sent(failed(code), 500);
            reply.partial_answer = head(503, {}, error_xml("SlowDown"));
            const Verdict v = classify(put_of_1000(), reply);
            CHECK(to_string(v.cls) != to_string(C::throttling));
            CHECK(v.code != "SlowDown");
        }
    }

    TEST_CASE("an upload that is named as gone to a read of an object is final: no wait brings it back") {
        check(classify(context_of(Op::get_object), refused(404, "NoSuchUpload")), C::not_found, R::no, E::not_applied);
    }

    TEST_CASE("a 417 is mended by sending without Expect, once, if that was sent") {
        RequestContext context = put_of_1000();
        check(classify(context, answered(417)), C::unsupported, R::no, E::not_applied);
        context.expect_sent = true;
        const Verdict v = classify(context, answered(417));
        check(v, C::unsupported, R::once_after_fix, E::not_applied);
        DecideFixture f;
        const Decision first = f.decide(v);
        REQUIRE(as<RepairAndRetry>(first));
        CHECK(as<RepairAndRetry>(first)->repair == Repair::drop_expect);
        CHECK(as<RepairAndRetry>(first)->why == "send without Expect");
        f.history.repairs = {Repair::drop_expect};
        const Decision second = f.decide(v);
        REQUIRE(as<GiveUp>(second));
        CHECK(as<GiveUp>(second)->kind == ErrorKind::unsupported);
    }

    TEST_CASE("where a look decides nothing and a repeat is harmless, a final answer is final all the same") {
        DecideFixture f;
        const Decision end = f.after_look(access_denied(), Finding::undecidable, 1);
        REQUIRE(as<GiveUp>(end));
        CHECK(as<GiveUp>(end)->kind == ErrorKind::access_denied);
    }

    TEST_CASE("a copy's source that fails its pin after a lost answer, nothing of ours in sight, is final") {
        DecideFixture f;
        f.rule(Op::copy_object, Conditional::none, BucketKind::not_known, Look::allowed, false);
        f.history.unknown_outcome = true;
        const Decision end = f.after_look(precondition_failed(), Finding::absent, 3);
        REQUIRE(as<GiveUp>(end));
        CHECK(as<GiveUp>(end)->kind == ErrorKind::precondition);
        CHECK(contains(as<GiveUp>(end)->why, "an attempt may have been applied"));
    }
}

}  // namespace s3tug::policy
