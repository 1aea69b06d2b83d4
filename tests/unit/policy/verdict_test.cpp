#include "policy/verdict.h"

#include <doctest/doctest.h>

namespace s3tug::policy {

TEST_SUITE("policy/verdict") {
    TEST_CASE("each failure class ends in the error of the exit-code table") {
        struct Row {
            FailureClass cls;
            ErrorKind kind;
        };
        for (const Row row : {
                 Row{FailureClass::throttling, ErrorKind::gave_up},
                 Row{FailureClass::server, ErrorKind::gave_up},
                 Row{FailureClass::transient_network, ErrorKind::gave_up},
                 Row{FailureClass::timeout, ErrorKind::gave_up},
                 Row{FailureClass::clock_skew, ErrorKind::clock_skew},
                 Row{FailureClass::redirect, ErrorKind::wrong_region},
                 Row{FailureClass::expired_credentials, ErrorKind::credentials_refused},
                 Row{FailureClass::access, ErrorKind::access_denied},
                 Row{FailureClass::not_found, ErrorKind::not_found},
                 Row{FailureClass::precondition, ErrorKind::precondition},
                 Row{FailureClass::conflict, ErrorKind::precondition},
                 Row{FailureClass::integrity, ErrorKind::integrity},
                 Row{FailureClass::client_bug, ErrorKind::refused},
                 Row{FailureClass::unsupported, ErrorKind::unsupported},
                 Row{FailureClass::quota, ErrorKind::quota},
                 Row{FailureClass::tls_trust, ErrorKind::tls_trust},
                 Row{FailureClass::unknown, ErrorKind::refused},
                 Row{FailureClass::none, ErrorKind::bug},
             }) {
            Verdict verdict;
            verdict.cls = row.cls;
            CHECK_MESSAGE(error_kind_of(verdict) == row.kind, to_string(row.cls));
        }
    }

    TEST_CASE("a local failure ends by the side that failed") {
        struct Row {
            std::string_view code;
            ErrorKind kind;
        };
        for (const Row row : {
                 Row{"CURLE_WRITE_ERROR", ErrorKind::cannot_write},
                 Row{"CURLE_READ_ERROR", ErrorKind::cannot_read},
                 Row{"CURLE_SEND_FAIL_REWIND", ErrorKind::cannot_read},
                 Row{"cancelled", ErrorKind::interrupted},
                 Row{"CURLE_ABORTED_BY_CALLBACK", ErrorKind::interrupted},
                 Row{"deadline", ErrorKind::deadline},
             }) {
            Verdict verdict;
            verdict.cls = FailureClass::local_io;
            verdict.code = row.code;
            CHECK_MESSAGE(error_kind_of(verdict) == row.kind, row.code);
        }
    }

    TEST_CASE("names are those of the facts") {
        CHECK(to_string(FailureClass::transient_network) == "transient_network");
        CHECK(to_string(FailureClass::expired_credentials) == "expired_credentials");
        CHECK(to_string(RetryRule::once_after_fix) == "once_after_fix");
        CHECK(to_string(Effect::not_applied) == "not_applied");
        CHECK(to_string(Repair::fresh_connection) == "fresh_connection");
    }

}  // TEST_SUITE

}  // namespace s3tug::policy
