#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/checksum.h"
#include "base/time.h"
#include "wire/headers.h"
#include "wire/reply.h"

namespace s3tug::wire {

/// Our write token: user metadata `s3tug-write` (facts/idempotency.md fact 7).
inline constexpr std::string_view write_token_header = "x-amz-meta-s3tug-write";

/// What the user wants the object to carry.
struct ObjectProperties {
    std::string content_type;
    std::string cache_control;
    std::string content_encoding;
    std::string content_disposition;
    std::string storage_class;
    std::vector<Header> metadata;  ///< name without x-amz-meta-; values are checked by valid_metadata_value()
    std::vector<Header> extra;     ///< from --header; x-amz-* among them are signed
};

/// Conditions on the object that stands at the target.
struct WriteConditions {
    bool if_none_match_any = false;  ///< If-None-Match: *
    std::string if_match;            ///< ETag as typed, quotes optional; empty = none

    [[nodiscard]] bool any() const { return if_none_match_any || !if_match.empty(); }
};

enum class ChecksumScope { full_object, composite };

struct StoredChecksum {
    Checksum value;  ///< for composite values the base64 part without "-N"
    ChecksumScope scope = ChecksumScope::full_object;
};

/// What HEAD and GET answers say of an object.
struct ObjectFacts {
    std::optional<uint64_t> size;  ///< of the whole object (Content-Range's total for a range)
    std::string etag;              ///< without quotes or W/
    std::string version_id;        ///< empty, or "null" as some stores send
    std::optional<WallTime> last_modified;
    std::optional<WallTime> server_date;  ///< Date header of this answer
    std::string content_type;
    std::string write_token;       ///< value of our metadata, empty when absent
    std::vector<Header> metadata;  ///< names without x-amz-meta-
    std::vector<StoredChecksum> checksums;
    std::string server_side_encryption;  ///< x-amz-server-side-encryption, "SSE-C" when a customer key header is seen
    bool delete_marker = false;
};
[[nodiscard]] ObjectFacts parse_object_facts(const HttpAnswer& answer);

/// The MD5 of the bytes when the ETag is one: 32 hex digits, no "-N", not SSE-KMS or SSE-C (facts/idempotency.md
/// fact 8). Stores with other ETags cannot be told apart, so a mismatch alone is a warning unless the store is known.
[[nodiscard]] std::optional<std::string> etag_as_md5(const ObjectFacts& facts);

/// ETag without surrounding quotes and weak prefix.
[[nodiscard]] std::string unquote_etag(std::string_view etag);

/// Appends the headers of `properties`, `conditions`, checksum and token in one place for put and copy.
void add_properties(Headers& headers, const ObjectProperties& properties);
void add_conditions(Headers& headers, const WriteConditions& conditions);

/// RFC 9110 date, all three forms; nullopt when it is not one.
[[nodiscard]] std::optional<WallTime> parse_http_date(std::string_view text);
/// Content-Type by file extension, as browsers expect; "binary/octet-stream" when unknown.
[[nodiscard]] std::string_view content_type_of(std::string_view file_name);

struct ContentRange {
    uint64_t first = 0, last = 0;
    std::optional<uint64_t> total;
};
[[nodiscard]] std::optional<ContentRange> parse_content_range(std::string_view text);  ///< "bytes 0-9/100"

}  // namespace s3tug::wire
