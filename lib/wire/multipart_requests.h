#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "wire/object_headers.h"
#include "wire/request.h"
#include "wire/uri.h"

/// One builder for each operation of a multipart upload, as wire/object_requests.h: total, conditions signed. What
/// describes the object goes with Create; conditions go with Complete alone, where S3 takes them. `extra` are the
/// user's headers for the object; of those only the ones that every request needs are sent beyond Create
/// (wire/user_headers.h).
namespace s3tug::wire {

/// How S3 keeps the checksum of an object that is put together from parts: one over all bytes where parts can be
/// combined (the CRCs), else one over the checksums of the parts (AWS, "Checking object integrity", table of types).
[[nodiscard]] ChecksumScope multipart_scope(ChecksumAlgorithm algorithm);

struct CreateMultipartUploadInput {
    S3Uri target;
    ObjectProperties properties;
    std::optional<ChecksumAlgorithm> checksum;  ///< that every part will carry
    /// multipart_scope() when empty. R2 knows full-object values of CRC64NVME only (facts/idempotency.md fact 9).
    std::optional<ChecksumScope> scope;
    std::string write_token;  ///< empty = none; the object carries it once it is complete
};
[[nodiscard]] Request create_multipart_upload(const CreateMultipartUploadInput& input);

struct UploadPartInput {
    S3Uri target;
    std::string upload_id;
    unsigned number = 1;  ///< 1 to limits::parts_max
    uint64_t size = 0;
    std::string payload_word;  ///< hex SHA-256 or unsigned_payload
    std::optional<Checksum> checksum;
    std::string content_md5;  ///< base64, empty = none; for stores that know no x-amz-checksum
    std::vector<Header> extra;
};
[[nodiscard]] Request upload_part(const UploadPartInput& input);

/// A part from the bytes of another object. The source is pinned on every part, else parts of two versions could be
/// stitched together (facts/idempotency.md section 3).
struct UploadPartCopyInput {
    S3Uri target;
    std::string upload_id;
    unsigned number = 1;
    S3Uri source;
    std::string source_version_id;
    std::string source_if_match;  ///< ETag of the source; empty only where the store refuses the pin
    uint64_t first = 0;           ///< bytes of the source, both ends included
    uint64_t last = 0;
    std::vector<Header> extra;
};
[[nodiscard]] Request upload_part_copy(const UploadPartCopyInput& input);

struct CompletedPart {
    unsigned number = 0;
    std::string etag;  ///< of the attempt that answered, without quotes
    std::optional<Checksum> checksum;
};

struct CompleteMultipartUploadInput {
    S3Uri target;
    std::string upload_id;
    /// In rising order of their numbers; at most limits::parts_max, about 200 bytes of body each. RGW wants all parts
    /// that the upload holds and answers InvalidPart when one of them is left out.
    std::vector<CompletedPart> parts;
    std::optional<StoredChecksum> checksum;  ///< of the whole object, in the scope that Create named
    std::optional<uint64_t> object_size;  ///< the store refuses when the parts have another sum (x-amz-mp-object-size)
    WriteConditions conditions;
    std::vector<Header> extra;
};
[[nodiscard]] Request complete_multipart_upload(const CompleteMultipartUploadInput& input);

struct AbortMultipartUploadInput {
    S3Uri target;
    std::string upload_id;
    std::vector<Header> extra;
};
[[nodiscard]] Request abort_multipart_upload(const AbortMultipartUploadInput& input);

}  // namespace s3tug::wire
