#pragma once

#include <optional>
#include <string_view>

#include "base/limits.h"
#include "base/rng.h"
#include "base/time.h"
#include "policy/verdict.h"

namespace s3tug::policy {

/// How long to wait before a retry. Pure: the same arguments give the same answer, nothing here sleeps
/// or reads a clock. Waiting itself is the engine's business (a due time in its heap).
///
/// Formulas and their comparison: facts/backoff.md section 1. `n` counts retries from 0.
enum class BackoffKind {
    exponential,   ///< min(base * 2^n, max) + U(0, base): the default
    full_jitter,   ///< U(0, min(base * 2^n, max)): best for fleets after an outage
    equal_jitter,  ///< t/2 + U(0, t/2), t = min(base * 2^n, max)
    decorrelated,  ///< min(max, U(base, 3 * previous wait)); the first previous wait is base
    linear,        ///< min(base * (n + 1), max)
    fixed,         ///< base
};

/// Settings of one backoff. Valid when 0 < base <= max <= limits::backoff_max.
struct BackoffConfig {
    BackoffKind kind = BackoffKind::exponential;
    Duration base = limits::backoff_base;
    Duration max = limits::backoff_max_default;
    bool eases = true;  ///< see backoff_step(); false where the user has said how to wait
};

[[nodiscard]] std::string_view to_string(BackoffKind kind);  ///< "full-jitter"
[[nodiscard]] std::optional<BackoffKind> backoff_from_name(std::string_view name);

/// The wait before retry `n`.
/// @param previous  the wait before retry n-1; only `decorrelated` looks at it
/// @param rng       the only source of randomness; advanced by exactly one draw per call
/// Saturates instead of overflowing for any n. At most max + base for `exponential`, else at most max.
[[nodiscard]] Duration backoff_wait(const BackoffConfig& config, unsigned n, Duration previous, Rng& rng);

/// What backoff_wait() is asked for.
struct BackoffStep {
    BackoffConfig config;
    unsigned n = 0;
    bool eased = false;  ///< less than the formula gives for this retry
};

/// How much of what a run asks for of late the store serves (limits::eased_*): less than a third, or too little was
/// asked to tell; a good part; three quarters or more.
enum class Served { few, part, most };

/// What else a wait depends on than how often this request was tried.
struct BackoffCase {
    unsigned retries = limits::retries_default;  ///< that it has in all
    bool throttled = false;
    Served served = Served::few;
};

/// Waits grow because one client cannot know what the store can bear. A run with several requests does: while a good
/// part of them is served, growth would only make a tail of those that were unlucky in a row. Then doubling ends at
/// limits::eased_doublings, and waits begin at half the base for a throttle, at a quarter for what is the trouble of
/// one connection or one server behind the name; at an eighth while most is served: then repeats add little to what the
/// store has to do. The last retry of all waits by the full formula, so that trouble with
/// a part of the keys has nearly as long to pass as it would have otherwise.
/// @param n  the retry that is to come, from 0
[[nodiscard]] BackoffStep backoff_step(const BackoffConfig& config, unsigned n, const BackoffCase& around);

/// The wait after the server's hint is taken into account (facts/backoff.md section 3):
/// `amz_retry_after` is clamped to [wait, wait + 5 s]; `retry_after` gives max(wait, min(hint,
/// limits::retry_after_max)) + U(0, base), so that clients that were given the same second do not return together.
[[nodiscard]] Duration apply_hint(const BackoffConfig& config, Duration wait, const ServerHint& hint, Rng& rng);

}  // namespace s3tug::policy
