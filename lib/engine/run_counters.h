#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace s3tug::engine {

/// What is under way in a run. Counted when it is asked for; how items ended is told by Engine::OnDone.
struct RunCounters {
    Instant now{};
    uint64_t items_open = 0;                              ///< begun, not ended
    std::optional<uint64_t> items_left = std::nullopt;    ///< not begun; nullopt: nobody knows
    uint64_t bytes_moved = 0;                             ///< of open items, attempts in flight included
    std::optional<uint64_t> bytes_open = 0;               ///< sizes of open items; nullopt: one is not known
    uint64_t retries = 0;                                 ///< of the whole run
    std::size_t in_flight = 0;                            ///< requests
    std::optional<Instant> waiting_until = std::nullopt;  ///< the first retry that is due, or question to the breaker
    std::string waiting_for = {};                         ///< "503 SlowDown", "circuit breaker"; printable
};

}  // namespace s3tug::engine
