#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/part_supply.h"
#include "wire/object_headers.h"

namespace s3tug::engine {

using DoneParts = std::map<unsigned, DonePart>;  ///< by number

/// Checksum of the object from those of its parts, in the scope that S3 uses (wire::multipart_scope): CRCs are combined
/// as if all bytes had been read once, hashes are hashed again. Empty when a part has none or they differ in kind.
[[nodiscard]] std::optional<wire::StoredChecksum> whole_checksum(const DoneParts& parts);
/// In another scope, which a store may keep instead. Empty also where the algorithm does not have it.
[[nodiscard]] std::optional<wire::StoredChecksum> whole_checksum(const DoneParts& parts, wire::ChecksumScope scope);

/// "HEX-N", the ETag of a multipart object where the store follows S3's rule (facts/idempotency.md fact 8); empty when
/// the ETag of a part is not an MD5.
[[nodiscard]] std::string multipart_etag(const DoneParts& parts);

}  // namespace s3tug::engine
