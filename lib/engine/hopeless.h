#pragma once

#include <string_view>

#include "engine/transfer.h"

namespace s3tug::engine {

/// Why no other item of the run can fare better than this one did, so that nothing more is begun; empty: others may.
/// - credentials that are expired, refused or not to be had: every remaining item would fail one by one (aws-cli#4863).
///   A 403 about one object is not that. SignatureDoesNotMatch is a wrong secret only while nothing has succeeded:
///   later it is about one odd key.
/// - a circuit breaker that refused for good, unless each bucket has one of its own.
/// - a full disk; a file that is too large for the room that is left is not that.
[[nodiscard]] std::string_view hopeless(const Outcome& outcome, bool anything_done, bool breaker_per_bucket);

}  // namespace s3tug::engine
