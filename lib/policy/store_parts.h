#pragma once

#include <cstdint>
#include <string_view>

#include "base/limits.h"

namespace s3tug::policy {

/// What a store takes as parts of an upload.
struct StoreParts {
    unsigned parts_max = limits::parts_max;
    uint64_t part_min_bytes = limits::part_min_bytes;  ///< but for the last one
    uint64_t part_max_bytes = limits::part_max_bytes;
    bool equal_sizes = false;  ///< all parts but the last have one size, and the last is not larger
};

/// By the end of the host name (facts/idempotency.md section 3, UploadPart: R2 and Scaleway differ); S3's own for all
/// others. A store that refuses a plan which keeps these limits is met by `--part-size`.
[[nodiscard]] StoreParts store_parts(std::string_view endpoint_host);

}  // namespace s3tug::policy
