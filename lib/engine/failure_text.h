#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "policy/verdict.h"

namespace s3tug::engine {

/// "403 AccessDenied": the least that names a failure.
[[nodiscard]] std::string short_text(const policy::Verdict& verdict);

/// "403 AccessDenied: Access Denied, request 4F2A": what the store said, for the end of a message.
[[nodiscard]] std::string verdict_text(const policy::Verdict& verdict);

/// The one line a user reads when an item ends: what happened in plain words, what the store said, what helps.
/// @param why       decide's reason, shown with a deadline and a signal; the trace has it always
/// @param attempts  requests tried for this operation
[[nodiscard]] Error failure_error(ErrorKind kind, const policy::Verdict& verdict, std::string_view why,
                                  unsigned attempts, Duration elapsed);

}  // namespace s3tug::engine
