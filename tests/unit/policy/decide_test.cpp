#include "policy/decide.h"

#include <doctest/doctest.h>

#include <string>

#include "unit/policy/decide_fixture.h"

namespace s3tug::policy {

TEST_SUITE("policy/decide") {
    TEST_CASE("success is done") {
        DecideFixture f;
        CHECK(as<Done>(f.decide(Verdict{})));
    }

    TEST_CASE("a throttle is sent again after the formula's wait, up to the number of retries") {
        struct Row {
            unsigned attempts;
            int64_t least_ms;
        };
        // facts/backoff.md section 1, base text: min(500 ms * 2^n, 30 s) + U(0, 500 ms)
        for (const Row row : {Row{1, 500}, Row{2, 1000}, Row{3, 2000}, Row{4, 4000}, Row{5, 8000}, Row{6, 16000}}) {
            CAPTURE(row.attempts);
            DecideFixture f;
            f.history.attempts = row.attempts;
            const Decision decision = f.decide(slow_down());
            const auto* retry = as<RetryAt>(decision);
            REQUIRE(retry);
            CHECK(retry->wait >= milliseconds(row.least_ms));
            CHECK(retry->wait <= milliseconds(row.least_ms + 500));
            CHECK(retry->when == f.situation.now + retry->wait);
        }
        DecideFixture f;
        f.history.attempts = 7;
        const Decision decision = f.decide(slow_down());
        const auto* end = as<GiveUp>(decision);
        REQUIRE(end);
        CHECK(end->kind == ErrorKind::gave_up);
        CHECK(end->counts_for_breaker);
        CHECK(end->why == "503 SlowDown after 7 attempts");
    }

    TEST_CASE("a run that is mostly served waits less long for those that were unlucky in a row, and says so") {
        DecideFixture f;
        f.situation.served = Served::part;
        f.history.attempts = 5;
        const Decision throttled = f.decide(slow_down());
        REQUIRE(as<RetryAt>(throttled));
        CHECK(as<RetryAt>(throttled)->why == "250ms*2^2 + U(0,250ms), eased: the store serves others");
        CHECK(as<RetryAt>(throttled)->wait >= milliseconds(1000));
        CHECK(as<RetryAt>(throttled)->wait <= milliseconds(1250));
        const Decision refused = f.decide(not_connected());
        REQUIRE(as<RetryAt>(refused));
        CHECK(as<RetryAt>(refused)->wait <= milliseconds(625));
        // The number of attempts stays what it was, and the last wait too.
        f.history.attempts = 6;
        const Decision last = f.decide(slow_down());
        REQUIRE(as<RetryAt>(last));
        CHECK(as<RetryAt>(last)->wait >= milliseconds(16000));
        f.history.attempts = 7;
        CHECK(as<GiveUp>(f.decide(slow_down())) != nullptr);
    }

    TEST_CASE("the trace names the formula with its numbers") {
        struct Row {
            BackoffKind kind;
            unsigned attempts;
            std::string_view why;
        };
        const Row rows[] = {
            {BackoffKind::exponential, 2, "500ms*2^1 + U(0,500ms)"},
            {BackoffKind::exponential, 200, "30s + U(0,500ms)"},
            {BackoffKind::full_jitter, 3, "U(0,500ms*2^2)"},
            {BackoffKind::equal_jitter, 1, "t/2 + U(0,t/2), t=500ms*2^0"},
            {BackoffKind::decorrelated, 2, "min(30s, U(500ms,3*700ms))"},
            {BackoffKind::linear, 2, "min(500ms*2, 30s)"},
            {BackoffKind::fixed, 2, "500ms"},
        };
        for (const Row& row : rows) {
            DecideFixture f;
            f.config.retries = 1000;
            f.config.backoff.kind = row.kind;
            f.history.attempts = row.attempts;
            f.history.previous_wait = milliseconds(700);
            const Decision decision = f.decide(slow_down());
            REQUIRE(as<RetryAt>(decision));
            CHECK(as<RetryAt>(decision)->why == row.why);
        }
    }

    TEST_CASE("final failures end at once with their own kind and do not count for the breaker") {
        struct Row {
            Verdict verdict;
            ErrorKind kind;
        };
        const Row rows[] = {
            {access_denied(), ErrorKind::access_denied},
            {no_such_key(), ErrorKind::not_found},
            {precondition_failed(), ErrorKind::precondition},
            {failure(FailureClass::unsupported, RetryRule::no, Effect::not_applied, false, 501, "NotImplemented"),
             ErrorKind::unsupported},
            {failure(FailureClass::quota, RetryRule::no, Effect::not_applied, false, 507, "HTTP 507"),
             ErrorKind::quota},
            {failure(FailureClass::tls_trust, RetryRule::no, Effect::not_applied, false, 0,
                     "CURLE_PEER_FAILED_VERIFICATION"),
             ErrorKind::tls_trust},
            {failure(FailureClass::client_bug, RetryRule::verify_first, Effect::not_applied, false, 416,
                     "InvalidRange"),
             ErrorKind::refused},
        };
        for (const Row& row : rows) {
            CAPTURE(row.verdict.code);
            DecideFixture f;
            const Decision decision = f.decide(row.verdict);
            REQUIRE(as<GiveUp>(decision));
            CHECK(as<GiveUp>(decision)->kind == row.kind);
            CHECK_FALSE(as<GiveUp>(decision)->counts_for_breaker);
        }
    }

    TEST_CASE("an unresolvable name is tried three times, not seven") {
        DecideFixture f;
        for (unsigned tries = 1; tries <= 2; ++tries) {
            f.history.attempts = f.history.resolve_failures = tries;
            CHECK(as<RetryAt>(f.decide(not_resolved())));
        }
        f.history.attempts = f.history.resolve_failures = 3;
        const Decision decision = f.decide(not_resolved());
        REQUIRE(as<GiveUp>(decision));
        CHECK(as<GiveUp>(decision)->kind == ErrorKind::gave_up);
        CHECK(contains(as<GiveUp>(decision)->why, "is the host name right?"));
        CHECK(as<RetryAt>(f.decide(slow_down())));  // the name resolved meanwhile
    }

    TEST_CASE("a trial and a body that cannot be sent twice are single attempts") {
        for (const bool trial : {true, false}) {
            DecideFixture f;
            f.situation.trial = trial;
            f.situation.body_repeatable = trial;
            const Decision decision = f.decide(slow_down());
            REQUIRE(as<GiveUp>(decision));
            CHECK(as<GiveUp>(decision)->kind == ErrorKind::gave_up);
            CHECK(as<GiveUp>(decision)->counts_for_breaker);
        }
    }

    TEST_CASE("an empty budget delays a retry and never refuses it") {
        DecideFixture f;
        const Instant now = f.situation.now;
        while (f.budget.tokens(now) >= 5) f.budget.take(FailureClass::throttling, now);
        REQUIRE(f.budget.affordable_at(FailureClass::throttling, now) > now);
        for (int i = 0; i < 10; ++i) f.budget.take(FailureClass::server, now);
        const Decision decision = f.decide(slow_down());
        const auto* retry = as<RetryAt>(decision);
        REQUIRE(retry);
        CHECK(retry->when == f.budget.affordable_at(FailureClass::throttling, now));
        CHECK(retry->wait == retry->when - now);
        CHECK(contains(retry->why, "retry budget is empty"));
    }

    TEST_CASE("a budget that never refills still has a bounded wait") {
        DecideFixture f;
        f.budget = RetryBudget({.refill_per_second = 0}, f.situation.now);
        for (int i = 0; i < 30; ++i) f.budget.take(FailureClass::server, f.situation.now);
        const Decision decision = f.decide(slow_down());
        REQUIRE(as<RetryAt>(decision));
        CHECK(as<RetryAt>(decision)->wait == limits::backoff_max);
    }

    TEST_CASE("server hints are taken within their bounds") {
        DecideFixture f;
        Verdict v = slow_down();
        v.hint = ServerHint{ServerHint::Unit::retry_after, seconds(60)};
        const Decision after = f.decide(v);
        REQUIRE(as<RetryAt>(after));
        CHECK(as<RetryAt>(after)->wait >= seconds(20));
        CHECK(as<RetryAt>(after)->wait <= milliseconds(20'500));
        CHECK(contains(as<RetryAt>(after)->why, "Retry-After 1m, honoured up to 20s"));

        v.hint = ServerHint{ServerHint::Unit::amz_retry_after, seconds(3600)};
        const Decision amz = f.decide(v);
        REQUIRE(as<RetryAt>(amz));
        CHECK(as<RetryAt>(amz)->wait >= milliseconds(5'500));
        CHECK(as<RetryAt>(amz)->wait <= milliseconds(6'000));

        Verdict final = access_denied();
        final.hint = v.hint;
        CHECK(as<GiveUp>(f.decide(final)));
    }

    TEST_CASE("a wait that would reach the deadline is not begun, and the real error is named") {
        DecideFixture f;
        f.history.attempts = 5;  // 8 s to 8.5 s
        f.situation.deadline = f.situation.now + seconds(8);
        const Decision decision = f.decide(slow_down());
        const auto* end = as<GiveUp>(decision);
        REQUIRE(end);
        CHECK(end->kind == ErrorKind::deadline);
        CHECK(contains(end->why, "last error: 503 SlowDown"));
        CHECK_FALSE(end->counts_for_breaker);  // the caller's limit says nothing about the store
        f.situation.deadline = f.situation.now + milliseconds(8'501);
        CHECK(as<RetryAt>(f.decide(slow_down())));
    }

    TEST_CASE("a budget's delay does not pass the deadline either") {
        DecideFixture f;
        for (int i = 0; i < 20; ++i) f.budget.take(FailureClass::server, f.situation.now);
        f.situation.deadline = f.situation.now + seconds(20);
        const Decision decision = f.decide(slow_down());
        REQUIRE(as<GiveUp>(decision));
        CHECK(as<GiveUp>(decision)->kind == ErrorKind::deadline);
    }

    TEST_CASE("a server's hint that is longer than what is left is told") {
        DecideFixture f;
        f.situation.deadline = f.situation.now + seconds(12);
        Verdict v = slow_down();
        v.hint = ServerHint{ServerHint::Unit::retry_after, seconds(60)};
        const Decision decision = f.decide(v);
        REQUIRE(as<GiveUp>(decision));
        CHECK(contains(as<GiveUp>(decision)->why, "the server asked for 1m"));
        v.hint->value = Duration::max();
        CHECK(as<GiveUp>(f.decide(v)));
        v.hint.reset();
        f.situation.deadline = f.situation.now;
        const Decision without = f.decide(v);
        REQUIRE(as<GiveUp>(without));
        CHECK_FALSE(contains(as<GiveUp>(without)->why, "the server asked for"));
    }

    TEST_CASE("no randomness is drawn unless there is a wait") {
        DecideFixture f;
        for (const Verdict& v : {Verdict{}, access_denied(), internal_error()}) {
            Rng rng(9);
            static_cast<void>(decide(f.config, f.history, v, f.situation, f.budget, rng));
            Rng untouched(9);
            CHECK(rng.next() == untouched.next());
        }
    }
}

}  // namespace s3tug::policy
