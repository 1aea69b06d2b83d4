#pragma once

#include <functional>
#include <optional>
#include <variant>

#include "lab/call.h"
#include "lab/wire.h"

namespace s3tug::lab {

/// What the body must satisfy and what is done to it on the way in.
struct ReceiveRules {
    const Quirks& quirks;
    /// Asked before each read with the bytes that came so far: how many more may be read now; empty: stop, the
    /// connection is over.
    std::function<std::optional<uint64_t>(uint64_t received)> gate;
};

/// The connection ended before the body did; so many bytes had come.
struct BodyLost {
    uint64_t bytes;
};

/// Reads the body of the call, verifies what can be verified (payload hash, Content-MD5, checksums, chunk signatures)
/// and computes what is kept with the object.
[[nodiscard]] std::variant<Received, S3Error, BodyLost> receive_body(BodyReader& body, const Call& call,
                                                                     const ReceiveRules& rules, uint64_t& received);

}  // namespace s3tug::lab
