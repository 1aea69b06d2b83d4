#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "policy/decide.h"

namespace s3tug::policy {

/// One request at one moment, to be varied by a test, and short names for the verdicts that are met most.
struct DecideFixture {
    RetryConfig config;
    History history{.attempts = 1};
    Situation situation;
    RetryBudget budget{{}, Instant(hours(1))};
    uint64_t seed = 1;

    DecideFixture() {
        situation.now = Instant(hours(1));
        rule(wire::Op::put_object);
    }

    void rule(wire::Op op, Conditional condition = Conditional::none, BucketKind bucket = BucketKind::not_known,
              Look look = Look::allowed, bool token = true) {
        situation.rule = &idempotency_rule(op, condition, bucket, look, token);
    }
    [[nodiscard]] Decision decide(const Verdict& verdict) const {
        Rng rng(seed);
        return policy::decide(config, history, verdict, situation, budget, rng);
    }
    [[nodiscard]] Decision after_look(const Verdict& verdict, Finding finding, unsigned looks) const {
        Rng rng(seed);
        return decide_after_look(config, history, verdict, finding, looks, situation, budget, rng);
    }
};

template <class T>
const T* as(const Decision& decision) {
    return std::get_if<T>(&decision);
}

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

inline Verdict failure(FailureClass cls, RetryRule retry, Effect effect, bool counts, int status, std::string code) {
    Verdict v;
    v.cls = cls;
    v.retry = retry;
    v.effect = effect;
    v.counts_for_breaker = counts;
    v.status = status;
    v.host_answered = status != 0;
    v.code = std::move(code);
    return v;
}

// Columns of facts/errors.csv.
inline Verdict slow_down() {
    return failure(FailureClass::throttling, RetryRule::yes, Effect::not_applied, true, 503, "SlowDown");
}
inline Verdict plain_503() {
    return failure(FailureClass::throttling, RetryRule::yes, Effect::unknown, true, 503, "HTTP 503");
}
inline Verdict internal_error() {
    return failure(FailureClass::server, RetryRule::verify_first, Effect::unknown, true, 500, "InternalError");
}
inline Verdict reset() {
    return failure(FailureClass::transient_network, RetryRule::verify_first, Effect::unknown, true, 0,
                   "CURLE_RECV_ERROR");
}
inline Verdict not_connected() {
    return failure(FailureClass::transient_network, RetryRule::yes, Effect::not_applied, true, 0,
                   "CURLE_COULDNT_CONNECT");
}
inline Verdict not_resolved() {
    return failure(FailureClass::transient_network, RetryRule::yes, Effect::not_applied, true, 0,
                   "CURLE_COULDNT_RESOLVE_HOST");
}
inline Verdict access_denied() {
    return failure(FailureClass::access, RetryRule::no, Effect::not_applied, false, 403, "AccessDenied");
}
inline Verdict no_such_key() {
    return failure(FailureClass::not_found, RetryRule::no, Effect::not_applied, false, 404, "NoSuchKey");
}
inline Verdict precondition_failed() {
    return failure(FailureClass::precondition, RetryRule::verify_first, Effect::not_applied, false, 412,
                   "PreconditionFailed");
}
inline Verdict conditional_conflict() {
    return failure(FailureClass::conflict, RetryRule::verify_first, Effect::not_applied, false, 409,
                   "ConditionalRequestConflict");
}
inline Verdict expired_token() {
    Verdict v = failure(FailureClass::expired_credentials, RetryRule::once_after_fix, Effect::not_applied, false, 400,
                        "ExpiredToken");
    v.repair = Repair::credentials;
    return v;
}

}  // namespace s3tug::policy
