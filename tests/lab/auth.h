#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/http.h"
#include "lab/s3_error.h"

namespace s3tug::lab {

struct Credential {
    std::string access_key;
    std::string secret_key;
    std::string session_token;       ///< empty: long-lived
    std::optional<int64_t> expires;  ///< Unix seconds
};

struct AuthRules {
    std::vector<Credential> credentials;
    std::string region;
    bool check_signature = true;
    bool allow_anonymous = false;
    int64_t now = 0;  ///< the server's clock, Unix seconds
};

/// Who sent the request, and what the body must satisfy.
struct Identity {
    std::string access_key;  ///< empty: anonymous
    std::string session_token;
    std::string payload_word = "UNSIGNED-PAYLOAD";  ///< x-amz-content-sha256
    std::string signing_key;                        ///< with the next three: for signed chunks
    std::string scope;
    std::string time;
    std::string signature;
};

/// Checks Signature Version 4, in headers or in the query, against the request as it was received. The path and query
/// are never decoded and encoded again: what is on the wire must be in S3's canonical form already, and a request
/// where it is not gets an error that shows the byte, so that two wrongs do not make a right.
[[nodiscard]] std::variant<Identity, S3Error> authenticate(const Head& head, const AuthRules& rules);

/// The canonical request as the server sees it.
/// @param without  a query parameter to leave out
[[nodiscard]] std::string canonical_request(const Head& head, const std::vector<std::string_view>& signed_headers,
                                            std::string_view payload_word, std::string_view without);

}  // namespace s3tug::lab
