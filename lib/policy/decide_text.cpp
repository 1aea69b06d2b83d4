#include "policy/decide_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace s3tug::policy {

namespace {

/// base * 2^n as text, or the longest wait once that is reached.
std::string doubled_text(const BackoffConfig& config, unsigned n) {
    if (n >= 63 || config.base.count() > (config.max.count() >> n)) return format_duration(config.max);
    return fmt::format("{}*2^{}", format_duration(config.base), n);
}

}  // namespace

std::string failure_text(const Verdict& verdict) {
    if (verdict.code.empty()) return fmt::format("HTTP {}", verdict.status);
    if (verdict.status == 0 || verdict.code.starts_with("HTTP ")) return verdict.code;
    return fmt::format("{} {}", verdict.status, verdict.code);
}

std::string formula_text(const BackoffConfig& config, unsigned n, Duration previous) {
    const std::string base = format_duration(config.base);
    switch (config.kind) {
        case BackoffKind::exponential: return fmt::format("{} + U(0,{})", doubled_text(config, n), base);
        case BackoffKind::full_jitter: return fmt::format("U(0,{})", doubled_text(config, n));
        case BackoffKind::equal_jitter: return fmt::format("t/2 + U(0,t/2), t={}", doubled_text(config, n));
        case BackoffKind::decorrelated:
            return fmt::format("min({}, U({},3*{}))", format_duration(config.max), base,
                               format_duration(std::max(previous, config.base)));
        case BackoffKind::linear:
            return fmt::format("min({}*{}, {})", base, uint64_t{n} + 1, format_duration(config.max));
        case BackoffKind::fixed: break;
    }
    return base;
}

std::string hint_text(const ServerHint& hint) {
    const std::string asked = format_duration(hint.value);
    if (hint.unit == ServerHint::Unit::amz_retry_after) return fmt::format("x-amz-retry-after {}", asked);
    if (hint.value <= limits::retry_after_max) return fmt::format("Retry-After {}", asked);
    return fmt::format("Retry-After {}, honoured up to {}", asked, format_duration(limits::retry_after_max));
}

}  // namespace s3tug::policy
