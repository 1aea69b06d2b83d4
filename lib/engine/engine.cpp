#include "engine/engine.h"

#include <algorithm>
#include <deque>

#include "engine/item.h"
#include "engine/services.h"

namespace s3tug::engine {

class Engine::Impl {
  public:
    Impl(Ports ports, EngineConfig config, Rng rng)
        : ports_(ports), config_(std::move(config)), services_(ports_, config_, rng) {}

    std::vector<Outcome> run(const std::vector<Transfer>& items, const OnDone& on_done, const std::atomic<int>& stop);

  private:
    struct Slot {
        std::size_t index;
        std::unique_ptr<Item> item;
    };

    void start_next(const std::vector<Transfer>& items);
    void turn();
    void reap(const std::vector<Transfer>& items, std::vector<Outcome>& outcomes, const OnDone& on_done);
    Instant next_wake() const;
    void stop_all(ErrorKind kind);

    Ports ports_;
    EngineConfig config_;
    Services services_;
    std::vector<Slot> slots_;
    std::size_t next_item_ = 0;
    std::optional<ErrorKind> stopping_;
};

Engine::Engine(Ports ports, EngineConfig config, Rng rng)
    : impl_(std::make_unique<Impl>(ports, std::move(config), rng)) {}

Engine::~Engine() = default;

std::vector<Outcome> Engine::run(const std::vector<Transfer>& items, const OnDone& on_done,
                                 const std::atomic<int>& stop) {
    return impl_->run(items, on_done, stop);
}

std::vector<Outcome> Engine::Impl::run(const std::vector<Transfer>& items, const OnDone& on_done,
                                       const std::atomic<int>& stop) {
    std::vector<Outcome> outcomes(items.size());
    if (config_.deadline) services_.run.deadline = services_.now() + *config_.deadline;
    const bool all_dry = std::all_of(items.begin(), items.end(), [](const Transfer& t) { return t.dry_run; });
    if (!all_dry) services_.memory.load(services_.pace);

    next_item_ = 0;
    while (next_item_ < items.size() || !slots_.empty()) {
        if (!stopping_ && stop.load() != 0) stop_all(ErrorKind::interrupted);
        if (!stopping_ && services_.run.deadline && services_.now() >= *services_.run.deadline) {
            stop_all(ErrorKind::deadline);
        }
        start_next(items);
        turn();
        reap(items, outcomes, on_done);
        if (slots_.empty()) continue;
        const Instant until = next_wake();
        for (port::Completion& completion : ports_.transport.poll(until)) {
            for (Slot& slot : slots_) {
                if (slot.item->on_completion(completion)) break;
            }
        }
        reap(items, outcomes, on_done);
    }
    services_.memory.save_pace(services_.pace);
    return outcomes;
}

void Engine::Impl::start_next(const std::vector<Transfer>& items) {
    const std::size_t room = std::max<std::size_t>(1, services_.pace.concurrency());
    while (next_item_ < items.size() && slots_.size() < room) {
        Slot slot{next_item_, std::make_unique<Item>(services_, items[next_item_])};
        ++next_item_;
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
        const std::optional<Instant> due = slot.item->due();
        if (due && *due <= now) slot.item->on_due();
    }
}

Instant Engine::Impl::next_wake() const {
    const Instant now = services_.now();
    Instant until = now + seconds(3600);
    if (services_.run.deadline && !stopping_) until = std::min(until, *services_.run.deadline);
    for (const Slot& slot : slots_) {
        until = std::min(until, slot.item->watch(now));
        if (const std::optional<Instant> due = slot.item->due()) until = std::min(until, *due);
    }
    return until;
}

void Engine::Impl::stop_all(ErrorKind kind) {
    stopping_ = kind;
    for (Slot& slot : slots_) slot.item->stop(kind);
}

void Engine::Impl::reap(const std::vector<Transfer>& items, std::vector<Outcome>& outcomes, const OnDone& on_done) {
    for (std::size_t i = 0; i < slots_.size();) {
        if (!slots_[i].item->ended()) {
            ++i;
            continue;
        }
        const std::size_t index = slots_[i].index;
        outcomes[index] = slots_[i].item->take_outcome();
        slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(i));
        if (on_done) on_done(items[index], outcomes[index]);
    }
}

}  // namespace s3tug::engine
