#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/object_headers.h"
#include "wire/reply.h"

/// Parsers of S3's answers. Input is hostile: bounded, never throws, tolerant of control characters and of an empty
/// <Message/> (facts/servers.md), strict where success depends on it: a 200 without its result element is no success.
namespace s3tug::wire {

/// <Error> document at any status, 2xx included.
struct ErrorBody {
    std::string code;
    std::string message;
    std::string request_id;
    std::string region;       ///< <Region>
    std::string endpoint;     ///< <Endpoint>; shown, never followed
    std::string server_time;  ///< <ServerTime>
    std::string string_to_sign;
    std::string canonical_request;
};

enum class BodyKind { empty, error_document, other_xml, html, other, truncated_xml };
struct ParsedBody {
    BodyKind kind = BodyKind::empty;
    ErrorBody error;           ///< filled for error_document
    std::string root_element;  ///< for XML
};
[[nodiscard]] ParsedBody parse_body(const HttpAnswer& answer);

/// x-amz-request-id of the answer or RequestId of the body.
[[nodiscard]] std::string request_id_of(const HttpAnswer& answer, const ParsedBody& body);

struct WriteResult {
    std::string etag;
    std::string version_id;
    std::vector<StoredChecksum> checksums;
};
[[nodiscard]] WriteResult parse_put_object(const HttpAnswer& answer);
/// Needs <CopyObjectResult> with an ETag; anything else in a 200 is a `refused` error (outcome unknown).
[[nodiscard]] Result<WriteResult> parse_copy_object(const HttpAnswer& answer);

struct DeleteResult {
    std::string version_id;
    bool delete_marker = false;
};
[[nodiscard]] DeleteResult parse_delete_object(const HttpAnswer& answer);

}  // namespace s3tug::wire
