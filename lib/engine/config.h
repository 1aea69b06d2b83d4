#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "engine/gate.h"
#include "engine/part_plan.h"
#include "engine/watchdog.h"
#include "policy/budget.h"
#include "policy/decide.h"
#include "policy/pace.h"
#include "port/clock.h"
#include "port/credential_source.h"
#include "port/files.h"
#include "port/observer.h"
#include "port/state_store.h"
#include "port/transport.h"
#include "wire/endpoint.h"

namespace s3tug::engine {

/// The world, as the engine sees it. All outlive the engine.
struct Ports {
    port::Clock& clock;
    port::Processes& processes;
    port::Transport& transport;
    port::Files& files;
    port::StateStore& state;
    port::CredentialSource& credentials;
    port::Observer& observer;
};

enum class TokenMode : uint8_t { automatic, on, off };

/// How objects are fetched.
struct DownloadConfig {
    uint64_t part_bytes = limits::download_part_bytes;
    unsigned parts_per_request = limits::download_parts_per_request;  ///< at most; a stream takes one
    uint64_t threshold = 2 * limits::download_part_bytes;  ///< larger objects are fetched in parts, side by side
    uint64_t stream_part_bytes = limits::download_stream_part_bytes;  ///< of parts that a stream may have to wait for
    uint64_t record_bytes = limits::download_record_bytes;            ///< that a kill may cost beyond what is in flight
    bool resume = true;  ///< what was fetched in parts is kept when a get fails for now, and used by the next run
};

/// Settings of one run: validated before they come here, never changed after.
struct EngineConfig {
    wire::Endpoint endpoint;
    std::string proxy;  ///< only for the breaker's key
    policy::RetryConfig retry;
    policy::BudgetConfig budget;
    policy::PaceConfig pace;
    policy::BreakerConfig breaker;
    BreakerMode breaker_mode = BreakerMode::on;
    bool breaker_per_bucket = false;
    Duration breaker_patience = limits::breaker_patience;
    TokenMode write_token = TokenMode::automatic;
    Timeouts timeouts;
    DownloadConfig download;
    MultipartConfig multipart;
    std::optional<Duration> deadline;  ///< of the whole run, from its start
    std::string spool_folder;          ///< where long streams go; resolved by the caller
};

}  // namespace s3tug::engine
