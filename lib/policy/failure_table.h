#pragma once

#include <cstdint>
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
[[nodiscard]] std::span<const FailureRow> transport_rows();        ///< sorted by number; our own from 1001 on
[[nodiscard]] std::span<const FailureRow> status_rows();           ///< plain ones by number, then the unusual answers
[[nodiscard]] const FailureRow* find_code(std::string_view code);  ///< accepts "503 SlowDown" too
[[nodiscard]] const FailureRow* find_transport(int number);
[[nodiscard]] const FailureRow& find_status(int status);  ///< falls back to other_4xx, other_5xx, not_from_s3

/// Answers whose status alone says too little.
enum class UnusualAnswer : uint8_t {
    only_interim,      ///< 100 Continue, then nothing
    error_in_200,      ///< <Error> with a code that the table does not know
    no_result_in_200,  ///< empty or cut XML where the operation needs a result element
    errors_for_keys,   ///< DeleteObjects: each key has its own code
    range_ignored,     ///< 200 to a Range request
    other_range,       ///< 206 whose Content-Range is not what was asked
    other_4xx,
    other_5xx,
    not_from_s3,  ///< HTML or anything else that is not S3's, and statuses that no row knows
};
[[nodiscard]] const FailureRow& find_unusual(UnusualAnswer answer);

}  // namespace s3tug::policy
