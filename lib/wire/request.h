#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "wire/headers.h"
#include "wire/operation.h"

namespace s3tug::wire {

struct QueryParam {
    std::string name;  ///< raw bytes, encoded when signed
    std::string value;
};

/// An S3 request as a value, unsigned and without a host: the endpoint, the credentials and the time are added for
/// each attempt by sigv4. Of an object's body only the size is here and how the payload is named in the signature.
struct Request {
    Op op = Op::head_object;
    Method method = Method::head;
    std::string bucket;
    std::string key;  ///< raw bytes; empty for bucket operations
    std::vector<QueryParam> query;
    Headers headers;  ///< without host, x-amz-date, x-amz-content-sha256, x-amz-security-token, authorization
    uint64_t body_bytes = 0;
    bool has_body = false;
    std::string payload_word;  ///< hex SHA-256 of the body, or "UNSIGNED-PAYLOAD"
    /// The body itself where the builder wrote it: the XML of Complete and DeleteObjects. `body_bytes` is its size and
    /// `payload_word` its hash then; the sender keeps it until the attempt has ended (engine/inline_body.h).
    std::string body;
    /// Longest answer to be kept, for operations that answer with a list; what is beyond makes it `body_truncated`.
    std::size_t body_limit = limits::error_body_max_bytes;
};

inline constexpr std::string_view unsigned_payload = "UNSIGNED-PAYLOAD";
inline constexpr std::string_view empty_payload_sha256 =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// What goes on the wire: final URL and header lines. Valid for one attempt only, since the signature holds the time.
struct SignedRequest {
    Op op = Op::head_object;
    Method method = Method::head;
    std::string url;  ///< scheme://authority/encoded-path?encoded-query, path exactly as signed
    Headers headers;  ///< all, host and authorization included
    uint64_t body_bytes = 0;
    bool has_body = false;
    bool expect_continue = false;
    std::size_t body_limit = limits::error_body_max_bytes;  ///< as in Request
};

}  // namespace s3tug::wire
