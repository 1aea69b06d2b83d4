#include "policy/backoff.h"

#include <algorithm>
#include <array>
#include <utility>

namespace s3tug::policy {

namespace {

constexpr std::array<std::pair<BackoffKind, std::string_view>, 6> names{{
    {BackoffKind::exponential, "exponential"},
    {BackoffKind::full_jitter, "full-jitter"},
    {BackoffKind::equal_jitter, "equal-jitter"},
    {BackoffKind::decorrelated, "decorrelated"},
    {BackoffKind::linear, "linear"},
    {BackoffKind::fixed, "fixed"},
}};

/// min(base * 2^n, max). base * 2^n fits below max exactly when base fits below max / 2^n.
Duration doubled(const BackoffConfig& c, unsigned n) {
    constexpr unsigned bits = 63;
    if (n >= bits || c.base.count() > (c.max.count() >> n)) return c.max;
    return Duration(c.base.count() << n);
}

/// min(base * (n + 1), max).
Duration multiplied(const BackoffConfig& c, unsigned n) {
    const int64_t factor = static_cast<int64_t>(n) + 1;
    return c.base.count() > c.max.count() / factor ? c.max : c.base * factor;
}

Duration uniform(Duration low, Duration high, Rng& rng) {
    return low + Duration(static_cast<int64_t>(rng.up_to(static_cast<uint64_t>((high - low).count()))));
}

}  // namespace

std::string_view to_string(BackoffKind kind) { return names[static_cast<std::size_t>(kind)].second; }

std::optional<BackoffKind> backoff_from_name(std::string_view name) {
    for (const auto& [kind, text] : names) {
        if (text == name) return kind;
    }
    return std::nullopt;
}

BackoffStep backoff_step(const BackoffConfig& config, unsigned n, const BackoffCase& around) {
    BackoffStep step{config, n, false};
    if (around.served == Served::few || !config.eases || n + 1 >= around.retries) return step;
    step.n = std::min(n, limits::eased_doublings);
    const int64_t divisor = around.served == Served::most ? limits::eased_most_divisor
                            : around.throttled            ? limits::eased_throttle_divisor
                                                          : limits::eased_base_divisor;
    step.config.base = std::max(config.base / divisor, Duration(1));
    step.eased = step.n != n || step.config.base != config.base;
    return step;
}

Duration backoff_wait(const BackoffConfig& config, unsigned n, Duration previous, Rng& rng) {
    constexpr Duration zero = Duration::zero();
    switch (config.kind) {
        case BackoffKind::exponential: return saturating_add(doubled(config, n), uniform(zero, config.base, rng));
        case BackoffKind::full_jitter: return uniform(zero, doubled(config, n), rng);
        case BackoffKind::equal_jitter: {
            const Duration half = doubled(config, n) / 2;
            return half + uniform(zero, half, rng);
        }
        case BackoffKind::decorrelated: {
            const Duration last = std::clamp(previous, config.base, config.max);
            return std::min(config.max, uniform(config.base, last * 3, rng));
        }
        // These draw as well, so that a change of the kind does not shift what later consumers of the rng see.
        case BackoffKind::linear: static_cast<void>(rng.next()); return multiplied(config, n);
        case BackoffKind::fixed: static_cast<void>(rng.next()); break;
    }
    return config.base;
}

Duration apply_hint(const BackoffConfig& config, Duration wait, const ServerHint& hint, Rng& rng) {
    switch (hint.unit) {
        case ServerHint::Unit::amz_retry_after:
            return std::clamp(hint.value, wait, saturating_add(wait, limits::amz_retry_after_span));
        case ServerHint::Unit::retry_after: break;
    }
    const Duration asked = std::max(wait, std::min(hint.value, limits::retry_after_max));
    return saturating_add(asked, uniform(Duration::zero(), config.base, rng));
}

}  // namespace s3tug::policy
