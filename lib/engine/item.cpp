#include "engine/item.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "base/limits.h"
#include "engine/failure_text.h"

namespace s3tug::engine {
namespace {

std::unique_ptr<Flow> make_work(Services& services, const Transfer& transfer) {
    switch (transfer.kind) {
        case TransferKind::put: return make_put(services, transfer);
        case TransferKind::get: return make_get(services, transfer);
        case TransferKind::remove: return make_delete(services, transfer);
        case TransferKind::copy: return make_copy(services, transfer);
        case TransferKind::stat: return make_stat(transfer);
        case TransferKind::abort_upload: return make_abort(services, transfer);
        case TransferKind::list: break;
    }
    return make_get(services, transfer);
}

std::unique_ptr<Flow> make_flow(Services& services, const Transfer& transfer) {
    std::unique_ptr<Flow> work = make_work(services, transfer);
    return transfer.then_delete_source ? make_move(services, transfer, std::move(work)) : std::move(work);
}

const wire::S3Uri& store_end(const Transfer& transfer) {
    return transfer.kind == TransferKind::get ? transfer.source : transfer.target;
}

std::string breaker_key_of(Services& services, const Transfer& transfer) {
    const std::string& bucket = store_end(transfer).bucket;
    return wire::breaker_key(services.memory.endpoint_for(bucket), services.config.proxy,
                             services.config.breaker_per_bucket ? bucket : std::string());
}

GateConfig gate_config(const EngineConfig& config) {
    return {config.breaker_mode, config.breaker, config.breaker_patience};
}

Outcome refused(const Transfer& transfer) {
    Outcome outcome = failed(*transfer.refused);
    outcome.status = transfer.refused_by.status;
    outcome.code = transfer.refused_by.code;
    outcome.request_id = transfer.refused_by.request_id;
    return outcome;
}

std::string random_token(Rng& rng) {
    std::array<std::byte, 16> bytes{};
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
        const uint64_t draw = rng.next();
        for (std::size_t j = 0; j < 8; ++j) bytes[i + j] = static_cast<std::byte>(draw >> (8 * j));
    }
    return to_hex(bytes);
}

}  // namespace

Item::Item(Services& services, Transfer transfer) : Item(services, std::move(transfer), nullptr) {}

Item::Item(Services& services, Transfer transfer, std::unique_ptr<Flow> flow)
    : services_(services),
      id_(++services.last_item_id),
      transfer_(std::move(transfer)),
      name_(item_name(transfer_)),
      began_(services.now()),
      flow_(flow ? std::move(flow) : make_flow(services, transfer_)),
      gate_(gate_config(services.config), breaker_key_of(services, transfer_), name_, services.ports.state,
            services.ports.clock, services.ports.processes, services.rng.split(), services.trace, services.run),
      write_token_(random_token(services.rng)) {}

// Bodies and sinks go with the flow: nothing may be in flight that still uses them.
Item::~Item() { abandon(); }

void Item::abandon() {
    for (const Running& running : running_) let_go(running);
    running_.clear();
    if (places_in_line_ > 0) services_.traffic.leave_line(*this);
    places_in_line_ = 0;
}

void Item::abandon(unsigned tag) {
    std::erase_if(running_, [&](const Running& running) {
        if (running.tag != tag) return false;
        let_go(running);
        return true;
    });
}

void Item::let_go(const Running& running) {
    --services_.open_requests;
    requests_ += running.operation->requests_sent();
    const auto id = running.operation->in_flight();
    if (!id) return;
    services_.ports.transport.cancel(*id, wire::TransportCode::cancelled);
    services_.traffic.ended(*id);
}

bool Item::may_hedge() const { return room() && services_.traffic.nothing_waits() && !services_.traffic.failing(); }

std::size_t Item::waiting() const {
    const Instant now = services_.now();
    std::size_t count = 0;
    for (const Running& running : running_) {
        const std::optional<Instant> due = running.operation->due();
        count += due && *due > now ? 1 : 0;
    }
    return count;
}

std::optional<Instant> Item::in_flight_since(unsigned tag) const {
    for (const Running& running : running_) {
        if (running.tag == tag && running.operation->in_flight()) return running.operation->attempt_began();
    }
    return std::nullopt;
}

