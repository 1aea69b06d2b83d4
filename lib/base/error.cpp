#include "base/error.h"

namespace s3tug {

std::string_view to_string(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage: return "usage";
        case ErrorKind::key_reused: return "key_reused";
        case ErrorKind::integrity: return "integrity";
        case ErrorKind::not_found: return "not_found";
        case ErrorKind::breaker_open: return "breaker_open";
        case ErrorKind::bug: return "bug";
        case ErrorKind::cannot_write: return "cannot_write";
        case ErrorKind::disk_full: return "disk_full";
        case ErrorKind::cannot_read: return "cannot_read";
        case ErrorKind::source_changed: return "source_changed";
        case ErrorKind::gave_up: return "gave_up";
        case ErrorKind::outcome_unknown: return "outcome_unknown";
        case ErrorKind::refused: return "refused";
        case ErrorKind::unsupported: return "unsupported";
        case ErrorKind::quota: return "quota";
        case ErrorKind::access_denied: return "access_denied";
        case ErrorKind::credentials_refused: return "credentials_refused";
        case ErrorKind::no_credentials: return "no_credentials";
        case ErrorKind::config: return "config";
        case ErrorKind::state_file: return "state_file";
        case ErrorKind::tls_trust: return "tls_trust";
        case ErrorKind::clock_skew: return "clock_skew";
        case ErrorKind::wrong_region: return "wrong_region";
        case ErrorKind::precondition: return "precondition";
        case ErrorKind::deadline: return "deadline";
        case ErrorKind::interrupted: return "interrupted";
        case ErrorKind::broken_pipe: return "broken_pipe";
    }
    return "bug";
}

}  // namespace s3tug
