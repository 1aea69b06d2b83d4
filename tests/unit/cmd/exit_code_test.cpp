#include "cmd/exit_code.h"

#include <doctest/doctest.h>

#include <csignal>
#include <set>

namespace s3tug::cmd {

TEST_SUITE("cmd/exit_code") {
    TEST_CASE("each kind of failure has its code of the design") {
        struct Row {
            ErrorKind kind;
            int code;
        };
        for (const Row row : {Row{ErrorKind::usage, 64},
                              Row{ErrorKind::key_reused, 64},
                              Row{ErrorKind::integrity, 65},
                              Row{ErrorKind::not_found, 66},
                              Row{ErrorKind::breaker_open, 69},
                              Row{ErrorKind::bug, 70},
                              Row{ErrorKind::cannot_write, 73},
                              Row{ErrorKind::disk_full, 73},
                              Row{ErrorKind::cannot_read, 74},
                              Row{ErrorKind::source_changed, 74},
                              Row{ErrorKind::gave_up, 75},
                              Row{ErrorKind::outcome_unknown, 75},
                              Row{ErrorKind::refused, 76},
                              Row{ErrorKind::unsupported, 76},
                              Row{ErrorKind::quota, 76},
                              Row{ErrorKind::access_denied, 77},
                              Row{ErrorKind::credentials_refused, 77},
                              Row{ErrorKind::no_credentials, 78},
                              Row{ErrorKind::config, 78},
                              Row{ErrorKind::state_file, 78},
                              Row{ErrorKind::tls_trust, 78},
                              Row{ErrorKind::clock_skew, 78},
                              Row{ErrorKind::wrong_region, 78},
                              Row{ErrorKind::precondition, 79},
                              Row{ErrorKind::deadline, 124},
                              Row{ErrorKind::interrupted, 130},
                              Row{ErrorKind::broken_pipe, 141}}) {
            CAPTURE(to_string(row.kind));
            CHECK(exit_code_of(row.kind) == row.code);
        }
    }

    TEST_CASE("an interruption has the code of its signal") {
        CHECK(exit_code_of(ErrorKind::interrupted, SIGTERM) == 143);
        CHECK(exit_code_of(ErrorKind::interrupted, SIGHUP) == 129);
        CHECK(exit_code_of(ErrorKind::interrupted, SIGINT) == 130);
        CHECK(exit_code_of(ErrorKind::interrupted, 0) == 130);
        CHECK(exit_code_of(ErrorKind::not_found, SIGTERM) == 66);
    }

    TEST_CASE("the table has a row for every code that can be returned, in order") {
        std::set<int> codes;
        int previous = -1;
        for (const ExitCode& row : exit_codes()) {
            CHECK(row.code > previous);
            previous = row.code;
            codes.insert(row.code);
        }
        for (int kind = 0; kind <= static_cast<int>(ErrorKind::broken_pipe); ++kind) {
            CHECK(codes.count(exit_code_of(static_cast<ErrorKind>(kind))) == 1);
        }
        CHECK(codes.count(0) == 1);
        CHECK(codes.count(1) == 1);
        CHECK(signal_of(130) == SIGINT);
        CHECK(signal_of(143) == SIGTERM);
        CHECK(signal_of(141) == SIGPIPE);
        CHECK(signal_of(129) == SIGHUP);
        CHECK(signal_of(75) == 0);
    }
}

}  // namespace s3tug::cmd
