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
    seen.push_back({submission.request.op, submission.request, clock_.now(), submission.fresh_connection});
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
        if (!resolve(it->second)) {
            ++it;
            continue;
        }
        out.push_back({it->first, std::move(it->second.reply)});
        it = pending_.erase(it);
    }
    return out;
}

bool SimNetwork::resolve(Pending& pending) {
    if (pending.answer) return deliver(pending);
    wire::Reply& reply = pending.reply;
    reply.received_at = clock_.wall();
    reply.facts.peer = "10.0.0.1:9000";
    reply.facts.elapsed = pending.fate.delay;
    reply.facts.continued = answers_expect && pending.submission.request.expect_continue;
    if (pending.fate.kind == Fate::Kind::refuse) {
        reply.outcome = failure(wire::TransportCode::could_not_connect, "Connection refused");
        return true;
    }
    reply.facts.request_bytes = 100;
    if (pending.fate.kind == Fate::Kind::reset_before) {
        reply.outcome = failure(wire::TransportCode::recv_error, "Connection reset by peer");
        reply.facts.body_bytes_sent = pending.submission.request.body_bytes;
        return true;
    }
    const std::optional<std::string> body = read_body(pending.submission);
    if (!body) {
        reply.outcome = failure(wire::TransportCode::read_error, "read callback failed");
        return true;
    }
    reply.facts.body_bytes_sent = body->size();
    if (pending.fate.kind == Fate::Kind::late) {
        later_.emplace_back(clock_.now() + pending.fate.delay,
                            [this, request = pending.submission.request, body = *body] {
                                (void)store_.serve(request, body, clock_.wall());
                            });
        reply.outcome = failure(wire::TransportCode::recv_error, "Connection reset by peer");
        return true;
    }
    wire::HttpAnswer answer = pending.fate.kind == Fate::Kind::answer
                                  ? pending.fate.answer
                                  : store_.serve(pending.submission.request, *body, clock_.wall());
    if (pending.fate.kind == Fate::Kind::reset_after) {
        reply.outcome = failure(wire::TransportCode::recv_error, "Connection reset by peer");
        return true;
    }
    return begin_answer(pending, std::move(answer));
}

/// The head goes to the sink, the body follows with the next poll: as on a wire, where the client may act between.
bool SimNetwork::begin_answer(Pending& pending, wire::HttpAnswer answer) {
    pending.reply.facts.answer_begun = true;
    pending.body = answer.body;
    std::string& body = pending.body;
    if (pending.fate.kind == Fate::Kind::flip && !body.empty()) body[body.size() / 2] ^= 1;
    pending.cut = pending.fate.kind == Fate::Kind::cut && body.size() > pending.fate.cut_at;
    if (pending.cut) body.resize(pending.fate.cut_at);
    pending.answer = std::move(answer);
    if (pending.submission.sink != nullptr) {
        wire::HttpAnswer head = *pending.answer;
        head.body.clear();
        if (pending.submission.sink->begin(head)) {
            pending.answer->body.clear();
            pending.answer->body_to_sink = true;
            pending.due = clock_.now() + pending.fate.piece_every;
            return false;
        }
    }
    return deliver(pending);
}

bool SimNetwork::deliver(Pending& pending) {
    wire::Reply& reply = pending.reply;
    const std::string& body = pending.body;
    if (pending.answer->body_to_sink) {
        const std::size_t piece = body.size() / std::max<std::size_t>(1, pending.fate.pieces) + 1;
        const std::size_t end = std::min(body.size(), pending.delivered + piece);
        for (; pending.delivered < end; pending.delivered += std::min<std::size_t>(7, end - pending.delivered)) {
            const std::size_t n = std::min<std::size_t>(7, end - pending.delivered);
            if (!pending.submission.sink->write(as_bytes(std::string_view(body).substr(pending.delivered, n)))) {
                reply.partial_answer = *pending.answer;
                reply.outcome = failure(wire::TransportCode::write_error, "write callback failed");
                return true;
            }
            reply.facts.body_bytes_received += n;
        }
        if (pending.delivered < body.size()) {
            pending.due = clock_.now() + pending.fate.piece_every;
            return false;
        }
    }
    if (pending.cut) {
        reply.partial_answer = *pending.answer;
        reply.outcome = failure(wire::TransportCode::partial_file, "transfer closed with bytes remaining");
    } else {
        reply.outcome = std::move(*pending.answer);
    }
    return true;
}

}  // namespace s3tug::sim
