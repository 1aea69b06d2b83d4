#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/headers.h"
#include "wire/request.h"

/// DeleteObjects: up to 1000 keys in one request.
namespace s3tug::wire {

struct DeleteTarget {
    std::string key;
    std::string version_id;  ///< empty = the current one (a delete marker in a versioned bucket)
};

struct DeleteObjectsInput {
    std::string bucket;
    std::vector<DeleteTarget> targets;  ///< 1 to limits::delete_keys_max
    /// Only failures are answered. Smaller answers, but then silence means success; without it each key is confirmed.
    bool quiet = false;
    std::vector<Header> extra;  ///< from --header
};

/// Can this key stand in the request's XML? Keys with control characters other than tab, CR and LF, or with bytes that
/// are no UTF-8, cannot: they are deleted one by one, where the key stands in the URL. No reference helps: S3, RGW and
/// Swift answer `&#x1;` with 400, and some SDKs were seen to delete nothing and report success.
[[nodiscard]] bool fits_batch_delete(std::string_view key);

/// With Content-MD5, which every store takes and RGW 16 and Swift 2.30 demand (facts/servers.md). `usage` errors for no
/// key, too many of them, and for the first key that does not fit: a batch is sent whole or not at all.
[[nodiscard]] Result<Request> delete_objects(const DeleteObjectsInput& input);

}  // namespace s3tug::wire
