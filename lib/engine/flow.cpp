#include "engine/flow.h"

namespace s3tug::engine {

Outcome failed(const OperationResult& result) {
    Outcome outcome;
    outcome.error = result.error;
    outcome.status = result.verdict.status;
    outcome.code = result.verdict.code;
    outcome.request_id = result.verdict.request_id;
    return outcome;
}

StoreSaid said_by_store(const OperationResult& result) {
    return {result.verdict.status, result.verdict.code, result.verdict.request_id};
}

Outcome failed(Error error) {
    Outcome outcome;
    outcome.error = std::move(error);
    return outcome;
}

policy::Conditional conditional_of(const wire::WriteConditions& conditions) {
    if (conditions.if_none_match_any) return policy::Conditional::if_none_match;
    if (!conditions.if_match.empty()) return policy::Conditional::if_match;
    return policy::Conditional::none;
}

namespace {

Status is_kept(const wire::Endpoint& endpoint, const wire::WriteConditions& conditions, policy::ConditionUse use) {
    const policy::Honours honours = policy::store_honours(endpoint.host, use);
    if (honours == policy::Honours::yes || honours == policy::Honours::unknown) return {};
    const std::string option = conditions.if_none_match_any ? "--no-overwrite" : "--if-match";
    const std::string what = honours == policy::Honours::no ? "ignores" : "refuses";
    std::string text = endpoint.host + " " + what + " the condition of " + option + ", nothing was sent";
    if (conditions.if_none_match_any) text += "; --no-clobber looks first instead, but cannot exclude a race";
    return Error{ErrorKind::unsupported, std::move(text)};
}

}  // namespace

Status condition_is_kept(const wire::Endpoint& endpoint, const wire::WriteConditions& conditions, bool copy) {
    if (!conditions.any()) return {};
    policy::ConditionUse use = policy::ConditionUse::copy_destination;
    if (!copy) {
        use =
            conditions.if_none_match_any ? policy::ConditionUse::put_if_none_match : policy::ConditionUse::put_if_match;
    }
    return is_kept(endpoint, conditions, use);
}

Status condition_is_kept_by_complete(const wire::Endpoint& endpoint, const wire::WriteConditions& conditions) {
    if (!conditions.any()) return {};
    // If-Match of Complete was measured nowhere; a store that does not keep it for a put will not keep it here.
    return is_kept(endpoint, conditions,
                   conditions.if_none_match_any ? policy::ConditionUse::complete_if_none_match
                                                : policy::ConditionUse::put_if_match);
}

}  // namespace s3tug::engine
