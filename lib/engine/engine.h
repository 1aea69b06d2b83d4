#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/transfer.h"
#include "policy/breaker.h"
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

enum class BreakerMode : uint8_t { on, off, wait };
enum class TokenMode : uint8_t { automatic, on, off };

struct Timeouts {
    Duration connect = limits::connect_timeout;
    Duration answer = limits::answer_timeout;
    Duration slow_answer = limits::slow_answer_timeout;
    Duration stall_window = limits::stall_window;
    uint64_t stall_bytes_per_second = limits::stall_bytes_per_second;
};

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
    std::optional<Duration> deadline;  ///< of the whole run, from its start
    std::string spool_folder;          ///< empty = $TMPDIR or /tmp, resolved by cmd
    bool state_enabled = true;         ///< --no-state
};

/// Runs items to their end: plan, admit (breaker), sign, send, classify, decide, record. The only loop of the tool; one
/// thread. Waiting is a due time handed to the transport's poll, never a sleep.
class Engine {
  public:
    Engine(Ports ports, EngineConfig config, Rng rng);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Called for each item as it ends, in the order of ending.
    using OnDone = std::function<void(const Transfer&, const Outcome&)>;

    /// Runs all items and returns their outcomes in the order given. `stop` is set to a signal number by a handler:
    /// items not yet done then end with `interrupted`.
    [[nodiscard]] std::vector<Outcome> run(const std::vector<Transfer>& items, const OnDone& on_done,
                                           const std::atomic<int>& stop);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace s3tug::engine
