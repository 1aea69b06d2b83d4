#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "policy/failure_table.h"

/// How the pieces of the classification table are written down. A piece is one behaviour followed by the names that
/// share it, so that a reader learns the behaviour once; failure_table.cpp joins and sorts the pieces while compiling.
namespace s3tug::policy::table {

using C = FailureClass;
using R = RetryRule;
using E = Effect;

inline constexpr bool counts = true;   ///< a failure for the breaker once retries are used up
inline constexpr bool spared = false;  ///< the host works: never a failure for the breaker

/// All columns of a row but its name and number.
struct Behaviour {
    FailureClass cls;
    RetryRule retry;
    Effect effect;
    bool counts_for_breaker;
    Repair repair = Repair::none;
};

struct Named {
    std::string_view name;
    int number;  ///< usual HTTP status (0: none is usual), or libcurl's number
};

[[nodiscard]] consteval FailureRow row(const Behaviour& b, const Named& n) {
    return {n.name, n.number, b.cls, b.retry, b.effect, b.counts_for_breaker, b.repair};
}

template <std::size_t N>
[[nodiscard]] consteval std::array<FailureRow, N> rows(const Behaviour& behaviour, const Named (&named)[N]) {
    std::array<FailureRow, N> out{};
    for (std::size_t i = 0; i < N; ++i) out[i] = row(behaviour, named[i]);
    return out;
}

/// Names that share the number too.
template <std::size_t N>
[[nodiscard]] consteval std::array<FailureRow, N> rows(const Behaviour& behaviour, int number,
                                                       const std::string_view (&names)[N]) {
    std::array<FailureRow, N> out{};
    for (std::size_t i = 0; i < N; ++i) out[i] = row(behaviour, {names[i], number});
    return out;
}

template <std::size_t All, std::size_t N>
consteval void append(std::array<FailureRow, All>& out, std::size_t& at, const std::array<FailureRow, N>& piece) {
    for (const FailureRow& r : piece) out[at++] = r;
}

template <std::size_t... N>
[[nodiscard]] consteval auto join(const std::array<FailureRow, N>&... pieces) {
    std::array<FailureRow, (N + ... + 0)> out{};
    std::size_t at = 0;
    (append(out, at, pieces), ...);
    return out;
}

}  // namespace s3tug::policy::table
