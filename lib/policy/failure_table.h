#pragma once

#include <span>
#include <string_view>

#include "policy/verdict.h"

namespace s3tug::policy {

/// One row of the classification table: everything that is known of one S3 error code, libcurl result or HTTP status.
/// The table is complete: every row of facts/errors.csv, compared by a test when that file is present.
struct FailureRow {
    std::string_view name;  ///< "SlowDown"; "CURLE_RECV_ERROR"; "503"
    int number;             ///< usual HTTP status for codes; libcurl number; status
    FailureClass cls;
    RetryRule retry;
    Effect effect;
    bool counts_for_breaker;
    Repair repair;  ///< Repair::none unless retry is once_after_fix
};

[[nodiscard]] std::span<const FailureRow> code_rows();             ///< sorted by name
[[nodiscard]] std::span<const FailureRow> transport_rows();        ///< sorted by number
[[nodiscard]] std::span<const FailureRow> status_rows();           ///< sorted by number; and the named body situations
[[nodiscard]] const FailureRow* find_code(std::string_view code);  ///< accepts "503 SlowDown" too
[[nodiscard]] const FailureRow* find_transport(int number);
[[nodiscard]] const FailureRow& find_status(int status);  ///< falls back to "other 4xx" / "other 5xx" / "unknown"

}  // namespace s3tug::policy
