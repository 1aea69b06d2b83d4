#include "policy/verdict.h"

namespace s3tug::policy {

std::string_view to_string(FailureClass c) {
    switch (c) {
        case FailureClass::none: return "none";
        case FailureClass::throttling: return "throttling";
        case FailureClass::server: return "server";
        case FailureClass::transient_network: return "transient_network";
        case FailureClass::timeout: return "timeout";
        case FailureClass::clock_skew: return "clock_skew";
        case FailureClass::redirect: return "redirect";
        case FailureClass::expired_credentials: return "expired_credentials";
        case FailureClass::access: return "access";
        case FailureClass::not_found: return "not_found";
        case FailureClass::precondition: return "precondition";
        case FailureClass::conflict: return "conflict";
        case FailureClass::integrity: return "integrity";
        case FailureClass::client_bug: return "client_bug";
        case FailureClass::unsupported: return "unsupported";
        case FailureClass::quota: return "quota";
        case FailureClass::tls_trust: return "tls_trust";
        case FailureClass::local_io: return "local_io";
        case FailureClass::unknown: break;
    }
    return "unknown";
}

std::string_view to_string(Effect e) {
    switch (e) {
        case Effect::not_applied: return "not_applied";
        case Effect::applied: return "applied";
        case Effect::unknown: break;
    }
    return "unknown";
}

std::string_view to_string(RetryRule r) {
    switch (r) {
        case RetryRule::no: break;
        case RetryRule::yes: return "yes";
        case RetryRule::once_after_fix: return "once_after_fix";
        case RetryRule::verify_first: return "verify_first";
    }
    return "no";
}

std::string_view to_string(Repair r) {
    switch (r) {
        case Repair::none: break;
        case Repair::clock_offset: return "clock_offset";
        case Repair::region: return "region";
        case Repair::credentials: return "credentials";
        case Repair::checksum_style: return "checksum_style";
        case Repair::fresh_connection: return "fresh_connection";
        case Repair::reread_source: return "reread_source";
        case Repair::drop_expect: return "drop_expect";
        case Repair::restart: return "restart";
        case Repair::list_parts: return "list_parts";
    }
    return "none";
}

namespace {

/// The one class whose end depends on which side of the transfer was at fault.
ErrorKind kind_of_local_failure(std::string_view code) {
    if (code == "CURLE_WRITE_ERROR") return ErrorKind::cannot_write;
    if (code == "cancelled" || code == "CURLE_ABORTED_BY_CALLBACK") return ErrorKind::interrupted;
    if (code == "deadline") return ErrorKind::deadline;
    return ErrorKind::cannot_read;
}

}  // namespace

ErrorKind error_kind_of(const Verdict& verdict) {
    switch (verdict.cls) {
        case FailureClass::none: break;
        case FailureClass::throttling:
        case FailureClass::server:
        case FailureClass::transient_network:
        case FailureClass::timeout: return ErrorKind::gave_up;
        case FailureClass::clock_skew: return ErrorKind::clock_skew;
        case FailureClass::redirect: return ErrorKind::wrong_region;
        case FailureClass::expired_credentials: return ErrorKind::credentials_refused;
        case FailureClass::access: return ErrorKind::access_denied;
        case FailureClass::not_found: return ErrorKind::not_found;
        case FailureClass::precondition:
        case FailureClass::conflict: return ErrorKind::precondition;
        case FailureClass::integrity: return ErrorKind::integrity;
        case FailureClass::unsupported: return ErrorKind::unsupported;
        case FailureClass::quota: return ErrorKind::quota;
        case FailureClass::client_bug:
        case FailureClass::unknown: return ErrorKind::refused;
        case FailureClass::tls_trust: return ErrorKind::tls_trust;
        case FailureClass::local_io: return kind_of_local_failure(verdict.code);
    }
    return ErrorKind::bug;
}

}  // namespace s3tug::policy
