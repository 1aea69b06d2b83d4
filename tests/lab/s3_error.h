#pragma once

#include <string>
#include <string_view>

#include "lab/bytes.h"

namespace s3tug::lab {

/// A refusal in S3's own form.
struct S3Error {
    int status;
    std::string code;
    std::string message;
    Fields elements;  ///< further XML elements: Region, CanonicalRequest, ...
    Fields headers;   ///< further answer headers
};

/// The error of that code with its usual status and message; a code not in the table is a 400.
[[nodiscard]] S3Error s3_error(std::string_view code);
[[nodiscard]] S3Error s3_error(std::string_view code, std::string_view message);

[[nodiscard]] std::string_view usual_message(std::string_view code);
/// The code that goes with a status when a script names none.
[[nodiscard]] std::string_view usual_code(int status);

/// The `<Error>` document.
[[nodiscard]] std::string error_document(const S3Error& error, std::string_view resource, std::string_view request_id);

}  // namespace s3tug::lab
