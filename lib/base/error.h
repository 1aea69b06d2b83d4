#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace s3tug {

/// Why something ended. A closed set: cmd/exit_code maps each to one exit code (design section 2), and the man page
/// lists them. A kind says what the caller can do next, not where the error came from.
enum class ErrorKind {
    usage,                ///< the command or an option is wrong; fix the command
    key_reused,           ///< the idempotency key was used for something else
    integrity,            ///< bytes did not match after repairs were tried
    not_found,            ///< file, key or bucket is not there
    breaker_open,         ///< the circuit breaker refused; nothing was sent
    bug,                  ///< an invariant of ours is broken
    cannot_write,         ///< local target: no permission, exists, too large for the room that is left
    disk_full,            ///< local target: no space left, or no quota
    cannot_read,          ///< local source cannot be read
    source_changed,       ///< local source changed underway
    gave_up,              ///< retries used up on a temporary failure
    outcome_unknown,      ///< may have been applied; a rerun settles it
    refused,              ///< the store refused or answered what we cannot use
    unsupported,          ///< the store lacks a feature that was asked for
    quota,                ///< a quota of the store is full
    access_denied,        ///< not allowed
    credentials_refused,  ///< credentials refused or expired, and no fresh ones to be had
    no_credentials,       ///< none found
    config,               ///< bad configuration
    state_file,           ///< the state file is needed and does not work
    tls_trust,            ///< certificate not trusted
    clock_skew,           ///< clock wrong and not repairable
    wrong_region,         ///< region or endpoint wrong and not repairable
    precondition,         ///< somebody else's object stands there
    deadline,             ///< --deadline reached, or the next wait would pass it
    interrupted,          ///< SIGINT, SIGTERM or SIGHUP
    broken_pipe,          ///< the reader of stdout went away
};

[[nodiscard]] std::string_view to_string(ErrorKind kind);

/// Was it the caller who ended it, by a signal or a deadline? That says nothing about the store or the source.
[[nodiscard]] constexpr bool is_stop(ErrorKind kind) {
    return kind == ErrorKind::deadline || kind == ErrorKind::interrupted;
}

/// An expected failure as a value. `message` is one line made for the user: what, why, cure; it names the input and
/// never holds a secret. Context is put in front as the error travels up ("open /x: permission denied").
struct Error {
    ErrorKind kind;
    std::string message;

    [[nodiscard]] Error with_context(std::string_view context) && {
        message.insert(0, ": ").insert(0, context);
        return std::move(*this);
    }
};

}  // namespace s3tug
