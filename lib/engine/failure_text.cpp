#include "engine/failure_text.h"

#include "base/text.h"

namespace s3tug::engine {
namespace {

std::string_view plain_words(ErrorKind kind, const policy::Verdict& verdict) {
    switch (kind) {
        case ErrorKind::access_denied: return "access denied";
        case ErrorKind::credentials_refused: return "credentials expired or refused";
        case ErrorKind::not_found: return "not found";
        case ErrorKind::precondition:
            return verdict.cls == policy::FailureClass::conflict
                       ? "a conflict with what stands there or is written there"
                       : "precondition failed, another object than expected stands there";
        case ErrorKind::integrity: return "bytes did not match";
        case ErrorKind::unsupported: return "the store does not support what was asked for";
        case ErrorKind::quota: return "a quota of the store is full";
        case ErrorKind::tls_trust: return "the server's certificate is not trusted";
        case ErrorKind::clock_skew: return "the clock is wrong and could not be corrected";
        case ErrorKind::wrong_region: return "wrong region or endpoint";
        case ErrorKind::refused:
            return verdict.cls == policy::FailureClass::precondition
                       ? "the store refused a condition that was not sent, a fault of it or of a proxy before it"
                       : "the store refused the request";
        case ErrorKind::outcome_unknown: return "outcome unknown, a rerun settles it";
        case ErrorKind::gave_up:
            return verdict.status == 0 ? "gave up for now, the store cannot be reached" : "gave up for now";
        default: return to_string(kind);
    }
}

/// Where the store says that the bucket is.
std::string named_place(const policy::Verdict& verdict) {
    std::string text;
    if (!verdict.region.empty()) text += ", the bucket is in region " + verdict.region;
    if (!verdict.endpoint.empty()) text += ", the store names " + verdict.endpoint;
    return text;
}

}  // namespace

std::string short_text(const policy::Verdict& verdict) {
    const std::string status = verdict.status != 0 ? std::to_string(verdict.status) : std::string();
    if (verdict.code.empty() || verdict.code == "HTTP " + status) return status;
    return status.empty() ? verdict.code : status + " " + verdict.code;
}

std::string verdict_text(const policy::Verdict& verdict) {
    std::string text = short_text(verdict);
    if (!verdict.message.empty()) {
        if (!text.empty()) text += ": ";
        text += verdict.message;
    }
    if (!verdict.request_id.empty()) text += ", request " + verdict.request_id;
    return text;
}

ErrorKind kind_for(ErrorKind kind, const policy::Verdict& verdict, wire::Op op, policy::Conditional condition) {
    const bool pinned = op == wire::Op::get_object || op == wire::Op::head_object || op == wire::Op::copy_object ||
                        op == wire::Op::upload_part_copy;
    if (kind != ErrorKind::precondition || condition != policy::Conditional::none) return kind;
    if (verdict.status == 412 && !pinned) return ErrorKind::refused;
    // To a Complete it is final, since S3 wants a new upload.
    const bool race = verdict.retry != policy::RetryRule::no || verdict.code == "ConditionalRequestConflict" ||
                      verdict.code == "HTTP 409";
    return verdict.cls == policy::FailureClass::conflict && race ? ErrorKind::gave_up : kind;
}

Error failure_error(ErrorKind kind, const policy::Verdict& verdict, std::string_view why, unsigned attempts,
                    Duration elapsed) {
    const std::string store = verdict_text(verdict);
    if (is_stop(kind)) {
        std::string text = kind == ErrorKind::deadline ? "deadline reached" : "interrupted by a signal";
        if (!why.empty()) text.append(" (").append(why).append(")");
        if (!store.empty() && why.find("last error") == std::string_view::npos) text += "; last error: " + store;
        return {kind, std::move(text)};
    }
    std::string text(plain_words(kind, verdict));
    if (kind == ErrorKind::gave_up || kind == ErrorKind::outcome_unknown) {
        text += " after " + std::to_string(attempts) + (attempts == 1 ? " try" : " tries") + " in " +
                format_duration(elapsed);
    }
    if (kind == ErrorKind::wrong_region) text += named_place(verdict);
    if (!store.empty()) text += " (" + store + ")";
    return {kind, std::move(text)};
}

}  // namespace s3tug::engine
