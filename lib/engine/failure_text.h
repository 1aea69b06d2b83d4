#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "policy/idempotency.h"
#include "policy/verdict.h"
#include "wire/operation.h"

namespace s3tug::engine {

/// "403 AccessDenied": the least that names a failure.
[[nodiscard]] std::string short_text(const policy::Verdict& verdict);

/// "403 AccessDenied: Access Denied, request 4F2A": what the store said, for the end of a message.
[[nodiscard]] std::string verdict_text(const policy::Verdict& verdict);

/// The kind of an end that a 409 or 412 made, for a request that set no condition, none of which can have failed then:
/// a race that lasted to the last try is over later, and a 412 is a fault of the store or of a proxy before it. Copies
/// pin their source, and gets the object that they began.
[[nodiscard]] ErrorKind kind_for(ErrorKind kind, const policy::Verdict& verdict, wire::Op op,
                                 policy::Conditional condition);

/// The one line a user reads when an item ends: what happened in plain words, what the store said, what helps.
/// @param why       decide's reason, shown with a deadline and a signal; the trace has it always
/// @param attempts  requests tried for this operation
[[nodiscard]] Error failure_error(ErrorKind kind, const policy::Verdict& verdict, std::string_view why,
                                  unsigned attempts, Duration elapsed);

}  // namespace s3tug::engine
