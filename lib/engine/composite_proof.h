#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/checksum.h"
#include "wire/object_headers.h"

namespace s3tug::engine {

/// The composite checksum that can prove an object of which there is none of the whole: the cheapest that tells how
/// many parts it is of.
[[nodiscard]] std::optional<wire::StoredChecksum> composite_of(const wire::ObjectFacts& facts);

/// Bytes of each part but the last, from the answer to a HEAD of part 1 of the object that `etag` pins. nullopt where
/// the object is another, or `size` bytes in parts like the first one are not `parts` parts.
[[nodiscard]] std::optional<uint64_t> part_bytes_of(const wire::HttpAnswer& head, const std::string& etag,
                                                    uint64_t size, unsigned parts);

/// The digest of the digests of parts that are all of one size but the last, from bytes that come in order.
class CompositeProof {
  public:
    CompositeProof(ChecksumAlgorithm algorithm, uint64_t part_bytes);
    void update(ByteSpan bytes);
    [[nodiscard]] wire::StoredChecksum finish();  ///< of all bytes so far; call it once

  private:
    void end_part();

    uint64_t part_bytes_;
    uint64_t filled_ = 0;
    unsigned parts_ = 0;
    Checksummer part_;
    Checksummer whole_;
};

}  // namespace s3tug::engine