void Item::start() {
    if (transfer_.refused) return finish(refused(transfer_));
    if (transfer_.dry_run) {
        if (transfer_.kind == TransferKind::put && transfer_.local.kind == LocalEnd::Kind::path) {
            if (const auto source = services_.ports.files.stat(transfer_.local.path); !source)
                return finish(failed(source.error()));
        }
        Outcome outcome;
        outcome.dry_run = true;
        return finish(std::move(outcome));
    }
    Result<std::string> content = flow_->prepare();
    if (!content) return start_without_source(content.error());
    if (transfer_.idempotency_key.empty()) return begin(write_token_, false);
    key_ = std::make_unique<KeyGuard>(services_, transfer_, *content);
    claim_key();
}

/// A move of a file that is not there: it may be the one that took it away, under the same key.
void Item::start_without_source(const Error& why) {
    const bool gone = why.kind == ErrorKind::not_found && transfer_.kind == TransferKind::put;
    if (!gone || !transfer_.then_delete_source || transfer_.idempotency_key.empty()) return finish(failed(why));
    auto guard = std::make_unique<KeyGuard>(services_, transfer_, "");
    if (std::optional<Outcome> kept = guard->kept_move()) return finish(*std::move(kept));
    if (!guard->take_up_move()) return finish(failed(why));
    key_ = std::move(guard);
    flow_ = make_moved_before(services_, transfer_, why);
    claim_key();
}

void Item::claim_key() {
    claim_due_.reset();
    KeyGuard::Answer answer = key_->claim(write_token_);
    if (auto* fresh = std::get_if<KeyGuard::Fresh>(&answer)) return begin(fresh->write_token, false);
    if (auto* taken = std::get_if<KeyGuard::TakenOver>(&answer)) return begin(taken->write_token, true);
    if (auto* kept = std::get_if<KeyGuard::Kept>(&answer)) return finish(std::move(kept->outcome));
    if (auto* error = std::get_if<Error>(&answer)) return finish(failed(std::move(*error)));
    claim_due_ = std::get<KeyGuard::Busy>(answer).ask_again;
}

void Item::begin(const std::string& write_token, bool resumed) {
    unknown_outcome_ = resumed;
    begun_ = true;
    flow_->begin(*this, write_token, resumed);
}

bool Item::room() const {
    // More of them would wait too, or fail like those that did.
    if ((gate_.parked() || services_.traffic.struggling()) && !running_.empty()) return false;
    return services_.traffic.room() && running_.size() < limits::item_requests_max &&
           services_.open_requests < limits::requests_open_max;
}

bool Item::more() {
    flow_->more(*this);
    collect();
    return wants_turn() && flow_->turn() == Flow::Turn::at_once;
}

void Item::cut() {
    for (const Running& running : running_) running.operation->stop(ErrorKind::interrupted);
}

void Item::send(unsigned tag, OperationSpec spec) {
    ++services_.open_requests;
    running_.push_back({tag, std::make_unique<Operation>(services_, gate_, name_, std::move(spec))});
    stand_in_line(running_.back());
}

void Item::stand_in_line(Running& running) {
    running.in_line = true;
    ++places_in_line_;
    services_.traffic.join(*this);
}

void Item::finish(Outcome outcome) {
    if (outcome_) return;
    outcome.attempts = requests_;
    outcome.elapsed = services_.now() - began_;
    // What ended the batch before its flow could tell ended each key of it.
    if (!transfer_.batch.empty() && outcome.of_batch.empty()) outcome.of_batch.assign(transfer_.batch.size(), outcome);
    for (Outcome& key : outcome.of_batch) key.elapsed = outcome.elapsed;
    outcome_ = std::move(outcome);
    // The breaker and the record hear the outcome last (design section 3, order of one item).
    if (outcome_->ok() && requests_ > 0) for_breaker_ = policy::ItemResult::success;
    gate_.report(for_breaker_, short_text(last_verdict_));
    settle_key();
    tell_end();
}

void Item::settle_key() {
    if (!key_) return;
    if (outcome_->ok()) {
        if (!outcome_->cached && !outcome_->skipped)
            key_->keep(*outcome_);
        else
            key_->release();
        return;
    }
    const bool in_doubt = unknown_outcome_ || outcome_->error->kind == ErrorKind::outcome_unknown;
    // A move that has come to its target has had its effect: the next run must find that, and not do it again.
    if (in_doubt || outcome_->source_remains) return key_->leave_for_next_run();
    key_->release();
}

