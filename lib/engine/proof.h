#pragma once

#include <optional>
#include <string>

#include "base/checksum.h"
#include "wire/object_headers.h"

namespace s3tug::engine {

/// What the store says of an object that its bytes can be held against. At most one of the three.
struct Proof {
    std::optional<Checksum> checksum;  ///< of the full object
    std::string md5;                   ///< lower-case hex; the ETag where it is one and there is no checksum
    /// Of the checksums of its parts, whose number it tells; says nothing without their sizes (CompositeProof).
    std::optional<wire::StoredChecksum> composite = {};
    bool operator==(const Proof&) const = default;
};

/// The cheapest proof there is. A composite checksum comes last, as GetObject does not tell the sizes of the parts.
[[nodiscard]] Proof proof_of(const wire::ObjectFacts& facts);

}  // namespace s3tug::engine
