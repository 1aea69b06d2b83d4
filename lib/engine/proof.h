#pragma once

#include <optional>
#include <string>

#include "base/checksum.h"
#include "wire/object_headers.h"

namespace s3tug::engine {

/// What the store says of an object that its bytes can be held against. At most one of the two.
struct Proof {
    std::optional<Checksum> checksum;  ///< of the full object
    std::string md5;                   ///< lower-case hex; the ETag where it is one and there is no checksum
    bool operator==(const Proof&) const = default;
};

/// The cheapest proof there is. A composite checksum gives none: it says nothing about the bytes without the part
/// sizes, which GetObject does not tell.
[[nodiscard]] Proof proof_of(const wire::ObjectFacts& facts);

}  // namespace s3tug::engine
