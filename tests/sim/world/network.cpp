#include "sim/world/network.h"

#include <algorithm>

#include "sim/world/world.h"

namespace s3tug::simworld {
namespace {

wire::TransportFailure failure(wire::TransportCode code) { return {code, "simulated"}; }

bool writes(wire::Op op) { return !wire::only_reads(op); }

wire::HttpAnswer html(int status) {
    wire::HttpAnswer out;
    out.status = status;
    out.headers.add("content-type", "text/html");
    out.body = "<html><body>gateway</body></html>";
    return out;
}

/// What a request is for, however often it is sent.
std::string wanted(const wire::SignedRequest& request) {
    return request.url + " " + std::string(request.headers.find("range").value_or(std::string_view()));
}

wire::HttpAnswer slow_down() { return Store::error(503, "SlowDown"); }

}  // namespace

bool has_effect(Fault fault) {
    return fault == Fault::error_500_after || fault == Fault::gateway_502_after || fault == Fault::gateway_503_after ||
           fault == Fault::gateway_504_after || fault == Fault::error_in_200_after;
}

std::optional<wire::HttpAnswer> injected(Fault fault, wire::Op op, uint64_t draw) {
    const bool late_error = wire::answers_late(op);
    switch (fault) {
        case Fault::throttle: return slow_down();
        case Fault::throttle_hint: {
            wire::HttpAnswer out = slow_down();
            out.headers.add("retry-after", std::to_string(draw % 40));
            return out;
        }
        case Fault::throttle_amz_hint: {
            wire::HttpAnswer out = slow_down();
            out.headers.add("x-amz-retry-after", std::to_string(draw % 9000));
            return out;
        }
        case Fault::error_500_before:
        case Fault::error_500_after: return Store::error(500, "InternalError");
        case Fault::gateway_502_after: return html(502);
        case Fault::gateway_503_after: return html(503);
        case Fault::gateway_504_after: return html(504);
        case Fault::error_in_200_before:
        case Fault::error_in_200_after: return Store::error(late_error ? 200 : 500, "InternalError");
        case Fault::html_200: return html(200);
        case Fault::conflict_409:
            if (op == wire::Op::put_object || op == wire::Op::complete_multipart_upload)
                return Store::error(409, "ConditionalRequestConflict");
            return Store::error(409, "OperationAborted");
        default: return std::nullopt;
    }
}

void Wire::submit(port::Submission submission) {
    process_.life.world = &world_;
    const unsigned way = process_.life.way(Call::submit);
    auto attempt = std::make_shared<Attempt>();
    attempt->serial = world_.next_serial();
    attempt->fault = process_.life.script ? static_cast<Fault>(way) : world_.draw_fault();
    if (!can_have(submission.request.op, attempt->fault)) attempt->fault = Fault::none;
    if (process_.life.script) process_.life.requests[process_.life.calls] = submission.request.op;
    const port::AttemptId id = submission.id;
    attempt->submission = std::move(submission);
    if (process_.life.killed) return;
    attempt->due = world_.now() + world_.delay(3);
    attempt->think = world_.delay(30);
    if (attempt->submission.request.op == wire::Op::abort_multipart_upload) process_.memory.given_up();
    process_.unserved.insert(wanted(attempt->submission.request));
    world_.on_submit(process_, *attempt);
    attempts_.emplace(id, std::move(attempt));
}

void Wire::cancel(port::AttemptId id, wire::TransportCode reason) {
    const auto found = attempts_.find(id);
    if (found == attempts_.end()) return;
    Attempt& attempt = *found->second;
    wire::Reply& reply = attempt.reply;
    reply.outcome = failure(reason);
    if (reply.facts.answer_begun) reply.partial_answer = attempt.answer;
    reply.facts.body_bytes_sent = attempt.sent.size();
    reply.received_at = world_.wall();
    process_.memory.cancelled(attempt);
    world_.on_attempt_end(attempt);
    cancelled_.push_back({id, std::move(reply)});
    attempts_.erase(found);
}

port::Progress Wire::progress(port::AttemptId id) const {
    const auto found = attempts_.find(id);
    if (found == attempts_.end()) return {};
    const Attempt& attempt = *found->second;
    uint64_t sent = attempt.sent.size();
    if (attempt.phase == port::Phase::sending && attempt.send_ends > attempt.send_began) {
        const Duration passed = std::min(world_.now(), attempt.send_ends) - attempt.send_began;
        sent = attempt.submission.request.body_bytes * static_cast<uint64_t>(to_ms(passed)) /
               static_cast<uint64_t>(std::max<int64_t>(1, to_ms(attempt.send_ends - attempt.send_began)));
    }
    return {attempt.phase, sent, attempt.delivered};
}

std::vector<port::Completion> Wire::poll(Instant until) {
    world_.before_poll(process_);
    world_.check_memory(process_);
    world_.check_engine_memory(process_);
    if (!cancelled_.empty()) return std::exchange(cancelled_, {});
    // The store's answers come while the process sleeps, and wake it.
    world_.before_wait(process_, until);
    Instant next = std::max(until, world_.now());
    for (const auto& [id, attempt] : attempts_) next = std::min(next, attempt->due);
    process_.wait_until(next);
    if (process_.life.killed) throw Killed{};
    std::vector<port::Completion> out;
    for (auto it = attempts_.begin(); it != attempts_.end();) {
        const std::shared_ptr<Attempt> attempt = it->second;
        if (attempt->due > world_.now() || !advance(attempt)) {
            ++it;
            continue;
        }
        attempt->reply.received_at = world_.wall();
        process_.memory.ended(*attempt);
        const wire::HttpAnswer* const answer = attempt->reply.answer();
        if (answer != nullptr && answer->status / 100 == 2)
            process_.unserved.erase(wanted(attempt->submission.request));
        world_.on_attempt_end(*attempt);
        out.push_back({it->first, std::move(attempt->reply)});
        it = attempts_.erase(it);
    }
    return out;
}

bool Wire::advance(const std::shared_ptr<Attempt>& attempt) {
    switch (attempt->step) {
        case Attempt::Step::connect: return connected(*attempt);
        case Attempt::Step::arrive: return arrived(attempt);
        case Attempt::Step::fail: return failed(*attempt, attempt->code);
        case Attempt::Step::head: return take_head(*attempt);
        case Attempt::Step::piece: return take_piece(*attempt);
        case Attempt::Step::never: attempt->due = Instant::max(); return false;
    }
    return false;
}

bool Wire::failed(Attempt& attempt, wire::TransportCode code) {
    attempt.reply.outcome = failure(code);
    attempt.reply.facts.body_bytes_sent = attempt.sent.size();
    if (attempt.reply.facts.answer_begun) attempt.reply.partial_answer = attempt.answer;
    return true;
}

bool Wire::read_body(Attempt& attempt, std::size_t upto) {
    while (attempt.sent.size() < upto) {
        const std::size_t have = attempt.sent.size();
        attempt.sent.resize(upto);
        const MutableByteSpan rest(reinterpret_cast<std::byte*>(attempt.sent.data()) + have, upto - have);
        const Result<std::size_t> n = attempt.submission.body->read(have, rest);
        attempt.sent.resize(have + (n ? *n : 0));
        if (!n || *n == 0) return false;
    }
    return true;
}

bool Wire::connected(Attempt& attempt) {
    switch (attempt.fault) {
        case Fault::refused: return failed(attempt, wire::TransportCode::could_not_connect);
        case Fault::unresolved: return failed(attempt, wire::TransportCode::could_not_resolve_host);
        case Fault::tls_failed: return failed(attempt, wire::TransportCode::ssl_connect_error);
        case Fault::connect_hangs: attempt.step = Attempt::Step::never; return false;
        default: break;
    }
    attempt.phase = port::Phase::sending;
    attempt.reply.facts.request_bytes = 300;
    attempt.reply.facts.peer = "10.0.0.1:9000";
    const std::size_t size = attempt.submission.request.body_bytes;
    const std::size_t half = size > 1 ? world_.up_to(size - 1) : 0;
    if (attempt.submission.body != nullptr && !read_body(attempt, half))
        return failed(attempt, wire::TransportCode::read_error);
    if (attempt.fault == Fault::stall_sending) {
        attempt.step = Attempt::Step::never;
        return false;
    }
    attempt.step = Attempt::Step::arrive;
    attempt.due = world_.now() + world_.delay(5);
    if (attempt.fault == Fault::drip_sending) attempt.due += seconds(static_cast<int64_t>(world_.up_to(100)));
    attempt.send_began = world_.now();
    attempt.send_ends = attempt.due;
    return false;
}

void Wire::serve_in(const std::shared_ptr<Attempt>& attempt, Duration wait, bool answers) {
    std::string body = attempt->sent;
    if (attempt->fault == Fault::flip_request && !body.empty()) {
        body[world_.up_to(body.size() - 1)] ^= static_cast<char>(1U << world_.up_to(7));
        world_.damaged.insert(attempt->serial);
    }
    const std::weak_ptr<Attempt> listener = answers ? std::weak_ptr<Attempt>(attempt) : std::weak_ptr<Attempt>();
    world_.timeline.in(wait,
                       [this, &world = world_, process = &process_, listener, request = attempt->submission.request,
                        body = std::move(body), serial = attempt->serial, fault = attempt->fault] {
                           wire::HttpAnswer answer = world.store.serve(request, body, serial, fault);
                           const std::shared_ptr<Attempt> attempt_now = listener.lock();
                           if (!attempt_now) return;
                           answer_in(*attempt_now, world.delay(5), std::move(answer));
                           process->wake = std::min(process->wake, attempt_now->due);
                       });
}

void Wire::answer_in(Attempt& attempt, Duration wait, wire::HttpAnswer answer) {
    attempt.answer = std::move(answer);
    attempt.step = Attempt::Step::head;
    attempt.due = world_.now() + wait;
}

bool Wire::arrived(const std::shared_ptr<Attempt>& attempt) {
    Attempt& a = *attempt;
    const std::size_t size = a.submission.request.body_bytes;
    const auto fail_in = [&](wire::TransportCode code) {
        a.step = Attempt::Step::fail;
        a.code = code;
        a.due = world_.now() + a.think + world_.delay(3);
        return false;
    };
    if (a.fault == Fault::cut_sending && size > 0) {
        if (world_.options.store.keeps_short_bodies && writes(a.submission.request.op)) {
            world_.damaged.insert(a.serial);
            serve_in(attempt, a.think, false);
        }
        return fail_in(wire::TransportCode::send_error);
    }
    if (a.submission.body != nullptr && !read_body(a, size)) return failed(a, wire::TransportCode::read_error);
    a.phase = port::Phase::waiting;
    const Duration late = world_.late();
    switch (a.fault) {
        case Fault::cut_sending:
        case Fault::reset_before: return fail_in(wire::TransportCode::recv_error);
        case Fault::fin_before: return fail_in(wire::TransportCode::got_nothing);
        case Fault::second_send_before: return fail_in(wire::TransportCode::second_send_stopped);
        case Fault::reset_after: serve_in(attempt, a.think, false); return fail_in(wire::TransportCode::recv_error);
        case Fault::fin_after: serve_in(attempt, a.think, false); return fail_in(wire::TransportCode::got_nothing);
        case Fault::second_send_after:
            serve_in(attempt, a.think, false);
            return fail_in(wire::TransportCode::second_send_stopped);
        case Fault::late: serve_in(attempt, a.think + late, false); return fail_in(wire::TransportCode::recv_error);
        case Fault::hang_after: serve_in(attempt, a.think, false); [[fallthrough]];
        case Fault::hang_before: a.step = Attempt::Step::never; return false;
        case Fault::duplicate: serve_in(attempt, a.think + late, false); break;
        default: break;
    }
    if (std::optional<wire::HttpAnswer> answer = injected(a.fault, a.submission.request.op, world_.up_to(1U << 20))) {
        if (has_effect(a.fault)) serve_in(attempt, a.think, false);
        answer_in(a, a.think + world_.delay(3), std::move(*answer));
        return false;
    }
    a.step = Attempt::Step::never;
    a.due = Instant::max();
    serve_in(attempt, a.think, true);
    return false;
}

/// What happens to an answer on its way back.
void Wire::spoil_answer(Attempt& attempt) {
    std::string& body = attempt.body;
    const bool object = attempt.submission.sink != nullptr && attempt.answer.status / 100 == 2;
    attempt.piece = object ? 1 + world_.up_to(std::max<std::size_t>(1, body.size())) : body.size();
    switch (attempt.fault) {
        case Fault::flip_answer:
            if (object && !body.empty()) {
                body[world_.up_to(body.size() - 1)] ^= static_cast<char>(1U << world_.up_to(7));
                world_.answer_spoilt = true;
            }
            break;
        case Fault::cut_answer:
            attempt.cut = !body.empty();
            if (attempt.cut) body.resize(world_.up_to(body.size() - 1));
            break;
        case Fault::drip_answer: attempt.piece_every = milliseconds(static_cast<int64_t>(world_.up_to(20000))); break;
        case Fault::list_cut:
            if (attempt.answer.status / 100 == 2) body.resize(world_.up_to(body.size() - 1));
            break;
        case Fault::no_etag_200:
            if (attempt.answer.status / 100 == 2) {
                attempt.answer.headers.remove("etag");
                world_.answer_spoilt = true;
            }
            break;
        default: break;
    }
}

bool Wire::take_head(Attempt& attempt) {
    attempt.phase = port::Phase::receiving;
    attempt.reply.facts.answer_begun = true;
    attempt.reply.facts.body_bytes_sent = attempt.sent.size();
    attempt.body = std::move(attempt.answer.body);
    attempt.answer.body.clear();
    spoil_answer(attempt);
    if (attempt.submission.sink != nullptr && attempt.submission.sink->begin(attempt.answer))
        attempt.answer.body_to_sink = true;
    attempt.step = Attempt::Step::piece;
    attempt.due = world_.now() + attempt.piece_every;
    return false;
}

bool Wire::take_piece(Attempt& attempt) {
    wire::Reply& reply = attempt.reply;
    if (attempt.answer.body_to_sink) {
        const std::size_t n =
            std::min(std::max<std::size_t>(1, attempt.piece), attempt.body.size() - attempt.delivered);
        if (n > 0) {
            const std::string_view piece = std::string_view(attempt.body).substr(attempt.delivered, n);
            attempt.delivered += n;
            reply.facts.body_bytes_received = attempt.delivered;
            process_.memory.received(attempt, n);
            process_.memory.delivering(n);
            const Status taken = attempt.submission.sink->write(as_bytes(piece));
            process_.memory.delivering(0);
            if (!taken) {
                reply.partial_answer = attempt.answer;
                return failed(attempt, wire::TransportCode::write_error);
            }
        }
        if (attempt.fault == Fault::stall_answer && attempt.delivered > 0) {
            attempt.step = Attempt::Step::never;
            return false;
        }
        if (attempt.delivered < attempt.body.size()) {
            attempt.due = world_.now() + attempt.piece_every;
            return false;
        }
    } else {
        if (attempt.fault == Fault::stall_answer && !attempt.body.empty()) {
            attempt.step = Attempt::Step::never;
            return false;
        }
        const std::size_t limit = attempt.submission.request.body_limit;
        attempt.answer.body_truncated = attempt.body.size() > limit;
        attempt.answer.body = attempt.body.substr(0, limit);
        attempt.delivered = attempt.body.size();
    }
    if (attempt.cut) {
        reply.partial_answer = attempt.answer;
        reply.partial_answer.body.clear();
        return failed(attempt, wire::TransportCode::partial_file);
    }
    reply.outcome = std::move(attempt.answer);
    return true;
}

}  // namespace s3tug::simworld
