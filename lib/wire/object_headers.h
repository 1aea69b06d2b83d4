#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "base/time.h"
#include "wire/content_range.h"
#include "wire/content_type.h"
#include "wire/etag.h"
#include "wire/headers.h"
#include "wire/http_date.h"
#include "wire/reply.h"
#include "wire/uri.h"

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
    std::vector<Header> metadata;  ///< name without x-amz-meta-, from parse_metadata()
    std::vector<Header> extra;     ///< from parse_extra_header(); x-amz-* among them are signed
};

/// Conditions on the object that stands at the target.
struct WriteConditions {
    bool if_none_match_any = false;  ///< If-None-Match: *
    std::string if_match;            ///< ETag, quotes optional, or "*"; from parse_etag(); empty = none
    bool bare_etag = false;          ///< sent without quotes, for a store that takes them for a part of the ETag

    [[nodiscard]] bool any() const { return if_none_match_any || !if_match.empty(); }
};

enum class ChecksumScope { full_object, composite };
/// "FULL_OBJECT" or "COMPOSITE", any case.
[[nodiscard]] std::optional<ChecksumScope> parse_checksum_scope(std::string_view type);

struct StoredChecksum {
    Checksum value;  ///< for composite values the base64 part without "-N"
    ChecksumScope scope = ChecksumScope::full_object;
    unsigned parts = 0;  ///< N of "-N"; 0 when the store does not say
    bool operator==(const StoredChecksum&) const = default;
};

/// Checksum of the text that a header or XML element carries for `algorithm`, "-N" included. nullopt when it is not
/// base64 of that algorithm's length. `type` is x-amz-checksum-type; a "-N" means composite whatever it says.
[[nodiscard]] std::optional<StoredChecksum> parse_checksum(ChecksumAlgorithm algorithm, std::string_view text,
                                                           std::string_view type);
/// All well-formed x-amz-checksum-* of an answer, strongest default first (crc64nvme, crc32c, crc32, sha256, sha1).
[[nodiscard]] std::vector<StoredChecksum> parse_checksums(const Headers& headers);
/// "crc64nvme:BASE64", of a composite value with its "-N".
[[nodiscard]] std::string to_text(const StoredChecksum& checksum);

/// What HEAD and GET answers say of an object.
struct ObjectFacts {
    std::optional<uint64_t> size;  ///< of the whole object: Content-Length of a 200, total of a 206 or 416
    std::string etag;              ///< without quotes or W/
    std::string version_id;        ///< empty, or "null" as some stores send
    std::optional<WallTime> last_modified;
    std::optional<WallTime> server_date;  ///< Date header of this answer
    std::string content_type;
    std::string write_token;       ///< value of our metadata, empty when absent
    std::vector<Header> metadata;  ///< names without x-amz-meta-; our write token left out
    /// Of the whole object. Empty for a 206 that is not all of it: stores put the checksum of a part there.
    std::vector<StoredChecksum> checksums;
    std::string cache_control;
    std::string content_encoding;
    std::string content_disposition;
    std::string storage_class;           ///< empty: STANDARD, or the store does not say
    std::string server_side_encryption;  ///< x-amz-server-side-encryption, "SSE-C" when a customer key header is seen
    bool delete_marker = false;
};
/// Total: what is malformed is left out. Control characters in values become blanks (RFC 9110 section 5.5), so that
/// they can be sent again by a copy.
[[nodiscard]] ObjectFacts parse_object_facts(const HttpAnswer& answer);

/// The MD5 of the bytes when the ETag is one: 32 hex digits, no "-N", not SSE-KMS or SSE-C (facts/idempotency.md
/// fact 8). Stores with other ETags cannot be told apart, so a mismatch alone is a warning unless the store is known.
[[nodiscard]] std::optional<std::string> etag_as_md5(const ObjectFacts& facts);

/// Sets the headers of `properties`; those of `extra` replace what stands under the same name.
void add_properties(Headers& headers, const ObjectProperties& properties);
void add_conditions(Headers& headers, const WriteConditions& conditions);

/// "/bucket/key[?versionId=V]", percent-encoded once: the value of x-amz-copy-source.
[[nodiscard]] std::string copy_source(const S3Uri& source, std::string_view version_id);

}  // namespace s3tug::wire
