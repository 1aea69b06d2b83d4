#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "proxy/rules.h"

namespace s3tug::proxy {

/// How one connection went.
struct Passed {
    uint64_t up = 0, down = 0;  ///< bytes handed on
    std::string_view ended;     ///< "refused", "unreachable", "reset", "closed", "stalled", "finished", "stopped"
};

/// Carries bytes between an accepted client and the server until both have ended or the plan says otherwise. Closes
/// `client`. Returns within a moment of `stop`.
[[nodiscard]] Passed relay(int client, uint16_t server_port, const Plan& plan, const std::atomic<bool>& stop);

}  // namespace s3tug::proxy
