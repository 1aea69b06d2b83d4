#include "engine/engine.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "engine/item.h"
#include "engine/planning.h"
#include "engine/services.h"

namespace s3tug::engine {

class Engine::Impl {
  public:
    Impl(Ports ports, EngineConfig config, Rng rng)
        : ports_(ports), config_(std::move(config)), services_(ports_, config_, rng) {}

    using OnEnd = std::function<void(std::size_t index, const Transfer&, Outcome)>;
    void run(ItemSource& source, const OnEnd& on_end, const std::atomic<int>& stop);
    void on_tick(Tick tick, Duration every);
    [[nodiscard]] uint64_t retries() const { return services_.retries; }
    [[nodiscard]] uint64_t requests() const { return services_.requests; }

  private:
    struct Slot {
        std::size_t index;
        std::unique_ptr<Item> item;
        PlanningFlow* planning = nullptr;  ///< of `item`: its result is for the source
        std::optional<Instant> due = std::nullopt;
        bool ended = false;
    };

    void look_at_limits(ItemSource& source, const std::atomic<int>& stop);
    [[nodiscard]] bool may_begin() const;
    void start_next(ItemSource& source, const OnEnd& on_end);
    void plan(ItemSource& source);
    void load();
    void add(Slot slot);
    void touched(Item& item);
    void turn();
    void send();
    void wait();
    void watch(Instant now);
    [[nodiscard]] Instant next_wake();
    void tick(const ItemSource& source);
    void reap(ItemSource& source, const OnEnd& on_end);
    void report(std::size_t index, Item& item, const OnEnd& on_end);

    Ports ports_;
    EngineConfig config_;
    Services services_;
    std::map<uint64_t, Slot> slots_;  ///< by Item::id, which is the order of their beginning
    std::set<std::pair<Instant, uint64_t>> due_;
    std::vector<uint64_t> ended_;  ///< not yet reported
    bool at_once_ = false;         ///< somebody has local work: do not wait
    std::optional<Instant> next_watch_;
    std::size_t started_ = 0;
    bool loaded_ = false;
    bool planning_ = false;
    std::optional<ErrorKind> stopping_;
    Tick tick_;
    Duration tick_every_{};
    std::optional<Instant> next_tick_;
    Instant stop_for_good_{};  ///< when what tidies up after a stop is stopped too
};

Engine::Engine(Ports ports, EngineConfig config, Rng rng)
    : impl_(std::make_unique<Impl>(ports, std::move(config), rng)) {}

Engine::~Engine() = default;

void Engine::on_tick(Tick tick, Duration every) { impl_->on_tick(std::move(tick), every); }

uint64_t Engine::retries() const { return impl_->retries(); }

uint64_t Engine::requests() const { return impl_->requests(); }

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
        look_at_limits(source, stop);
        // What is begun comes before what is not: a large object is not starved by the small ones behind it.
        turn();
        reap(source, on_end);
        const std::size_t started = started_;
        start_next(source, on_end);
        plan(source);
        services_.traffic.drained(source.ended());
        if (slots_.empty() && started_ == started) {
            if (stopping_ || source.ended()) break;
            throw std::logic_error("the source of items gives neither an item nor a request");
        }
        send();
        reap(source, on_end);
        if (slots_.empty()) continue;
        wait();
        reap(source, on_end);
        if (tick_) tick(source);
    }
    services_.memory.save_pace(services_.pace);
}

void Engine::Impl::look_at_limits(ItemSource& source, const std::atomic<int>& stop) {
    const bool was_stopping = stopping_.has_value();
    if (!was_stopping) {
        if (stop.load() != 0)
            stopping_ = ErrorKind::interrupted;
        else if (services_.run.deadline && services_.now() >= *services_.run.deadline)
            stopping_ = ErrorKind::deadline;
        if (!stopping_) return;
        stop_for_good_ = services_.now() + limits::deadline_grace;
        source.stop();
    }
    const Instant now = services_.now();
    for (auto& [id, slot] : slots_) {
        if (was_stopping && !slot.item->idle() && now < stop_for_good_) continue;
        slot.item->stop(*stopping_);
        touched(*slot.item);
    }
}

/// A store that does not answer, or not well, is not helped by more items: those that are begun find out how it is.
bool Engine::Impl::may_begin() const {
    if (slots_.empty()) return true;
    if (slots_.size() >= limits::items_begun_max) return false;
    if (stopping_) return true;
    if (!services_.traffic.room() || services_.run.parked) return false;
    return !services_.traffic.struggling() || slots_.size() < services_.pace.concurrency();
}

void Engine::Impl::start_next(ItemSource& source, const OnEnd& on_end) {
    while (may_begin()) {
        source.under_way(!slots_.empty());
        std::optional<Transfer> next = source.next();
        if (!next) return;
        if (!next->dry_run) load();
        add({started_++, std::make_unique<Item>(services_, std::move(*next))});
        reap(source, on_end);
    }
}

