#include "engine/operation.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "engine/connection_hint.h"
#include "engine/failure_text.h"
#include "wire/object_requests.h"
#include "wire/sigv4.h"

namespace s3tug::engine {
namespace {

constexpr uint64_t expect_from_bytes = 1U << 20;    // below it a body costs less than the wait for 100 Continue
constexpr uint64_t expect_each_bytes = 8ULL << 20;  // above it one round trip is little beside the body

bool is_write(wire::Op op) {
    return op == wire::Op::put_object || op == wire::Op::delete_object || op == wire::Op::copy_object ||
           op == wire::Op::complete_multipart_upload;
}

}  // namespace

void call_damaged(policy::Verdict& verdict, std::string what) {
    verdict.cls = policy::FailureClass::integrity;
    verdict.retry = policy::RetryRule::once_after_fix;
    verdict.repair = policy::Repair::reread_source;
    verdict.code = "ChecksumMismatch";
    verdict.message = std::move(what);
}

Operation::Operation(Services& services, ItemGate& gate, std::string item, OperationSpec spec)
    : services_(services),
      gate_(gate),
      item_(std::move(item)),
      spec_(std::move(spec)),
      rule_(
          &policy::idempotency_rule(spec_.op, spec_.condition, spec_.bucket, policy::Look::allowed, spec_.token_sent)),
      due_(services.now()),
      began_(due_) {
    if (spec_.begin_with_look && spec_.look) {
        state_ = State::to_look;
        history_.unknown_outcome = true;
        // How that attempt ended nobody knows; as far as we do, a repeat may mend it.
        verdict_.cls = policy::FailureClass::transient_network;
        verdict_.effect = policy::Effect::unknown;
        verdict_.retry = policy::RetryRule::yes;
    }
}

std::optional<Instant> Operation::due() const {
    if (state_ == State::to_send || state_ == State::to_look) return due_;
    return std::nullopt;
}

std::optional<port::AttemptId> Operation::in_flight() const {
    if (state_ == State::sending || state_ == State::looking) return attempt_id_;
    return std::nullopt;
}

void Operation::on_due() {
    if (state_ == State::to_send)
        send();
    else if (state_ == State::to_look)
        send_look();
}

bool Operation::admitted(State again) {
    const ItemGate::Answer answer = gate_.check();
    parked_ = std::holds_alternative<ItemGate::WaitUntil>(answer);
    if (const auto* wait = std::get_if<ItemGate::WaitUntil>(&answer)) {
        state_ = again;
        due_ = wait->when;
        return false;
    }
    if (const auto* refused = std::get_if<Error>(&answer)) {
        Error error = *refused;
        // Something may have been applied already: "nothing was sent" would be a lie.
        if (history_.unknown_outcome) {
            error = failure_error(ErrorKind::outcome_unknown, verdict_, error.message, history_.attempts,
                                  services_.now() - began_);
        }
        fail(std::move(error), policy::ItemResult::released);
        return false;
    }
    return true;
}

/// False: due_ says when to ask again.
bool Operation::may_go() {
    probing_ = false;
    if (!to_pay_) return true;
    const Instant now = services_.now();
    const EarlyRetry::Answer answer = early_.ask(services_.traffic, now);
    probing_ = answer == EarlyRetry::Answer::probe;
    if (answer == EarlyRetry::Answer::wait) due_ = early_.look_at(now);
    return answer != EarlyRetry::Answer::wait;
}

/// A retry whose wait is over is held by an empty budget until time or the successes of others have filled it, or the
/// store serves most of what it gets: the budget is there for stores that do not.
bool Operation::can_pay() {
    const Instant now = services_.now();
    if (!to_pay_ || now >= pay_until_ || services_.traffic.serving()) return true;
    const Instant paid = services_.budget.affordable_at(*to_pay_, now);
    if (paid <= now) return true;
    // Longer waits are looked at less often, since hundreds of items may wait so, but never long after an outage's end.
    const Duration step =
        std::clamp<Duration>((pay_until_ - now) / 4, limits::budget_look_every, limits::budget_look_every_max);
    due_ = std::min({paid, pay_until_, now + step});
    return false;
}

/// Expect: 100-continue costs a round trip, a body sent for nothing costs its bytes. So: the first large request to an
/// endpoint, and all of them while it refuses some; parts of usual size always, since an outage that begins would take
/// all that are in flight; not where it was not answered, which costs a second each.
bool Operation::announces(const wire::Request& request) const {
    if (no_expect_ || services_.memory.ignores_expect() || request.body_bytes <= expect_from_bytes) return false;
    return !services_.expect_used || services_.pace.throttled_lately() || request.body_bytes >= expect_each_bytes;
}

void Operation::send() {
    if (!may_go() || (!probing_ && !can_pay()) || !admitted(State::to_send)) return;
    if (to_pay_) {
        if (!probing_) services_.budget.take(*to_pay_, services_.now());
        ++services_.retries;
        retried_for_ = to_pay_;
        to_pay_.reset();
    }
    wire::Request request = spec_.build();
    context_ = context(request);
    port::BodySource* body = spec_.body;
    if (!request.body.empty()) {
        inline_body_ = std::make_unique<InlineBody>(std::move(request.body));
        body = inline_body_.get();
    }
    if (submit(std::move(request), body, spec_.sink)) state_ = State::sending;
}

void Operation::send_look() {
    if (!admitted(State::to_look)) return;
    wire::Request request = wire::head_object({spec_.look->uri, spec_.look->version_id, spec_.look->extra});
    context_ = context(request);
    if (submit(std::move(request), nullptr, nullptr)) state_ = State::looking;
}

bool Operation::submit(wire::Request request, port::BodySource* body, port::BodySink* sink) {
    const WallTime now = services_.memory.corrected_now();
    Result<std::optional<wire::Credentials>> credentials = services_.ports.credentials.current(now);
    if (!credentials) {
        Error error = std::move(credentials).error();
        // A helper that was ended because the deadline came is no wrong setup.
        if (services_.run.deadline && services_.now() >= *services_.run.deadline)
            error = {ErrorKind::deadline,
                     "deadline reached while credentials were fetched; last error: " + error.message};
        fail(std::move(error), policy::ItemResult::released);
        return false;
    }
    signed_with_ = std::move(*credentials);
    context_.has_session_token = signed_with_ && !signed_with_->session_token.empty();
    port::Submission submission;
    submission.request = wire::sigv4::sign(request, services_.memory.endpoint_for(request.bucket),
                                           signed_with_ ? &*signed_with_ : nullptr, now, services_.signing_keys);
    if (announces(request)) {
        submission.request.expect_continue = true;
        context_.expect_sent = true;
        services_.expect_used = true;
    }
    tell_headers(submission.request);
    attempt_id_ = ++services_.last_attempt_id;
    submission.id = attempt_id_;
    submission.body = body;
    submission.sink = sink;
    submission.fresh_connection = std::exchange(fresh_connection_, false);
    const bool slow = spec_.slow_answer && request.op == spec_.op;
    watchdog_.emplace(services_.config.timeouts, slow, services_.now());
    sent_wall_ = services_.ports.clock.wall();
    ++requests_sent_;
    ++services_.requests;
    attempt_began_ = services_.now();
    services_.pace.sent(services_.now());
    services_.ports.transport.submit(std::move(submission));
    return true;
}

policy::RequestContext Operation::context(const wire::Request& request) {
    policy::RequestContext context;
    context.op = request.op;
    context.body_bytes = request.body_bytes;
    context.ranged = request.headers.find("range").has_value();
    context.of_part = spec_.of_part;
    context.conditional = spec_.condition != policy::Conditional::none;
    context.aws_endpoint = services_.config.endpoint.aws;
    context.region = services_.memory.endpoint_for(request.bucket).region;
    context.clock_offset = services_.memory.clock_offset();
    context.own_checksum = spec_.own_checksum;
    return context;
}

void Operation::on_reply(wire::Reply reply) {
    if (const wire::HttpAnswer* answer = reply.answer()) tell_headers(*answer);
    if (state_ == State::looking) return on_look(std::move(reply));
    on_attempt(std::move(reply));
}

void Operation::on_attempt(wire::Reply reply) {
    // A store that ignores Range sends the whole object again; a download's sink copes with that by itself.
    if (spec_.sink != nullptr && reply.answer() != nullptr && reply.answer()->status == 200) context_.ranged = false;
    policy::Verdict seen = policy::classify(context_, reply);
    if (spec_.review) spec_.review(reply, seen);
    services_.store_known |= seen.success() || !seen.request_id.empty();
    if (!probing_) ++history_.attempts;
    const wire::TransportFailure* failure = reply.failure();
    const bool unresolved = failure != nullptr && failure->code == wire::TransportCode::could_not_resolve_host;
    history_.resolve_failures = unresolved ? history_.resolve_failures + 1 : 0;
    const bool unknown_now = is_write(spec_.op) && seen.effect == policy::Effect::unknown && !seen.success();
    if (unknown_now && !first_unknown_sent_) {
        first_unknown_sent_ = sent_wall_;
        first_unknown_began_ = attempt_began_;
    }
    // However often looks have failed before, this attempt is looked for more than once.
    look_failures_ = std::min(look_failures_, std::max(2U, services_.config.retry.retries) - 2);

    const bool cut_short = stopping_ && !seen.success();
    if (!cut_short) verdict_ = std::move(seen);  // when we cut it short, the last real error stays the one to tell
    tell(port::EventKind::attempt, &reply, "", "", std::nullopt);
    note_throttle(verdict_);
    if (!cut_short) hear();
    if (cut_short) {
        history_.unknown_outcome |= unknown_now;
        return give_up({*stopping_, stopped_text(*stopping_), false});
    }
    if (spec_.local_error && verdict_.cls == policy::FailureClass::local_io) {
        history_.unknown_outcome |= unknown_now;
        if (std::optional<Error> local = spec_.local_error()) {
            return fail(std::move(*local), policy::ItemResult::released);
        }
    }
    if (verdict_.success()) {
        if (context_.expect_sent && !reply.facts.continued) services_.memory.learn_ignores_expect();
        moved_ = spec_.sink != nullptr   ? reply.facts.body_bytes_received
                 : spec_.body != nullptr ? reply.facts.body_bytes_sent
                                         : 0;
        // Only now is it known that the checksum was what the store stumbled over.
        if (checksum_dropped_) services_.memory.learn_refuses_checksums();
        services_.budget.on_success(retried_for_.has_value(), retried_for_.value_or(policy::FailureClass::none),
                                    services_.now());
        services_.pace.on_success(services_.now(), reply.facts.body_bytes_sent + reply.facts.body_bytes_received,
                                  services_.traffic.was_full());
        // A sink that has enough ends the attempt itself: then the head is all there is.
        auto* answer = std::get_if<wire::HttpAnswer>(&reply.outcome);
        return succeed(std::move(answer != nullptr ? *answer : reply.partial_answer), std::nullopt);
    }
    const policy::Decision decision =
        policy::decide(services_.config.retry, history_, verdict_, situation(), services_.budget, services_.rng);
    history_.unknown_outcome |= unknown_now;  // decide judges this attempt by its verdict, the earlier ones by history
    act(decision, &reply);
}

void Operation::hear() {
    const bool served = verdict_.success() || verdict_.retry == policy::RetryRule::no;
    if (services_.traffic.heard(served, services_.now())) services_.budget.drain(services_.now());
}

void Operation::note_throttle(const policy::Verdict& verdict) {
    if (verdict.cls != policy::FailureClass::throttling) return;
    const unsigned before = services_.pace.concurrency();
    services_.pace.on_throttle(services_.now());
    services_.memory.save_pace(services_.pace);
    if (services_.pace.concurrency() == before) return;
    if (!services_.trace.wants(port::EventKind::pace)) return;
    port::TraceEvent event = services_.trace.event(port::EventKind::pace, item_);
    event.why =
        "throttled: concurrency " + std::to_string(before) + " -> " + std::to_string(services_.pace.concurrency());
    services_.trace.emit(std::move(event));
}

policy::Situation Operation::situation() const {
    policy::Situation situation;
    situation.now = services_.now();
    situation.deadline = services_.run.deadline;
    situation.trial = gate_.is_trial();
    situation.credentials_refreshable = signed_with_.has_value();
    situation.body_repeatable = true;
    situation.aws_endpoint = services_.config.endpoint.aws;
    situation.current_region = services_.config.endpoint.region;
    situation.rule = rule_;
    situation.served = services_.traffic.served();
    if (waits_on(situation.now)) situation.ahead_of = early_.due();
    return situation;
}

void Operation::act(const policy::Decision& decision, const wire::Reply* reply) {
    const wire::Reply* const told = state_ == State::looking ? nullptr : reply;  // a look's facts are not the attempt's
    if (const auto* retry = std::get_if<policy::RetryAt>(&decision)) {
        to_pay_ = verdict_.cls;
        // What made one connection fail may have made the other idle ones fail too.
        fresh_connection_ =
            verdict_.cls == policy::FailureClass::timeout || verdict_.cls == policy::FailureClass::transient_network;
        state_ = State::to_send;
        const Instant now = services_.now();
        if (waits_on(now)) {
            early_.probed(now);
        } else {
            history_.previous_wait = retry->wait;
            early_.begin(now, retry->backed_off, services_.config.retry.backoff.eases && !verdict_.hint,
                         services_.traffic);
        }
        due_ = early_.look_at(now);
        pay_until_ = retry->when;
        tell(port::EventKind::retry, told, "retry", retry->why, retry->wait);
    } else if (const auto* repair = std::get_if<policy::RepairAndRetry>(&decision)) {
        mend(*repair, *reply);
    } else if (const auto* verify = std::get_if<policy::VerifyFirst>(&decision)) {
        if (!spec_.look) {
            // Nothing to look at: the table must not ask for it.
            return give_up({ErrorKind::outcome_unknown, verify->why, verdict_.counts_for_breaker});
        }
        state_ = State::to_look;
        due_ = verify->when;
        tell(port::EventKind::verify, told, "look", verify->why, verify->when - services_.now());
    } else {
        give_up(std::get<policy::GiveUp>(decision));
    }
}

void Operation::mend(const policy::RepairAndRetry& repair, const wire::Reply& reply) {
    history_.repairs.insert(repair.repair);
    const bool mended = apply_repair(repair.repair);
    tell(port::EventKind::repair, &reply, std::string(policy::to_string(repair.repair)),
         mended ? repair.why : repair.why + "; not possible", std::nullopt);
    if (mended) {
        if (history_.attempts > 0) --history_.attempts;  // a repair is not a retry
        state_ = State::to_send;
        due_ = services_.now();
        return;
    }
    // With the repair marked as done the same verdict is final.
    act(policy::decide(services_.config.retry, history_, verdict_, situation(), services_.budget, services_.rng),
        &reply);
}

bool Operation::apply_repair(policy::Repair repair) {
    switch (repair) {
        case policy::Repair::clock_offset: services_.memory.learn_clock_offset(*verdict_.clock_offset); return true;
        case policy::Repair::region: {
            const std::string bucket = spec_.build().bucket;
            // Another request may have learned it meanwhile.
            if (verdict_.region != services_.memory.endpoint_for(bucket).region)
                services_.memory.learn_region(bucket, verdict_.region);
            return true;
        }
        case policy::Repair::credentials: {
            if (!signed_with_) return false;
            const Result<bool> fresh = services_.ports.credentials.refresh(*signed_with_, services_.ports.clock.wall());
            return fresh.ok() && *fresh;
        }
        case policy::Repair::fresh_connection: fresh_connection_ = true; return true;
        case policy::Repair::drop_expect:
            no_expect_ = true;
            services_.memory.learn_ignores_expect();
            return true;
        case policy::Repair::checksum_style:
            spec_.own_checksum = false;
            checksum_dropped_ = true;
            break;
        case policy::Repair::reread_source:
        case policy::Repair::restart:
        case policy::Repair::list_parts:
        case policy::Repair::none: break;
    }
    return spec_.repair && spec_.repair(repair);
}

Instant Operation::watch(Instant now) {
    if (!in_flight() || !watchdog_) return now + seconds(3600);
    if (const auto reason = watchdog_->judge(services_.ports.transport.progress(attempt_id_), now)) {
        services_.ports.transport.cancel(attempt_id_, *reason);
    }
    return watchdog_->next_look(now);
}

uint64_t Operation::count(RunCounters& counters) const {
    if (in_flight()) {
        ++counters.in_flight;
        const port::Progress progress = services_.ports.transport.progress(attempt_id_);
        if (state_ != State::sending) return 0;
        return spec_.sink != nullptr   ? progress.body_bytes_received
               : spec_.body != nullptr ? progress.body_bytes_sent
                                       : 0;
    }
    if (due_ <= counters.now || (counters.waiting_until && *counters.waiting_until <= due_)) return 0;
    counters.waiting_until = due_;
    counters.waiting_for = parked_ ? std::string("circuit breaker") : short_text(verdict_);
    return 0;
}

void Operation::stop(ErrorKind kind) {
    if (ended() || stopping_) return;
    if (in_flight()) {
        stopping_ = kind;
        services_.ports.transport.cancel(
            attempt_id_, kind == ErrorKind::deadline ? wire::TransportCode::deadline : wire::TransportCode::cancelled);
        return;
    }
    give_up({kind, stopped_text(kind), false});
}

std::string Operation::stopped_text(ErrorKind kind) const {
    if (history_.unknown_outcome) return "outcome unknown, a rerun settles it";
    return verdict_.code.empty() && kind == ErrorKind::deadline ? "not done in time" : "";
}

void Operation::succeed(wire::HttpAnswer answer, std::optional<wire::ObjectFacts> found) {
    state_ = State::ended;
    result_.answer = std::move(answer);
    result_.found = std::move(found);
    result_.verdict = verdict_;
    result_.for_breaker = policy::ItemResult::success;
    result_.took = services_.now() - attempt_began_;
}

void Operation::fail(Error error, policy::ItemResult for_breaker) {
    state_ = State::ended;
    result_.error = std::move(error);
    result_.verdict = verdict_;
    result_.unknown_outcome = history_.unknown_outcome;
    result_.for_breaker = for_breaker;
}

void Operation::give_up(const policy::GiveUp& end) {
    const bool stopped = is_stop(end.kind);
    policy::ItemResult for_breaker = policy::ItemResult::released;
    if (end.counts_for_breaker)
        for_breaker = policy::ItemResult::failure;
    else if (verdict_.host_answered && !stopped)
        for_breaker = policy::ItemResult::success;
    const ErrorKind kind = kind_for(end.kind, verdict_, spec_.op, spec_.condition);
    Error error = failure_error(kind, verdict_, end.why, history_.attempts, services_.now() - began_);
    if (history_.unknown_outcome && end.kind != ErrorKind::outcome_unknown && !stopped)
        error.message +=
            history_.attempts > 1 ? "; an earlier attempt may have been applied" : "; it may have been applied";
    error.message +=
        connection_hint(verdict_, services_.config.endpoint, services_.config.proxy, services_.store_known);
    fail(std::move(error), for_breaker);
}

void Operation::tell(port::EventKind kind, const wire::Reply* reply, std::string next, std::string why,
                     std::optional<Duration> wait) {
    tell(kind, reply, verdict_, std::move(next), std::move(why), wait);
}

void Operation::tell(port::EventKind kind, const wire::Reply* reply, const policy::Verdict& verdict, std::string next,
                     std::string why, std::optional<Duration> wait) {
    if (!services_.trace.wants(kind)) return;
    port::TraceEvent event = services_.trace.event(kind, item_);
    event.op = wire::to_string(state_ == State::looking ? wire::Op::head_object : spec_.op);
    event.attempt = history_.attempts;
    event.attempts_max = gate_.is_trial() ? 1 : services_.config.retry.retries + 1;
    if (reply != nullptr) describe(event, *reply, verdict);
    event.next = std::move(next);
    event.why = std::move(why);
    event.wait = wait;
    event.budget = services_.budget.tokens(services_.now());
    event.breaker = gate_.state_name();
    services_.trace.emit(std::move(event));
}

void Operation::tell_headers(const wire::SignedRequest& request) {
    if (!services_.trace.wants(port::EventKind::headers)) return;
    const std::size_t path = request.url.find('/', request.url.find("://") + 3);
    tell_headers(true, std::string(wire::to_string(request.method)) + " " + request.url.substr(path) + " HTTP/1.1",
                 request.headers);
}

void Operation::tell_headers(const wire::HttpAnswer& answer) {
    if (!services_.trace.wants(port::EventKind::headers)) return;
    tell_headers(false, "HTTP " + std::to_string(answer.status), answer.headers);
}

void Operation::tell_headers(bool request, std::string first_line, const wire::Headers& headers) {
    port::TraceEvent event = services_.trace.event(port::EventKind::headers, item_);
    event.op = wire::to_string(context_.op);
    event.request_headers = request;
    event.first_line = std::move(first_line);
    event.headers = headers;
    services_.trace.emit(std::move(event));
}

}  // namespace s3tug::engine
