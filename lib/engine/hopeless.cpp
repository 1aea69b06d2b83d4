#include "engine/hopeless.h"

namespace s3tug::engine {

std::string_view hopeless(const Outcome& outcome, bool anything_done, bool breaker_per_bucket) {
    if (outcome.ok()) return {};
    switch (outcome.error->kind) {
        case ErrorKind::credentials_refused:
        case ErrorKind::no_credentials: return "no credentials that work";
        case ErrorKind::breaker_open: return breaker_per_bucket ? "" : "the circuit breaker is open";
        case ErrorKind::disk_full: return "the disk is full";
        case ErrorKind::access_denied:
            if (outcome.code == "InvalidAccessKeyId" || outcome.code == "InvalidToken")
                return "no credentials that work";
            if (outcome.code == "SignatureDoesNotMatch" && !anything_done) return "no credentials that work";
            return {};
        default: return {};
    }
}

}  // namespace s3tug::engine
