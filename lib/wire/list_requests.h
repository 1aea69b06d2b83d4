#pragma once

#include <string>
#include <vector>

#include "base/limits.h"
#include "wire/headers.h"
#include "wire/request.h"
#include "wire/uri.h"

/// One builder for each listing. A listing is asked for page by page; where the next page begins comes from the parser
/// of the last one (wire/list_answers.h). Of `extra`, the user's headers, only those are sent that every request needs.
namespace s3tug::wire {

/// Where a page of a listing of objects begins; empty = at the start.
struct ListPosition {
    std::string token;  ///< opaque, from the answer (continuation-token)
    /// Only for a store that knows no version 2 of the operation: the last name of the page before. Then the request
    /// is one of version 1, which every store knows.
    std::string marker;

    [[nodiscard]] bool at_start() const { return token.empty() && marker.empty(); }
    bool operator==(const ListPosition&) const = default;
};

struct ListObjectsInput {
    std::string bucket;
    std::string prefix;       ///< raw bytes; empty = all keys
    std::string delimiter;    ///< "/" rolls everything below a folder up into one common prefix; empty = none
    std::string start_after;  ///< keys after this one; for the first page only
    ListPosition position;
    unsigned max_keys = limits::list_page_max;
    std::vector<Header> extra;
};
/// With encoding-type=url, since keys may hold bytes that XML cannot (facts/idempotency.md section 3, Lists).
[[nodiscard]] Request list_objects_v2(const ListObjectsInput& input);

struct ListBucketsInput {
    std::string token;  ///< of the page before; few stores cut this list, and only when they are asked for less
    std::vector<Header> extra;
};
/// All buckets of whoever signs. Goes to the endpoint itself; without a limit, so that it comes whole.
[[nodiscard]] Request list_buckets(const ListBucketsInput& input);

struct ListPartsInput {
    S3Uri target;
    std::string upload_id;
    unsigned after = 0;  ///< parts with higher numbers (part-number-marker)
    unsigned max_parts = limits::list_page_max;
    std::vector<Header> extra;
};
[[nodiscard]] Request list_parts(const ListPartsInput& input);

struct ListMultipartUploadsInput {
    std::string bucket;
    std::string prefix;
    std::string key_marker;        ///< uploads of keys after this one
    std::string upload_id_marker;  ///< and of that key those after this id
    unsigned max_uploads = limits::list_page_max;
    std::vector<Header> extra;
};
/// Without encoding-type: RGW 16 encodes the keys, but neither says so nor encodes the markers.
[[nodiscard]] Request list_multipart_uploads(const ListMultipartUploadsInput& input);

}  // namespace s3tug::wire
