#include "engine/condition_look.h"

#include "wire/object_requests.h"

namespace s3tug::engine {

bool condition_wants_look(const wire::Endpoint& endpoint, const wire::WriteConditions& conditions,
                          policy::ConditionUse use) {
    return conditions.any() && policy::store_honours(endpoint.host, use) == policy::Honours::unknown;
}

OperationSpec head_of(const wire::S3Uri& uri, const std::string& version_id, const std::vector<wire::Header>& extra) {
    OperationSpec spec;
    spec.op = wire::Op::head_object;
    spec.build = [input = wire::HeadObjectInput{uri, version_id, extra}] { return wire::head_object(input); };
    return spec;
}

std::optional<Outcome> condition_fails(const OperationResult& look, const wire::WriteConditions& conditions,
                                       const std::string& own_token) {
    std::string what;
    if (!look.error) {
        const wire::ObjectFacts found = wire::parse_object_facts(look.answer);
        if (!own_token.empty() && found.write_token == own_token) return std::nullopt;
        const bool etag_holds = !conditions.if_match.empty() &&
                                (conditions.if_match == "*" || wire::unquote_etag(conditions.if_match) == found.etag);
        if (!conditions.if_none_match_any && etag_holds) return std::nullopt;
        what = "another object than expected stands there";
    } else if (look.verdict.cls == policy::FailureClass::not_found && !conditions.if_match.empty()) {
        what = "no object stands there";
    } else {
        return std::nullopt;
    }
    return failed(Error{ErrorKind::precondition, "precondition failed, " + what + " (looked at before sending)"});
}

}  // namespace s3tug::engine
