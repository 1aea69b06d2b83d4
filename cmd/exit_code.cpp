#include "cmd/exit_code.h"

#include <array>
#include <csignal>

namespace s3tug::cmd {
namespace {

constexpr auto table = std::to_array<ExitCode>({
    {0, "all done and verified", "go on"},
    {1, "some items done, some failed, or failures of different kinds",
     "read the summary; --failed-to lists the items"},
    {64, "wrong usage, or the idempotency key was used for something else", "fix the command"},
    {65, "bytes did not match, after repairs were tried", "look, and do not trust the copy"},
    {66, "not found: file, key or bucket", "fix the name"},
    {69, "circuit breaker open: nothing was sent", "come back at the time the line gives"},
    {70, "a bug in s3tug", "report it"},
    {73, "cannot write here: disk full, no permission, exists", "free space or fix the path"},
    {74, "cannot read here, or the source changed underway", "fix the source"},
    {75, "gave up for now, or the outcome is unknown and a rerun settles it", "run again later"},
    {76, "the store refused, lacks a feature asked for, or a quota is full", "change store, quota or option"},
    {77, "access denied, or credentials refused or expired", "fix permissions"},
    {78, "no credentials, bad configuration or state file, certificate not trusted, wrong clock or region",
     "fix the setup"},
    {79, "precondition failed: somebody else's object stands there", "decide"},
    {124, "--deadline reached; the line names the last real error", "run again"},
    {129, "the terminal went away (SIGHUP)", "-", SIGHUP},
    {130, "interrupted (SIGINT)", "-", SIGINT},
    {141, "the reader of standard output went away (SIGPIPE)", "-", SIGPIPE},
    {143, "terminated (SIGTERM)", "-", SIGTERM},
});

}  // namespace

std::span<const ExitCode> exit_codes() { return table; }

int exit_code_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage:
        case ErrorKind::key_reused: return 64;
        case ErrorKind::integrity: return 65;
        case ErrorKind::not_found: return 66;
        case ErrorKind::breaker_open: return 69;
        case ErrorKind::bug: return 70;
        case ErrorKind::cannot_write:
        case ErrorKind::disk_full: return 73;
        case ErrorKind::cannot_read:
        case ErrorKind::source_changed: return 74;
        case ErrorKind::gave_up:
        case ErrorKind::outcome_unknown: return 75;
        case ErrorKind::refused:
        case ErrorKind::unsupported:
        case ErrorKind::quota: return 76;
        case ErrorKind::access_denied:
        case ErrorKind::credentials_refused: return 77;
        case ErrorKind::no_credentials:
        case ErrorKind::config:
        case ErrorKind::state_file:
        case ErrorKind::tls_trust:
        case ErrorKind::clock_skew:
        case ErrorKind::wrong_region: return 78;
        case ErrorKind::precondition: return 79;
        case ErrorKind::deadline: return 124;
        case ErrorKind::interrupted: return 130;
        case ErrorKind::broken_pipe: return 141;
    }
    return 70;
}

int exit_code_of(ErrorKind kind, int signal) {
    return kind == ErrorKind::interrupted && signal != 0 ? exit_code_of_signal(signal) : exit_code_of(kind);
}

int signal_of(int exit_code) {
    for (const ExitCode& row : table) {
        if (row.code == exit_code) return row.dies_by;
    }
    return 0;
}

}  // namespace s3tug::cmd
