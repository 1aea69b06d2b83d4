#include <doctest/doctest.h>

#include <string>

#include "policy/decide.h"
#include "unit/policy/decide_fixture.h"

namespace s3tug::policy {

TEST_SUITE("policy/decide repairs") {
    TEST_CASE("each kind is done once, three in all, free of count and budget, also without retries and in a trial") {
        DecideFixture f;
        f.config.retries = 0;
        f.situation.trial = true;
        f.situation.credentials_refreshable = true;
        for (int i = 0; i < 50; ++i) f.budget.take(FailureClass::server, f.situation.now);
        const Decision first = f.decide(expired_token());
        REQUIRE(as<RepairAndRetry>(first));
        CHECK(as<RepairAndRetry>(first)->repair == Repair::credentials);

        f.history.repairs = {Repair::credentials};
        const Decision second = f.decide(expired_token());
        REQUIRE(as<GiveUp>(second));
        CHECK(as<GiveUp>(second)->kind == ErrorKind::credentials_refused);

        f.history.repairs = {Repair::clock_offset, Repair::region};
        CHECK(as<RepairAndRetry>(f.decide(expired_token())));
        f.history.repairs = {Repair::clock_offset, Repair::region, Repair::drop_expect};
        CHECK(as<GiveUp>(f.decide(expired_token())));
    }

    TEST_CASE("a repair needs what it repairs with") {
        Verdict skew = failure(FailureClass::clock_skew, RetryRule::once_after_fix, Effect::not_applied, false, 403,
                               "RequestTimeTooSkewed");
        skew.repair = Repair::clock_offset;
        Verdict region = failure(FailureClass::redirect, RetryRule::once_after_fix, Effect::not_applied, false, 400,
                                 "AuthorizationHeaderMalformed");
        region.repair = Repair::region;
        DecideFixture f;
        f.situation.current_region = "us-east-1";

        CHECK(as<GiveUp>(f.decide(skew)));
        skew.clock_offset = minutes(7);
        const Decision mended = f.decide(skew);
        REQUIRE(as<RepairAndRetry>(mended));
        CHECK(contains(as<RepairAndRetry>(mended)->why, "7m"));

        CHECK(as<GiveUp>(f.decide(region)));
        region.region = "us-east-1";
        CHECK(as<GiveUp>(f.decide(region)));
        region.region = "eu-west-1";
        CHECK(as<RepairAndRetry>(f.decide(region)));

        CHECK(as<GiveUp>(f.decide(expired_token())));  // nothing to refresh from
    }

    TEST_CASE("a redirect is followed only to a host that is built from the region of an AWS partition") {
        Verdict moved = failure(FailureClass::redirect, RetryRule::once_after_fix, Effect::not_applied, false, 301,
                                "PermanentRedirect");
        moved.repair = Repair::region;
        moved.region = "eu-west-1";
        DecideFixture f;
        f.situation.current_region = "us-east-1";
        const Decision custom = f.decide(moved);
        REQUIRE(as<GiveUp>(custom));
        CHECK(as<GiveUp>(custom)->kind == ErrorKind::wrong_region);
        f.situation.aws_endpoint = true;
        CHECK(as<RepairAndRetry>(f.decide(moved)));
    }

    TEST_CASE("a fresh connection is the first answer to a dead reused one, then it is a plain failure") {
        Verdict dead = not_connected();
        dead.repair = Repair::fresh_connection;
        DecideFixture f;
        CHECK(as<RepairAndRetry>(f.decide(dead)));
        f.history.repairs = {Repair::fresh_connection};
        CHECK(as<RetryAt>(f.decide(dead)));
    }

    TEST_CASE("a body that cannot be sent again is not repaired; nor is anything at the deadline") {
        DecideFixture f;
        f.situation.credentials_refreshable = true;
        f.situation.body_repeatable = false;
        CHECK(as<GiveUp>(f.decide(expired_token())));
        f.situation.body_repeatable = true;
        f.situation.deadline = f.situation.now;
        const Decision late = f.decide(expired_token());
        REQUIRE(as<GiveUp>(late));
        CHECK(as<GiveUp>(late)->kind == ErrorKind::deadline);
        CHECK(contains(as<GiveUp>(late)->why, "ExpiredToken"));
    }

    TEST_CASE("a write that may have landed is looked at before it is mended and sent again") {
        Verdict rewind = failure(FailureClass::local_io, RetryRule::once_after_fix, Effect::unknown, false, 0,
                                 "CURLE_SEND_FAIL_REWIND");
        rewind.repair = Repair::fresh_connection;
        DecideFixture f;
        CHECK(as<VerifyFirst>(f.decide(rewind)));
        CHECK(as<RepairAndRetry>(f.after_look(rewind, Finding::absent, 3)));
    }
}

}  // namespace s3tug::policy
