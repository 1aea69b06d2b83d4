#include "engine/trace.h"

namespace s3tug::engine {

Trace::Trace(port::Observer& observer, port::Clock& clock)
    : observer_(observer), clock_(clock), started_(clock.now()) {}

port::TraceEvent Trace::event(port::EventKind kind, std::string_view item) const {
    port::TraceEvent event;
    event.kind = kind;
    event.wall = clock_.wall();
    event.since_start = clock_.now() - started_;
    event.item = item;
    return event;
}

void Trace::warning(std::string_view item, std::string text) {
    if (!wants(port::EventKind::warning)) return;
    port::TraceEvent warning = event(port::EventKind::warning, item);
    warning.why = std::move(text);
    emit(std::move(warning));
}

void Trace::note(std::string_view item, std::string text) {
    if (!wants(port::EventKind::note)) return;
    port::TraceEvent note = event(port::EventKind::note, item);
    note.why = std::move(text);
    emit(std::move(note));
}

void describe(port::TraceEvent& event, const wire::Reply& reply, const policy::Verdict& verdict) {
    event.status = verdict.status;
    event.code = verdict.code;
    event.cls = policy::to_string(verdict.cls);
    event.effect = policy::to_string(verdict.effect);
    event.request_id = verdict.request_id;
    event.peer = reply.facts.peer;
    if (!reply.facts.peer.empty()) event.reused = reply.facts.reused_connection;
    event.elapsed = reply.facts.elapsed;
    event.bytes_sent = reply.facts.body_bytes_sent;
    event.bytes_received = reply.facts.body_bytes_received;
}

}  // namespace s3tug::engine
