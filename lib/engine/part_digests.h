#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/checksum.h"
#include "base/hash.h"
#include "wire/object_headers.h"

/// What a store computes for an object from its parts, computed here from the same parts, without the bytes.
namespace s3tug::engine {

struct PartChecksum {
    Checksum value;
    uint64_t bytes = 0;  ///< of the part
};

/// The checksum of the whole object from those of its parts in order. nullopt for none, for different or malformed
/// ones, and for SHA-1 and SHA-256, which cannot be combined.
[[nodiscard]] std::optional<Checksum> full_object_checksum(std::span<const PartChecksum> parts);

/// The checksum over the checksums of the parts in order (raw bytes, not base64), which S3 writes as "BASE64-N".
/// nullopt for none and for different or malformed ones.
[[nodiscard]] std::optional<wire::StoredChecksum> composite_checksum(std::span<const PartChecksum> parts);

/// The ETag of an object of parts where ETags are MD5s: that of the parts' MD5s, and "-N" (facts/idempotency.md fact
/// 8). An object of one part that was uploaded as such has "-1".
[[nodiscard]] std::string multipart_etag(std::span<const Md5Digest> parts);

}  // namespace s3tug::engine
