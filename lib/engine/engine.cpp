#include "engine/engine.h"

#include <algorithm>
#include <utility>

#include "engine/item.h"
#include "engine/services.h"

namespace s3tug::engine {

class Engine::Impl {
  public:
    Impl(Ports ports, EngineConfig config, Rng rng)
        : ports_(ports), config_(std::move(config)), services_(ports_, config_, rng) {}

    using OnEnd = std::function<void(std::size_t index, const Transfer&, Outcome)>;
    void run(ItemSource& source, const OnEnd& on_end, const std::atomic<int>& stop);

  private:
    struct Slot {
        std::size_t index;
        std::unique_ptr<Item> item;
    };

    void look_at_limits(const std::atomic<int>& stop);
    void start_next(ItemSource& source);
    void turn();
    void wait();
    void reap(const OnEnd& on_end);
    void report(std::size_t index, Item& item, const OnEnd& on_end);
    [[nodiscard]] Instant next_wake() const;

    Ports ports_;
    EngineConfig config_;
    Services services_;
    std::vector<Slot> slots_;
    std::size_t started_ = 0;
    bool loaded_ = false;
    std::optional<ErrorKind> stopping_;
    Instant stop_for_good_{};  ///< when what tidies up after a stop is stopped too
};

Engine::Engine(Ports ports, EngineConfig config, Rng rng)
    : impl_(std::make_unique<Impl>(ports, std::move(config), rng)) {}

Engine::~Engine() = default;

void Engine::run(ItemSource& source, const OnDone& on_done, const std::atomic<int>& stop) {
    impl_->run(
        source,
        [&](std::size_t, const Transfer& item, const Outcome& outcome) {
            if (on_done) on_done(item, outcome);
        },
        stop);
}

std::vector<Outcome> Engine::run(const std::vector<Transfer>& items, const OnDone& on_done,
                                 const std::atomic<int>& stop) {
    std::vector<Outcome> outcomes(items.size());
    ItemList source(items);
    impl_->run(
        source,
        [&](std::size_t index, const Transfer& item, Outcome outcome) {
            outcomes[index] = std::move(outcome);
            if (on_done) on_done(item, outcomes[index]);
        },
        stop);
    return outcomes;
}

void Engine::Impl::run(ItemSource& source, const OnEnd& on_end, const std::atomic<int>& stop) {
    services_.stop = &stop;
    if (config_.deadline) services_.run.deadline = services_.now() + *config_.deadline;
    while (!source.ended() || !slots_.empty()) {
        look_at_limits(stop);
        start_next(source);
        turn();
        reap(on_end);
        if (slots_.empty()) continue;
        wait();
        reap(on_end);
    }
    services_.memory.save_pace(services_.pace);
}

void Engine::Impl::look_at_limits(const std::atomic<int>& stop) {
    const Instant now = services_.now();
    const bool was_stopping = stopping_.has_value();
    if (!was_stopping) {
        if (stop.load() != 0)
            stopping_ = ErrorKind::interrupted;
        else if (services_.run.deadline && now >= *services_.run.deadline)
            stopping_ = ErrorKind::deadline;
        if (!stopping_) return;
        stop_for_good_ = now + limits::deadline_grace;
    }
    for (Slot& slot : slots_) {
        if (!was_stopping || slot.item->idle() || now >= stop_for_good_) slot.item->stop(*stopping_);
    }
}

void Engine::Impl::start_next(ItemSource& source) {
    const std::size_t room = std::max<std::size_t>(1, services_.pace.concurrency());
    while (slots_.size() < room && (slots_.empty() || services_.open_operations < room)) {
        std::optional<Transfer> next = source.next();
        if (!next) return;
        if (!loaded_ && !next->dry_run) {
            loaded_ = true;
            services_.memory.load(services_.pace);
        }
        Slot slot{started_++, std::make_unique<Item>(services_, std::move(*next))};
        if (stopping_)
            slot.item->stop(*stopping_);
        else
            slot.item->start();
        slots_.push_back(std::move(slot));
    }
}

void Engine::Impl::turn() {
    const Instant now = services_.now();
    for (Slot& slot : slots_) {
        if (!stopping_) slot.item->more();
        const std::optional<Instant> due = slot.item->due();
        if (due && *due <= now) slot.item->on_due();
    }
}

void Engine::Impl::wait() {
    for (port::Completion& completion : ports_.transport.poll(next_wake())) {
        for (Slot& slot : slots_) {
            if (slot.item->on_completion(completion)) break;
        }
    }
}

Instant Engine::Impl::next_wake() const {
    const Instant now = services_.now();
    Instant until = now + seconds(3600);
    if (services_.run.deadline && !stopping_) until = std::min(until, *services_.run.deadline);
    if (stopping_) until = std::min(until, std::max(now, stop_for_good_));
    for (const Slot& slot : slots_) {
        until = std::min(until, slot.item->watch(now));
        if (const std::optional<Instant> due = slot.item->due()) until = std::min(until, *due);
    }
    return until;
}

void Engine::Impl::reap(const OnEnd& on_end) {
    for (std::size_t i = 0; i < slots_.size();) {
        if (!slots_[i].item->ended()) {
            ++i;
            continue;
        }
        const std::size_t index = slots_[i].index;
        const std::unique_ptr<Item> item = std::move(slots_[i].item);
        slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(i));
        report(index, *item, on_end);
    }
}

/// The keys of a batch are told one by one: whoever counts items need not know how they were sent.
void Engine::Impl::report(std::size_t index, Item& item, const OnEnd& on_end) {
    Outcome outcome = item.take_outcome();
    if (outcome.of_batch.empty()) return on_end(index, item.transfer(), std::move(outcome));
    Transfer one = item.transfer();
    const std::vector<wire::DeleteTarget> batch = std::exchange(one.batch, {});
    for (std::size_t i = 0; i < batch.size() && i < outcome.of_batch.size(); ++i) {
        one.target.key = batch[i].key;
        one.version_id = batch[i].version_id;
        on_end(index, one, std::move(outcome.of_batch[i]));
    }
}

}  // namespace s3tug::engine
