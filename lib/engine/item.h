#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/flow.h"
#include "engine/key_guard.h"
#include "engine/operation.h"

namespace s3tug::engine {

/// One item on its way: idempotency record, breaker permit, flow and its operations, in the order of design section 3.
class Item final : public Desk {
  public:
    Item(Services& services, Transfer transfer);
    Item(Services& services, Transfer transfer, std::unique_ptr<Flow> flow);
    ~Item() override;

    /// Local work, then the key, then the first request.
    void start();

    [[nodiscard]] uint64_t id() const { return id_; }  ///< unique in its run, grows
    [[nodiscard]] const Transfer& transfer() const { return transfer_; }
    [[nodiscard]] bool ended() const { return outcome_.has_value(); }
    [[nodiscard]] Outcome take_outcome() { return std::move(*outcome_); }

    /// When it wants on_due(), to be set in line or to do work of its own; nothing while it waits for answers.
    [[nodiscard]] std::optional<Instant> due() const;
    void on_due();
    void on_slot();  ///< its turn in line has come: sends one request, if one still waits
    void on_completion(port::Completion& completion);
    [[nodiscard]] Instant watch(Instant now);
    void stop(ErrorKind kind);
    void count(RunCounters& counters) const;
    [[nodiscard]] bool idle() const { return !outcome_ && running_.empty(); }  ///< nothing of it is under way

    void send(unsigned tag, OperationSpec spec) override;
    void finish(Outcome outcome) override;
    [[nodiscard]] bool room() const override;
    void abandon() override;
    void abandon(unsigned tag) override;
    [[nodiscard]] bool use_token(const std::string& token) override { return !key_ || key_->use_token(token); }
    [[nodiscard]] bool may_hedge() const override;
    [[nodiscard]] std::size_t waiting() const override;
    [[nodiscard]] std::optional<Instant> in_flight_since(unsigned tag) const override;
    void cut() override;

    [[nodiscard]] bool wants_turn() const { return begun_ && !outcome_ && flow_->turn() != Flow::Turn::no; }
    bool more();  ///< lets the flow go on; true: it has local work and wants another turn at once

  private:
    struct Running {
        unsigned tag;
        std::unique_ptr<Operation> operation;
        bool in_line = false;
    };

    void claim_key();
    void start_without_source(const Error& why);
    void begin(const std::string& write_token, bool resumed);
    void stand_in_line(Running& running);
    void let_go(const Running& running);
    void collect();
    void settle_key();
    void tell_end();

    Services& services_;
    const uint64_t id_;
    const Transfer transfer_;
    std::string name_;
    Instant began_;
    std::unique_ptr<Flow> flow_;
    std::unique_ptr<KeyGuard> key_;
    ItemGate gate_;
    std::string write_token_;
    std::vector<Running> running_;
    std::size_t places_in_line_ = 0;  ///< of operations that wait for a slot, also of some that ended there
    std::optional<Instant> claim_due_;
    std::optional<Instant> renew_due_;
    std::optional<Outcome> outcome_;
    policy::ItemResult for_breaker_ = policy::ItemResult::released;
    policy::Verdict last_verdict_;
    bool begun_ = false;
    bool stop_seen_ = false;
    bool unknown_outcome_ = false;
    unsigned requests_ = 0;
    uint64_t moved_ = 0;  ///< bytes of the object, by operations that ended
};

}  // namespace s3tug::engine
