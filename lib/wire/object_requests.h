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

/// One builder for each operation on a single object. Builders are total: bad values were refused when they were
/// parsed. Conditions are signed, so that nothing on the way can drop one unseen; their ETags are sent in quotes.
/// A user's own header wins over a property of the same name and loses to what makes the request safe (conditions,
/// checksums, write token, ranges), which it cannot name anyway (wire/user_headers.h).
namespace s3tug::wire {

struct PutObjectInput {
    S3Uri target;
    uint64_t size = 0;
    std::string payload_word;  ///< hex SHA-256 or unsigned_payload
    ObjectProperties properties;
    WriteConditions conditions;
    std::optional<Checksum> checksum;
    std::string content_md5;  ///< base64, empty = none; for stores that know no x-amz-checksum
    std::string write_token;  ///< empty = none
};
[[nodiscard]] Request put_object(const PutObjectInput& input);

struct GetObjectInput {
    S3Uri source;
    std::string version_id;
    std::string if_match;                 ///< pins the rest of a download to the first answer
    std::optional<uint64_t> range_first;  ///< with range_last empty: to the end
    std::optional<uint64_t> range_last;
    std::vector<Header> extra;  ///< from --header
};
[[nodiscard]] Request get_object(const GetObjectInput& input);

struct HeadObjectInput {
    S3Uri target;
    std::string version_id;
    std::vector<Header> extra;  ///< from --header
    unsigned part_number = 0;   ///< asks for the size of that part of a multipart object; 0 = the whole
    std::string if_match = {};  ///< the object that is meant
};
[[nodiscard]] Request head_object(const HeadObjectInput& input);

struct DeleteObjectInput {
    S3Uri target;
    std::string version_id;
    std::string if_match;
    std::vector<Header> extra;  ///< from --header
};
[[nodiscard]] Request delete_object(const DeleteObjectInput& input);

struct CopyObjectInput {
    S3Uri source;
    std::string source_version_id;
    std::string source_if_match;  ///< pins the source (x-amz-copy-source-if-match)
    S3Uri target;
    bool replace_metadata = false;  ///< REPLACE with `properties`, else COPY (then only its storage class and extra)
    ObjectProperties properties;
    WriteConditions conditions;
    std::string write_token;  ///< only with replace_metadata
};
[[nodiscard]] Request copy_object(const CopyObjectInput& input);

[[nodiscard]] Request head_bucket(std::string_view bucket);

}  // namespace s3tug::wire
