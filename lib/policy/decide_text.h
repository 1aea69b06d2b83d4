#pragma once

#include <string>

#include "policy/backoff.h"
#include "policy/verdict.h"

namespace s3tug::policy {

/// The words of decisions, for traces and last lines.

/// "503 SlowDown", "CURLE_RECV_ERROR".
[[nodiscard]] std::string failure_text(const Verdict& verdict);

/// The formula with its numbers: "500ms*2^1 + U(0,500ms)".
[[nodiscard]] std::string formula_text(const BackoffConfig& config, unsigned n, Duration previous);

/// "Retry-After 60s, honoured up to 20s".
[[nodiscard]] std::string hint_text(const ServerHint& hint);

}  // namespace s3tug::policy
