#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "base/rng.h"
#include "engine/config.h"
#include "engine/item_source.h"
#include "engine/run_counters.h"
#include "engine/transfer.h"

namespace s3tug::engine {

/// Runs items to their end: plan, admit (breaker), sign, send, classify, decide, record. The only loop of the tool; one
/// thread. Waiting is a due time handed to the transport's poll, never a sleep.
class Engine {
  public:
    Engine(Ports ports, EngineConfig config, Rng rng);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Where the run is, every so often while it lasts.
    using Tick = std::function<void(const RunCounters&)>;
    void on_tick(Tick tick, Duration every);

    [[nodiscard]] uint64_t retries() const;   ///< of the run so far
    [[nodiscard]] uint64_t requests() const;  ///< HTTP requests of the run so far, those of planning and of looks too

    /// Called for each item as it ends, in the order of ending.
    using OnDone = std::function<void(const Transfer&, const Outcome&)>;

    /// Runs what `source` gives until it has ended, and carries its planning requests. `stop` is set to a signal number
    /// by a handler: items not yet done then end with `interrupted`, and source.stop() says that no more are wanted;
    /// the deadline does the same. Not more than pace.concurrency() requests are in flight at a time. Throws
    /// std::logic_error when the source has not ended but gives neither an item nor a request while nothing is under
    /// way.
    void run(ItemSource& source, const OnDone& on_done, const std::atomic<int>& stop);

    /// The same for items that are known from the start; the outcomes come in their order.
    [[nodiscard]] std::vector<Outcome> run(const std::vector<Transfer>& items, const OnDone& on_done,
                                           const std::atomic<int>& stop);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace s3tug::engine
