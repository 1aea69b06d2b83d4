#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policy/breaker.h"
#include "policy/budget.h"
#include "policy/decide.h"
#include "policy/pace.h"
#include "sim/event_queue.h"
#include "sim/monitor.h"
#include "sim/store_model.h"

namespace s3tug::sim {

/// What all processes of a run share: time, the store, the breaker's record, and the eyes on them.
struct World {
    EventQueue queue;
    StoreModel store;
    Monitor monitor;
    std::string breaker_text;  ///< as in the state file
    std::set<int64_t> dead;
    unsigned openings = 0;  ///< transitions to open

    explicit World(Weather& weather) : store(queue, weather) {}
};

struct ProcessSetup {
    int64_t pid = 1;
    policy::RetryConfig retry;
    policy::BudgetConfig budget;
    policy::PaceConfig pace;
    policy::BreakerConfig breaker;
    Duration patience = limits::breaker_patience;
    std::optional<Duration> deadline;
    std::vector<ItemSpec> items;
};

/// How one item ended.
struct ItemEnd {
    bool done = false;
    std::optional<ErrorKind> error;
    unsigned sends = 0;
    unsigned looks = 0;
};

/// One process that runs its items through the real policies, in the pipeline of design section 3: breaker, attempt,
/// decision, verification, report. Everything around the policies is as plain as it can be.
class PolicyProcess {
  public:
    PolicyProcess(World& world, ProcessSetup setup, Rng rng);
    ~PolicyProcess();
    PolicyProcess(const PolicyProcess&) = delete;
    PolicyProcess& operator=(const PolicyProcess&) = delete;

    void start();
    /// SIGKILL: nothing of it happens any more; what it sent may still land.
    void kill();

    [[nodiscard]] const std::vector<ItemEnd>& ends() const { return ends_; }
    [[nodiscard]] bool killed() const { return killed_; }
    [[nodiscard]] const ProcessSetup& setup() const { return setup_; }
    [[nodiscard]] Instant ended_at() const { return ended_at_; }
    [[nodiscard]] std::size_t unfinished() const { return setup_.items.size() - finished_; }

  private:
    struct Item;

    /// Sends what may be sent: as many requests in flight as the pace allows, items that were begun before new ones. An
    /// item that waits for its retry is not in flight and keeps nobody from sending.
    void pump();
    void begin_next();
    void ready_at(Item& item, Instant when);
    void step(Item& item);
    [[nodiscard]] bool admitted(Item& item);
    void refused(Item& item, const policy::Admission& admission);
    void send(Item& item);
    void send_look(Item& item);
    void on_answer(Item& item, const policy::Verdict& verdict);
    void on_look(Item& item, const StoreModel::Reply& reply);
    void act(Item& item, const policy::Decision& decision);
    void end(Item& item, bool done, std::optional<ErrorKind> error, policy::ItemResult result);
    void judge_end(const Item& item, const ItemEnd& end);

    [[nodiscard]] policy::BreakerRecord load();
    [[nodiscard]] policy::BreakerNow breaker_now() const;
    void store(const policy::BreakerRecord& record, const std::optional<policy::BreakerChange>& transition);
    [[nodiscard]] policy::Situation situation(const Item& item) const;
    [[nodiscard]] Instant now() const { return world_.queue.now(); }

    World& world_;
    ProcessSetup setup_;
    Rng rng_;
    policy::RetryBudget budget_;
    policy::Pace pace_;
    ProcessId self_;
    std::optional<Instant> deadline_;
    std::vector<std::unique_ptr<Item>> items_;
    std::vector<ItemEnd> ends_;
    std::deque<Item*> ready_;
    std::size_t next_item_ = 0;
    std::size_t in_flight_ = 0;
    std::size_t finished_ = 0;
    Instant ended_at_{};
    bool anything_sent_ = false;
    bool killed_ = false;
};

}  // namespace s3tug::sim
