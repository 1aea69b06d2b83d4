#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "wire/list_requests.h"
#include "wire/object_headers.h"
#include "wire/reply.h"

/// Parsers of listings, as wire/answers.h: hostile input, at most limits::list_body_max_bytes and limits::xml_tags_max.
/// Each takes the request too, since a page is believed only when it answers that request and leads on: a listing that
/// is wrong or cut must not look like a short one, or what is "missing" from it would be deleted or left behind.
/// All errors are `refused`.
namespace s3tug::wire {

struct ListedObject {
    std::string key;               ///< raw bytes, decoded
    std::optional<uint64_t> size;  ///< empty when the store does not say
    std::string etag;
    std::optional<WallTime> last_modified;
    std::string storage_class;
};

struct ListObjectsPage {
    std::vector<ListedObject> objects;         ///< in the store's order; rising keys except on directory buckets
    std::vector<std::string> common_prefixes;  ///< with a delimiter; each ends with it
    std::optional<ListPosition> next;          ///< empty: this was the last page
};
/// Refused: no <ListBucketResult>; a key or common prefix that does not begin with the prefix asked for; a page that is
/// not the last, but gives no position for the next or the one it was asked with. A store that knows version 1 of the
/// operation alone is followed by its markers.
[[nodiscard]] Result<ListObjectsPage> parse_list_objects_v2(const HttpAnswer& answer, const ListObjectsInput& asked);

struct ListedBucket {
    std::string name;
    std::optional<WallTime> created;
};

struct ListBucketsPage {
    std::vector<ListedBucket> buckets;  ///< in the store's order
    std::string next;                   ///< token of the next page; empty: this was the last one
};
/// Refused: no <ListAllMyBucketsResult>; a bucket without a name; a token that leads nowhere.
[[nodiscard]] Result<ListBucketsPage> parse_list_buckets(const HttpAnswer& answer, const ListBucketsInput& asked);

struct ListedPart {
    unsigned number = 0;
    std::string etag;  ///< may be empty: Swift forgets it for copied parts
    uint64_t size = 0;
    std::vector<StoredChecksum> checksums;
};

struct ListPartsPage {
    std::vector<ListedPart> parts;              ///< rising numbers, all above ListPartsInput::after
    std::optional<unsigned> next;               ///< `after` of the next page; empty: this was the last one
    std::optional<ChecksumAlgorithm> checksum;  ///< of the upload, as far as the store says
    std::optional<ChecksumScope> scope;
};
/// Refused: no <ListPartsResult>; numbers that do not rise, repeat an earlier page or are none of S3's; a part without
/// a size; a page that is not the last, but leads nowhere.
[[nodiscard]] Result<ListPartsPage> parse_list_parts(const HttpAnswer& answer, const ListPartsInput& asked);

struct ListedUpload {
    std::string key;
    std::string upload_id;
    std::optional<WallTime> initiated;
    std::string initiator;  ///< id of who began it; empty when the store does not say
};

struct ListMultipartUploadsPage {
    std::vector<ListedUpload> uploads;
    bool last = true;
    std::string next_key_marker;  ///< of the next page, unless this was the last
    std::string next_upload_id_marker;
};
/// Uploads of keys that do not begin with the prefix are left out: some stores ignore it. Refused: no
/// <ListMultipartUploadsResult>; an upload without key or id; a page that is not the last, but leads nowhere.
[[nodiscard]] Result<ListMultipartUploadsPage> parse_list_multipart_uploads(const HttpAnswer& answer,
                                                                            const ListMultipartUploadsInput& asked);

}  // namespace s3tug::wire
