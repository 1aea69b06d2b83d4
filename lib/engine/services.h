#pragma once

#include <atomic>
#include <optional>

#include "base/rng.h"
#include "engine/buffer_budget.h"
#include "engine/config.h"
#include "engine/endpoint_memory.h"
#include "engine/gate.h"
#include "engine/trace.h"
#include "engine/traffic.h"
#include "policy/budget.h"
#include "policy/pace.h"
#include "wire/sigv4.h"

namespace s3tug::engine {

/// What all items of one run share. Lives on the engine's thread.
struct Services {
    Services(Ports& ports_in, const EngineConfig& config_in, Rng rng_in)
        : ports(ports_in),
          config(config_in),
          rng(rng_in),
          trace(ports_in.observer, ports_in.clock),
          memory(config_in.endpoint, ports_in.state, ports_in.clock),
          budget(config_in.budget, ports_in.clock.now()),
          pace(config_in.pace, ports_in.clock.now()),
          buffers(config_in.multipart.stream_memory),
          traffic(pace) {}

    Ports& ports;
    const EngineConfig& config;
    Rng rng;
    Trace trace;
    EndpointMemory memory;
    policy::RetryBudget budget;
    policy::Pace pace;
    BufferBudget buffers;  ///< of streams, both ways
    Traffic traffic;
    wire::sigv4::KeyCache signing_keys;
    RunFacts run;
    port::AttemptId last_attempt_id = 0;
    uint64_t last_item_id = 0;
    const std::atomic<int>* stop = nullptr;
    uint64_t retries = 0;               ///< of all items, begun
    uint64_t requests = 0;              ///< HTTP requests sent, those of planning and of looks too
    std::size_t open_requests = 0;      ///< of all items: waiting for a retry, in line, in flight
    bool store_known = false;           ///< the endpoint has answered as a store does
    bool expect_used = false;           ///< with the first large request
    std::optional<bool> uploads_known;  ///< the state file had some when that was asked first

    /// For long local work between two turns of the loop.
    [[nodiscard]] Status may_go_on() const {
        if (stop != nullptr && stop->load() != 0) return Error{ErrorKind::interrupted, "interrupted by a signal"};
        if (run.deadline && now() >= *run.deadline)
            return Error{ErrorKind::deadline, "deadline reached while the source was read"};
        return {};
    }

    [[nodiscard]] Instant now() const { return ports.clock.now(); }
};

}  // namespace s3tug::engine
