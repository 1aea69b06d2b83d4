#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/answers.h"
#include "wire/object_headers.h"
#include "wire/reply.h"

/// Parsers of the answers to the operations of a multipart upload, as wire/answers.h: hostile input, bounded, strict
/// where success depends on it. Errors are `refused`, and say for writes that the outcome is not known.
namespace s3tug::wire {

struct CreatedUpload {
    std::string upload_id;  ///< 1 to limits::upload_id_max_bytes
    /// What the store understood of the checksum that was asked for; empty where it says nothing, as stores do that
    /// ignore it.
    std::optional<ChecksumAlgorithm> checksum;
    std::optional<ChecksumScope> scope;
};
[[nodiscard]] Result<CreatedUpload> parse_create_multipart_upload(const HttpAnswer& answer);

struct PartResult {
    std::string etag;  ///< not empty: Complete needs it
    std::vector<StoredChecksum> checksums;
};
[[nodiscard]] Result<PartResult> parse_upload_part(const HttpAnswer& answer);
/// Needs <CopyPartResult> with an ETag: the 200 comes before the copy is done.
[[nodiscard]] Result<PartResult> parse_upload_part_copy(const HttpAnswer& answer);

/// Needs <CompleteMultipartUploadResult> with an ETag (facts/idempotency.md section 4 step 2): the 200 comes at once,
/// then blanks while the store works, then the result or an error. RGW 16 leaves the element empty, beside the key: the
/// result has no ETag then, and a HEAD tells it.
[[nodiscard]] Result<WriteResult> parse_complete_multipart_upload(const HttpAnswer& answer);

}  // namespace s3tug::wire
