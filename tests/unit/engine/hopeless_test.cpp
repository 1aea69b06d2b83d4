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
                 Row{ErrorKind::breaker_open, "", false, false},
             }) {
            CAPTURE(to_string(row.kind));
            CAPTURE(row.code);
            Outcome outcome;
            outcome.error = Error{row.kind, "x"};
            outcome.code = row.code;
            CHECK(hopeless(outcome, row.anything_done).empty() != row.ends);
        }
        CHECK(hopeless({}, false).empty());
    }
}

}  // namespace s3tug::engine
