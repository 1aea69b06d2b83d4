#include "sim/policy_process.h"

#include <algorithm>

namespace s3tug::sim {

using policy::Decision;
using policy::ItemResult;

struct PolicyProcess::Item {
    std::size_t index = 0;
    ItemSpec spec;
    const policy::IdempotencyRow* rule = nullptr;
    policy::History history;
    policy::Verdict verdict;
    policy::Ticket ticket;
    bool admitted = false;  ///< has a ticket
    std::optional<Instant> parked_since;
    std::optional<policy::FailureClass> to_pay, retried_for;
    std::optional<WallTime> first_unknown;
    WallTime sent_wall{};
    bool to_look = false;
    unsigned looks = 0;         ///< answered ones for the present unknown outcome
    unsigned failed_looks = 0;  ///< the others
    unsigned sends = 0, all_looks = 0;
};

namespace {

constexpr std::string_view boot = "boot-1";

}  // namespace

PolicyProcess::PolicyProcess(World& world, ProcessSetup setup, Rng rng)
    : world_(world),
      setup_(std::move(setup)),
      rng_(rng),
      budget_(setup_.budget, world.queue.now()),
      pace_(setup_.pace, world.queue.now()),
      self_{setup_.pid, 1, std::string(boot), 1},
      ends_(setup_.items.size()) {}

PolicyProcess::~PolicyProcess() = default;

void PolicyProcess::start() {
    if (setup_.deadline) deadline_ = now() + *setup_.deadline;
    pump();
}

void PolicyProcess::kill() {
    killed_ = true;
    world_.dead.insert(setup_.pid);
}

void PolicyProcess::begin_next() {
    auto item = std::make_unique<Item>();
    item->index = next_item_;
    item->spec = setup_.items[next_item_++];
    item->rule = &policy::idempotency_rule(item->spec.op, item->spec.condition, item->spec.bucket,
                                           policy::Look::allowed, item->spec.token);
    ready_.push_back(item.get());
    items_.push_back(std::move(item));
}

void PolicyProcess::pump() {
    while (!killed_ && in_flight_ < std::max(1U, pace_.concurrency())) {
        const bool room = next_item_ - finished_ < setup_.pace.concurrency_max;
        if (ready_.empty() && room && next_item_ < setup_.items.size()) begin_next();
        if (ready_.empty()) return;
        Item& item = *ready_.front();
        ready_.pop_front();
        step(item);
    }
}

void PolicyProcess::ready_at(Item& item, Instant when) {
    world_.queue.at(when, [this, &item] {
        if (killed_) return;
        ready_.push_back(&item);
        pump();
    });
}

void PolicyProcess::step(Item& item) {
    if (deadline_ && now() >= *deadline_) return end(item, false, ErrorKind::deadline, ItemResult::released);
    if (!admitted(item)) return;
    const Instant free = pace_.next_send(now());
    if (free > now()) return ready_at(item, free);
    world_.monitor.sending(load(), setup_.breaker, item.ticket);
    anything_sent_ = true;
    ++in_flight_;
    pace_.sent(now());
    if (item.to_look) {
        send_look(item);
    } else {
        send(item);
    }
}

policy::BreakerRecord PolicyProcess::load() {
    if (world_.breaker_text.empty()) return {};
    auto record = policy::decode_breaker(world_.breaker_text);
    world_.monitor.check(record.has_value(), "a breaker record that cannot be read back");
    return std::move(record).value_or(policy::BreakerRecord{});
}

policy::BreakerNow PolicyProcess::breaker_now() const {
    return {now(), world_.queue.wall(), std::string(boot), [this](const ProcessId& process) {
                return world_.dead.contains(process.pid) ? Liveness::dead : Liveness::alive;
            }};
}

void PolicyProcess::store(const policy::BreakerRecord& record, const std::optional<policy::BreakerChange>& transition) {
    world_.breaker_text = policy::encode(record);
    if (!transition || transition->to != policy::BreakerState::open) return;
    ++world_.openings;
    world_.monitor.trace(now(), "breaker", "opened in generation", record.generation);
}

/// Looks at the record before every request, since another item or process may have opened it.
bool PolicyProcess::admitted(Item& item) {
    const policy::BreakerRecord record = load();
    if (item.admitted && item.ticket.generation == record.generation) {
        const bool listed = std::any_of(record.permits.begin(), record.permits.end(),
                                        [&](const policy::Permit& p) { return p.id == item.ticket.permit; });
        if (record.state == policy::BreakerState::closed || listed) return true;
    }
    const policy::Admission admission = policy::ask(setup_.breaker, record, breaker_now(), self_, rng_.next());
    if (admission.changed) store(admission.record, admission.transition);
    if (!admission.ticket) {
        refused(item, admission);
        return false;
    }
    item.ticket = *admission.ticket;
    item.admitted = true;
    item.parked_since.reset();
    return true;
}

/// A command that starts ends; one that runs parks the item until a trial slot may be free, within its patience.
void PolicyProcess::refused(Item& item, const policy::Admission& admission) {
    const auto give_up = [&](ErrorKind kind) {
        item.admitted = false;
        end(item, false, item.history.unknown_outcome ? ErrorKind::outcome_unknown : kind, ItemResult::released);
    };
    if (!anything_sent_) return give_up(ErrorKind::breaker_open);
    if (!item.parked_since) item.parked_since = now();
    if (now() - *item.parked_since >= setup_.patience) return give_up(ErrorKind::breaker_open);
    const Instant when = now() + std::max(admission.retry_in.value_or(seconds(1)), Duration(milliseconds(50)));
    if (deadline_ && when >= *deadline_) return give_up(ErrorKind::deadline);
    world_.monitor.trace(now(), item.spec.key, "parked", 0);
    ready_at(item, when);
}

void PolicyProcess::send(Item& item) {
    if (item.to_pay) {
        budget_.take(*item.to_pay, now());
        world_.monitor.tokens(budget_, setup_.budget, now());
        item.retried_for = item.to_pay;
        item.to_pay.reset();
    }
    ++item.sends;
    item.sent_wall = world_.queue.wall();
    world_.monitor.check(!deadline_ || now() < *deadline_, "a request was sent after the deadline");
    world_.monitor.trace(now(), item.spec.key, "sent", item.sends);
    world_.store.send(item.spec, item.sends, [this, &item](const StoreModel::Reply& reply) {
        if (killed_) return;
        --in_flight_;
        on_answer(item, reply.verdict);
        pump();
    });
}

void PolicyProcess::send_look(Item& item) {
    ++item.all_looks;
    world_.monitor.trace(now(), item.spec.key, "looked", item.looks);
    world_.store.look(item.spec, item.all_looks, item.rule->proof, item.first_unknown.value_or(item.sent_wall),
                      [this, &item](const StoreModel::Reply& reply) {
                          if (killed_) return;
                          --in_flight_;
                          on_look(item, reply);
                          pump();
                      });
}

policy::Situation PolicyProcess::situation(const Item& item) const {
    policy::Situation s;
    s.now = now();
    s.deadline = deadline_;
    s.trial = item.ticket.permit.has_value();
    s.credentials_refreshable = true;
    s.current_region = item.history.repairs.contains(policy::Repair::region) ? "eu-west-1" : "us-east-1";
    s.rule = item.rule;
    return s;
}

void PolicyProcess::on_answer(Item& item, const policy::Verdict& verdict) {
    world_.monitor.trace(now(), item.spec.key, "answered with class", static_cast<uint64_t>(verdict.cls));
    item.verdict = verdict;
    ++item.history.attempts;
    const bool unresolved = verdict.code == "CURLE_COULDNT_RESOLVE_HOST";
    item.history.resolve_failures = unresolved ? item.history.resolve_failures + 1 : 0;
    if (item.ticket.permit) {
        const auto renewed = policy::renew(setup_.breaker, load(), breaker_now(), item.ticket);
        if (renewed.changed) store(renewed.record, renewed.transition);
    }
    if (verdict.cls == policy::FailureClass::throttling) pace_.on_throttle(now());
    if (verdict.success()) {
        pace_.on_success(now());
        budget_.on_success(item.retried_for.has_value(), item.retried_for.value_or(policy::FailureClass::none), now());
        world_.monitor.tokens(budget_, setup_.budget, now());
    }
    const Decision decision = policy::decide(setup_.retry, item.history, verdict, situation(item), budget_, rng_);
    if (verdict.effect == policy::Effect::unknown && !verdict.success()) {
        item.history.unknown_outcome = true;
        if (!item.first_unknown) item.first_unknown = item.sent_wall;
    }
    item.looks = item.failed_looks = 0;
    act(item, decision);
}

void PolicyProcess::on_look(Item& item, const StoreModel::Reply& reply) {
    const policy::Finding finding = reply.finding.value_or(policy::Finding::undecidable);
    world_.monitor.trace(now(), item.spec.key, "found", static_cast<uint64_t>(finding));
    if (reply.verdict.cls == policy::FailureClass::throttling) pace_.on_throttle(now());
    const bool answered = reply.verdict.success() || reply.verdict.cls == policy::FailureClass::access;
    if (!answered && ++item.failed_looks < limits::verifications_max) {
        const Instant when = now() + policy::backoff_wait(setup_.retry.backoff, item.failed_looks, Duration(), rng_);
        if (!deadline_ || when < *deadline_) return ready_at(item, when);
    }
    ++item.looks;
    world_.monitor.check(item.looks <= limits::verifications_max, "more looks than allowed for one unknown outcome");
    if (reply.verdict.cls == policy::FailureClass::access) {
        item.rule = &policy::idempotency_rule(item.spec.op, item.spec.condition, item.spec.bucket, policy::Look::denied,
                                              item.spec.token);
    }
    act(item, policy::decide_after_look(setup_.retry, item.history, item.verdict, finding, item.looks, situation(item),
                                        budget_, rng_));
}

void PolicyProcess::act(Item& item, const Decision& decision) {
    if (const auto* retry = std::get_if<policy::RetryAt>(&decision)) {
        world_.monitor.retry(setup_.retry, item.history, item.verdict, situation(item), budget_, *retry);
        world_.monitor.trace(now(), item.spec.key, "retried", static_cast<uint64_t>(retry->wait.count()));
        item.history.previous_wait = retry->wait;
        item.to_pay = item.verdict.cls;
        item.to_look = false;
        ready_at(item, retry->when);
    } else if (const auto* repair = std::get_if<policy::RepairAndRetry>(&decision)) {
        world_.monitor.trace(now(), item.spec.key, "repaired", static_cast<uint64_t>(repair->repair));
        world_.monitor.check(item.history.repairs.insert(repair->repair).second, "one kind of repair twice");
        world_.monitor.check(item.history.repairs.size() <= setup_.retry.repairs_max, "too many repairs");
        --item.history.attempts;
        item.to_look = false;
        ready_at(item, now());
    } else if (const auto* verify = std::get_if<policy::VerifyFirst>(&decision)) {
        world_.monitor.check(!deadline_ || verify->when < *deadline_, "a look that reaches the deadline");
        item.to_look = true;
        ready_at(item, verify->when);
    } else if (const auto* give_up = std::get_if<policy::GiveUp>(&decision)) {
        const bool answers = item.verdict.host_answered && give_up->kind != ErrorKind::deadline;
        end(item, false, give_up->kind,
            give_up->counts_for_breaker ? ItemResult::failure
            : answers                   ? ItemResult::success
                                        : ItemResult::released);
    } else {
        end(item, true, std::nullopt, ItemResult::success);
    }
}

void PolicyProcess::end(Item& item, bool done, std::optional<ErrorKind> error, ItemResult result) {
    if (item.admitted) {
        const auto update =
            policy::report(setup_.breaker, load(), breaker_now(), item.ticket, result, item.verdict.code);
        if (update.changed) store(update.record, update.transition);
    }
    const ItemEnd how{done, error, item.sends, item.all_looks};
    judge_end(item, how);
    ends_[item.index] = how;
    world_.monitor.trace(now(), item.spec.key, "ended with error", error ? static_cast<uint64_t>(*error) + 1 : 0);
    ++finished_;
    ended_at_ = now();
}

/// What the user is told must be true of the store.
void PolicyProcess::judge_end(const Item& item, const ItemEnd& how) {
    Monitor& monitor = world_.monitor;
    const KeyState& key = world_.store.key(item.spec.key);
    const auto repairs = static_cast<unsigned>(item.history.repairs.size());
    monitor.check(how.sends <= 1 + setup_.retry.retries + repairs, "more attempts than retries and repairs allow");
    monitor.check(how.looks <= how.sends * 2 * limits::verifications_max, "more looks than attempts allow");
    const bool writes = item.spec.op == wire::Op::put_object || item.spec.op == wire::Op::copy_object;
    if (how.done && writes) monitor.check(key.landed > 0, "done, but nothing of ours ever landed");
    if (how.done && item.spec.op == wire::Op::delete_object) {
        monitor.check(key.landed > 0 || key.was_absent, "done, but the object never went away");
    }
    const bool ours_stands =
        key.object.exists && item.spec.token && key.object.token == StoreModel::token_of(item.spec);
    if (how.error == ErrorKind::precondition && writes) {
        monitor.check(!ours_stands, "precondition failed, but our own object stands there");
    }
    const bool once = item.rule->repeat == policy::RepeatClass::verify_first && writes;
    if (once) monitor.check(key.landed <= 1 + key.landed_late, "a write of class C took effect twice");
}

}  // namespace s3tug::sim