void Item::tell_end() {
    if (transfer_.kind == TransferKind::list && !transfer_.refused) return;  // planning: whoever asked for it tells
    const port::EventKind kind = outcome_->ok() ? port::EventKind::item_done : port::EventKind::give_up;
    if (!services_.trace.wants(kind)) return;
    port::TraceEvent event = services_.trace.event(kind, name_);
    event.attempt = requests_;
    event.elapsed = outcome_->elapsed;
    event.status = outcome_->status;
    event.code = outcome_->code;
    event.request_id = outcome_->request_id;
    event.cls = policy::to_string(last_verdict_.cls);
    event.breaker = gate_.state_name();
    event.next = outcome_->ok() ? "done" : std::string(to_string(outcome_->error->kind));
    if (!outcome_->ok())
        event.why = outcome_->error->message;
    else if (outcome_->cached)
        event.why = "kept result of the idempotency key, nothing sent";
    else if (outcome_->skipped)
        event.why = "skipped, something stands there";
    else if (!outcome_->checksum.empty())
        event.why = "verified by " + outcome_->checksum;
    services_.trace.emit(std::move(event));
}

std::optional<Instant> Item::due() const {
    std::optional<Instant> earliest = claim_due_;
    const auto consider = [&](std::optional<Instant> t) {
        if (t && (!earliest || *t < *earliest)) earliest = t;
    };
    for (const Running& running : running_) {
        if (!running.in_line) consider(running.operation->due());
    }
    if (!running_.empty()) consider(renew_due_);
    return earliest;
}

void Item::on_due() {
    const Instant now = services_.now();
    if (claim_due_ && *claim_due_ <= now) claim_key();
    if (renew_due_ && *renew_due_ <= now) {
        gate_.renew();
        renew_due_ = now + services_.config.breaker.lease / 3;
    }
    for (Running& running : running_) {
        const std::optional<Instant> due = running.operation->due();
        if (!running.in_line && due && *due <= now) stand_in_line(running);
    }
    collect();
}

void Item::on_slot() {
    if (places_in_line_ > 0) --places_in_line_;
    const auto waiting =
        std::find_if(running_.begin(), running_.end(), [](const Running& running) { return running.in_line; });
    if (waiting == running_.end()) return;
    waiting->in_line = false;
    Operation& operation = *waiting->operation;
    operation.on_due();
    if (const auto id = operation.in_flight()) services_.traffic.sent(*id, *this);
    if (gate_.is_trial() && !renew_due_) renew_due_ = services_.now() + services_.config.breaker.lease / 3;
    collect();
}

void Item::on_completion(port::Completion& completion) {
    services_.traffic.ended(completion.id);
    for (const Running& running : running_) {
        if (running.operation->in_flight() != completion.id) continue;
        running.operation->on_reply(std::move(completion.reply));
        return collect();
    }
}

void Item::collect() {
    for (;;) {
        const auto done =
            std::find_if(running_.begin(), running_.end(), [](const Running& r) { return r.operation->ended(); });
        if (done == running_.end()) return;
        const unsigned tag = done->tag;
        const std::unique_ptr<Operation> operation = std::move(done->operation);
        running_.erase(done);
        --services_.open_requests;
        requests_ += operation->requests_sent();
        moved_ += operation->moved();
        OperationResult result = operation->take_result();
        last_verdict_ = result.verdict;
        // Many failing parts of one item are one failure, whatever was sent after them to tidy up.
        if (result.error && for_breaker_ != policy::ItemResult::failure) for_breaker_ = result.for_breaker;
        if (outcome_) continue;
        // What an earlier process may have done stays in doubt too.
        unknown_outcome_ |= result.unknown_outcome;
        flow_->on_result(*this, tag, std::move(result));
    }
}

Instant Item::watch(Instant now) {
    Instant next = now + seconds(3600);
    for (const Running& running : running_) next = std::min(next, running.operation->watch(now));
    return next;
}

void Item::count(RunCounters& counters) const {
    ++counters.items_open;
    counters.bytes_moved += moved_;
    for (const Running& running : running_) counters.bytes_moved += running.operation->count(counters);
    const std::optional<uint64_t> size = flow_->size();
    counters.bytes_open = size && counters.bytes_open ? std::optional(*counters.bytes_open + *size) : std::nullopt;
}

void Item::stop(ErrorKind kind) {
    const bool first = !std::exchange(stop_seen_, true);
    if (first && begun_ && !running_.empty() && flow_->tidying()) return;
    if (running_.empty() && !outcome_) {
        claim_due_.reset();
        const std::string text = kind == ErrorKind::deadline ? "deadline reached" : "interrupted by a signal";
        Outcome outcome = failed(Error{kind, text});
        return begun_ ? flow_->stop(*this, std::move(outcome)) : finish(std::move(outcome));
    }
    for (const Running& running : running_) running.operation->stop(kind);
    collect();
}

}  // namespace s3tug::engine
