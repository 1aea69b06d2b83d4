#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

wire::TransportFailure failure(wire::TransportCode code, std::string detail) { return {code, std::move(detail)}; }

/// The whole request body, or nothing when the source refuses.
std::optional<std::string> read_body(const port::Submission& submission) {
    std::string body(submission.request.body_bytes, '\0');
    if (submission.body == nullptr) return body;
    for (std::size_t offset = 0; offset < body.size();) {
        const MutableByteSpan rest(reinterpret_cast<std::byte*>(body.data()) + offset, body.size() - offset);
        const Result<std::size_t> n = submission.body->read(offset, rest.first(std::min<std::size_t>(rest.size(), 7)));
        if (!n || *n == 0) return std::nullopt;
        offset += *n;
    }
    return body;
}

}  // namespace

void SimNetwork::submit(port::Submission submission) {
    seen.push_back({submission.request.op, submission.request, clock_.now()});
    Pending pending;
    pending.fate = weather ? weather(seen.size(), seen.back()) : Fate{};
    pending.due = clock_.now() + (pending.fate.kind == Fate::Kind::late ? milliseconds(5) : pending.fate.delay);
    pending.hangs = pending.fate.kind == Fate::Kind::hang;
    const port::AttemptId id = submission.id;
    pending.submission = std::move(submission);
    pending_.emplace(id, std::move(pending));
}

void SimNetwork::cancel(port::AttemptId id, wire::TransportCode reason) {
    const auto found = pending_.find(id);
    if (found == pending_.end()) return;
    port::Completion completion;
    completion.id = id;
    completion.reply.outcome = failure(reason, "");
    completion.reply.facts.request_bytes = 100;
    completion.reply.facts.body_bytes_sent = found->second.submission.request.body_bytes;
    completion.reply.received_at = clock_.wall();
    cancelled_.push_back(std::move(completion));
    pending_.erase(found);
}

port::Progress SimNetwork::progress(port::AttemptId) const { return {port::Phase::waiting, 0, 0}; }

std::size_t SimNetwork::count(wire::Op op) const {
    return static_cast<std::size_t>(std::count_if(seen.begin(), seen.end(), [&](const auto& s) { return s.op == op; }));
}

void SimNetwork::abandon() {
    std::size_t n = 0;
    for (auto& [id, pending] : pending_) {
        if (++n % 2 == 0 || pending.fate.kind != Fate::Kind::serve) continue;
        const std::optional<std::string> body = read_body(pending.submission);
        if (body) (void)store_.serve(pending.submission.request, *body, clock_.wall());
    }
    pending_.clear();
    cancelled_.clear();
}

std::vector<port::Completion> SimNetwork::poll(Instant until) {
    if (on_poll) on_poll();
    if (!cancelled_.empty()) return std::exchange(cancelled_, {});
    Instant next = until;
    for (const auto& [id, pending] : pending_) {
        if (!pending.hangs) next = std::min(next, pending.due);
    }
    if (next > clock_.now()) clock_.passed += next - clock_.now();
    for (auto& [due, act] : later_) {
        if (due <= clock_.now() && act) std::exchange(act, nullptr)();
    }
    std::vector<port::Completion> out;
    for (auto it = pending_.begin(); it != pending_.end();) {
        if (it->second.hangs || it->second.due > clock_.now()) {
            ++it;
            continue;
        }
        out.push_back({it->first, resolve(it->second)});
        it = pending_.erase(it);
    }
    return out;
}

wire::Reply SimNetwork::resolve(Pending& pending) {
    wire::Reply reply;
    reply.received_at = clock_.wall();
    reply.facts.peer = "10.0.0.1:9000";
    reply.facts.elapsed = pending.fate.delay;
    if (pending.fate.kind == Fate::Kind::refuse) {
        reply.outcome = failure(wire::TransportCode::could_not_connect, "Connection refused");
        return reply;
    }
    reply.facts.request_bytes = 100;
    if (pending.fate.kind == Fate::Kind::reset_before) {
        reply.outcome = failure(wire::TransportCode::recv_error, "Connection reset by peer");
        reply.facts.body_bytes_sent = pending.submission.request.body_bytes;
        return reply;
    }
    const std::optional<std::string> body = read_body(pending.submission);
    if (!body) {
        reply.outcome = failure(wire::TransportCode::read_error, "read callback failed");
        return reply;
    }
    reply.facts.body_bytes_sent = body->size();
    if (pending.fate.kind == Fate::Kind::late) {
        later_.emplace_back(clock_.now() + pending.fate.delay,
                            [this, request = pending.submission.request, body = *body] {
                                (void)store_.serve(request, body, clock_.wall());
                            });
        reply.outcome = failure(wire::TransportCode::recv_error, "Connection reset by peer");
        return reply;
    }
    wire::HttpAnswer answer = pending.fate.kind == Fate::Kind::answer
                                  ? pending.fate.answer
                                  : store_.serve(pending.submission.request, *body, clock_.wall());
    if (pending.fate.kind == Fate::Kind::reset_after) {
        reply.outcome = failure(wire::TransportCode::recv_error, "Connection reset by peer");
        return reply;
    }
    deliver(pending, std::move(answer), reply);
    return reply;
}

void SimNetwork::deliver(Pending& pending, wire::HttpAnswer answer, wire::Reply& reply) {
    reply.facts.answer_begun = true;
    port::BodySink* sink = pending.submission.sink;
    std::string body = answer.body;
    if (pending.fate.kind == Fate::Kind::flip && !body.empty()) body[body.size() / 2] ^= 1;
    const bool cut = pending.fate.kind == Fate::Kind::cut && body.size() > pending.fate.cut_at;
    if (cut) body.resize(pending.fate.cut_at);
    if (sink != nullptr) {
        wire::HttpAnswer head = answer;
        head.body.clear();
        if (sink->begin(head)) {
            answer.body.clear();
            answer.body_to_sink = true;
            for (std::size_t at = 0; at < body.size(); at += 7) {
                if (!sink->write(as_bytes(std::string_view(body).substr(at, 7)))) {
                    reply.outcome = failure(wire::TransportCode::write_error, "write callback failed");
                    return;
                }
                reply.facts.body_bytes_received += std::min<std::size_t>(7, body.size() - at);
            }
        }
    }
    if (cut) {
        reply.partial_answer = answer;
        reply.outcome = failure(wire::TransportCode::partial_file, "transfer closed with bytes remaining");
        return;
    }
    reply.outcome = std::move(answer);
}

}  // namespace s3tug::sim
