#include "engine/hopeless.h"

#include <doctest/doctest.h>

namespace s3tug::engine {

TEST_SUITE("engine/hopeless") {
    TEST_CASE("only what every other item would meet too ends the run") {
        struct Row {
            ErrorKind kind;
            const char* code;
            bool anything_done;
            bool ends;
        };
        for (const Row& row : {
                 Row{ErrorKind::credentials_refused, "ExpiredToken", true, true},
                 Row{ErrorKind::no_credentials, "", false, true},
                 Row{ErrorKind::access_denied, "InvalidAccessKeyId", true, true},
                 Row{ErrorKind::access_denied, "InvalidToken", true, true},
                 Row{ErrorKind::access_denied, "SignatureDoesNotMatch", false, true},
                 Row{ErrorKind::access_denied, "SignatureDoesNotMatch", true, false},
                 Row{ErrorKind::access_denied, "AccessDenied", false, false},
                 Row{ErrorKind::disk_full, "", true, true},
                 Row{ErrorKind::cannot_write, "", false, false},
                 Row{ErrorKind::gave_up, "SlowDown", false, false},
                 Row{ErrorKind::breaker_open, "", false, true},
                 Row{ErrorKind::breaker_open, "", true, true},
             }) {
            CAPTURE(to_string(row.kind));
            CAPTURE(row.code);
            Outcome outcome;
            outcome.error = Error{row.kind, "x"};
            outcome.code = row.code;
            CHECK(hopeless(outcome, row.anything_done, false).empty() != row.ends);
        }
        CHECK(hopeless({}, false, false).empty());
    }

    TEST_CASE("with a breaker for each bucket, an open one says nothing of the others") {
        Outcome outcome;
        outcome.error = Error{ErrorKind::breaker_open, "x"};
        CHECK(hopeless(outcome, false, true).empty());
    }
}

}  // namespace s3tug::engine