void Engine::Impl::plan(ItemSource& source) {
    if (planning_ || stopping_) return;
    std::optional<PlanningRequest> request = source.request();
    if (!request) return;
    load();
    planning_ = true;
    auto flow = std::make_unique<PlanningFlow>(std::move(request->spec));
    PlanningFlow* const planning = flow.get();
    add({0, std::make_unique<Item>(services_, about_planning(std::move(request->about)), std::move(flow)), planning});
}

/// What earlier processes learned about the store: before the first thing that sends.
void Engine::Impl::load() {
    if (std::exchange(loaded_, true)) return;
    services_.memory.load(services_.pace);
}

void Engine::Impl::add(Slot slot) {
    Item& item = *slot.item;
    slots_.emplace(item.id(), std::move(slot));
    if (stopping_)
        item.stop(*stopping_);
    else
        item.start();
    if (!stopping_ && item.wants_turn()) at_once_ |= item.more();
    touched(item);
}

/// After whatever may have changed when an item wants to be called, or whether it has ended.
void Engine::Impl::touched(Item& item) {
    Slot& slot = slots_.at(item.id());
    const std::optional<Instant> due = item.ended() ? std::nullopt : item.due();
    if (due != slot.due) {
        if (slot.due) due_.erase({*slot.due, item.id()});
        if (due) due_.emplace(*due, item.id());
        slot.due = due;
    }
    if (!item.ended() || slot.ended) return;
    slot.ended = true;
    ended_.push_back(item.id());
}

void Engine::Impl::turn() {
    const Instant now = services_.now();
    std::vector<uint64_t> due;
    for (auto first = due_.begin(); first != due_.end() && first->first <= now; ++first) due.push_back(first->second);
    for (const uint64_t id : due) {
        Item& item = *slots_.at(id).item;
        item.on_due();
        touched(item);
    }
    at_once_ = false;
    if (stopping_) return;
    for (auto& [id, slot] : slots_) {
        if (!slot.item->wants_turn()) continue;
        at_once_ |= slot.item->more();
        touched(*slot.item);
    }
}

void Engine::Impl::send() {
    while (Item* const item = services_.traffic.next(services_.now())) {
        item->on_slot();
        touched(*item);
    }
}

void Engine::Impl::wait() {
    for (port::Completion& completion : ports_.transport.poll(next_wake())) {
        Item* const item = services_.traffic.owner(completion.id);
        if (item == nullptr) continue;
        item->on_completion(completion);
        touched(*item);
    }
}

/// Looks at all attempts in flight, now and then: their bounds are seconds.
void Engine::Impl::watch(Instant now) {
    if (!services_.traffic.any_in_flight()) return next_watch_.reset();
    const Instant latest = now + Watchdog::look_every(config_.timeouts);
    if (!next_watch_) next_watch_ = latest;
    if (*next_watch_ > now) return;
    next_watch_ = latest;
    for (auto& [id, slot] : slots_) next_watch_ = std::min(*next_watch_, slot.item->watch(now));
}

Instant Engine::Impl::next_wake() {
    const Instant now = services_.now();
    watch(now);
    if (at_once_) return now;
    Instant until = now + seconds(3600);
    const auto consider = [&](std::optional<Instant> t) {
        if (t) until = std::min(until, *t);
    };
    if (stopping_) consider(std::max(now, stop_for_good_));
    if (!stopping_) consider(services_.run.deadline);
    consider(next_watch_);
    consider(next_tick_);
    consider(services_.traffic.opens_at(now));
    if (!due_.empty()) consider(due_.begin()->first);
    return until;
}

void Engine::Impl::on_tick(Tick tick, Duration every) {
    tick_ = std::move(tick);
    tick_every_ = every;
    next_tick_ = services_.now() + every;
}

void Engine::Impl::tick(const ItemSource& source) {
    RunCounters counters;
    counters.now = services_.now();
    if (counters.now < *next_tick_) return;
    next_tick_ = counters.now + tick_every_;
    counters.retries = services_.retries;
    counters.items_left = source.left();
    for (const auto& [id, slot] : slots_) {
        if (slot.planning == nullptr) slot.item->count(counters);
    }
    tick_(counters);
}

void Engine::Impl::reap(ItemSource& source, const OnEnd& on_end) {
    for (const uint64_t id : std::exchange(ended_, {})) {
        const Slot ended = std::move(slots_.extract(id).mapped());
        if (ended.planning == nullptr) {
            report(ended.index, *ended.item, on_end);
            continue;
        }
        planning_ = false;
        source.on_result(ended.planning->take_result());
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
