#include "cmd/trace_line.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"

namespace s3tug::cmd {
namespace {

using port::EventKind;
using Json = nlohmann::ordered_json;

std::string bounded(std::string_view text) { return printable(text, limits::trace_text_max_bytes); }

/// The value of `name=` in a signature, up to the next comma.
std::string_view part_of(std::string_view value, std::string_view name) {
    const std::size_t at = value.find(name);
    if (at == std::string_view::npos) return {};
    value.remove_prefix(at + name.size());
    value = value.substr(0, value.find(','));
    // A scope or a list of names has no such character; what has one is no signature of ours, and may hold anything.
    return value.find_first_of(" =") == std::string_view::npos ? value : std::string_view();
}

std::string next_text(const port::TraceEvent& event) {
    switch (event.kind) {
        case EventKind::give_up: return "give up";
        case EventKind::verify: return event.next.empty() ? "verify" : "verify: " + event.next;
        case EventKind::repair: return "repair " + event.next;
        default: return event.next;
    }
}

/// The bracket at the end: why, and the state that led to it.
std::string reasons(const port::TraceEvent& event) {
    std::string out = bounded(event.why);
    const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
    if (event.budget) add(fmt::format("budget {}", *event.budget));
    if (!event.breaker.empty()) add("breaker " + event.breaker);
    return out;
}

void add_answer(const port::TraceEvent& event, std::string& line) {
    const auto add = [&line](std::string_view name, std::string_view value) {
        if (!value.empty()) line += fmt::format(" {}{}", name, bounded(value));
    };
    if (event.attempt != 0 && event.attempts_max != 0) {
        line += fmt::format(" try {}/{}", event.attempt, event.attempts_max);
    } else if (event.attempt != 0) {
        line += fmt::format(" requests={}", event.attempt);
    }
    if (event.status != 0) line += fmt::format(" {}", event.status);
    add("", event.code);
    if (event.cls != "none") add("class=", event.cls);
    if (event.cls != "none") add("effect=", event.effect);
    add("request=", event.request_id);
    add("peer=", event.peer);
    if (event.reused) add("conn=", *event.reused ? "reused" : "new");
    if (event.bytes_sent != 0) line += fmt::format(" sent={}", event.bytes_sent);
    if (event.bytes_received != 0) line += fmt::format(" received={}", event.bytes_received);
    if (event.elapsed > Duration::zero()) line += " " + format_duration(event.elapsed);
}

std::string start_of(const port::TraceEvent& event) {
    std::string line = format_utc(event.wall);
    if (!event.item.empty()) line += " " + bounded(event.item);
    if (!event.op.empty()) line += " " + event.op;
    return line;
}

}  // namespace

std::string shown_value(const wire::Header& header) {
    constexpr std::string_view algorithm = "AWS4-HMAC-SHA256 ";
    if (!wire::is_secret_header(header.name)) return bounded(header.value);
    if (header.name != "authorization" || !header.value.starts_with(algorithm)) return "[redacted]";
    std::string_view scope = part_of(header.value, "Credential=");
    const std::size_t slash = scope.find('/');
    scope = slash == std::string_view::npos ? std::string_view() : scope.substr(slash);
    return bounded(fmt::format("{}Credential=[redacted]{}, SignedHeaders={}, Signature=[redacted]", algorithm, scope,
                               part_of(header.value, "SignedHeaders=")));
}

std::vector<std::string> trace_text(const port::TraceEvent& event) {
    std::string line = start_of(event);
    if (event.kind == EventKind::headers) {
        std::vector<std::string> lines;
        if (!event.first_line.empty())
            lines.push_back(
                fmt::format("{} {} {}", line, event.request_headers ? '>' : '<', bounded(event.first_line)));
        for (const wire::Header& header : event.headers) {
            lines.push_back(fmt::format("{} {} {}: {}", line, event.request_headers ? '>' : '<', bounded(header.name),
                                        shown_value(header)));
        }
        return lines;
    }
    if (event.kind == EventKind::breaker) {
        // The code of a breaker event is its key: what the breaker stands for.
        line += " breaker " + bounded(event.code) + " " + (event.next.empty() ? event.breaker : event.next);
        if (!event.why.empty()) line += " (" + bounded(event.why) + ")";
        return {line};
    }
    if (event.kind == EventKind::note || event.kind == EventKind::pace || event.kind == EventKind::warning) {
        return {fmt::format("{} {}: {}", line, port::to_string(event.kind), bounded(event.why))};
    }
    add_answer(event, line);
    if (const std::string next = next_text(event); !next.empty()) line += " -> " + next;
    if (event.wait) line += " in " + format_duration(*event.wait);
    if (const std::string why = reasons(event); !why.empty()) line += " (" + why + ")";
    return {line};
}

std::string trace_json(const port::TraceEvent& event) {
    Json line;
    const auto add = [&line](const char* name, const std::string& text) {
        if (!text.empty()) line[name] = bounded(text);
    };
    line["time"] = format_utc(event.wall);
    line["since_ms"] = to_ms(event.since_start);
    line["kind"] = port::to_string(event.kind);
    add("item", event.item);
    add("op", event.op);
    if (event.attempt != 0) line["try"] = event.attempt;
    if (event.attempts_max != 0) line["tries"] = event.attempts_max;
    if (event.status != 0) line["status"] = event.status;
    add("code", event.code);
    if (event.cls != "none") add("class", event.cls);
    if (event.cls != "none") add("effect", event.effect);
    add("request_id", event.request_id);
    add("peer", event.peer);
    if (event.reused) line["reused"] = *event.reused;
    if (event.elapsed > Duration::zero()) line["elapsed_ms"] = to_ms(event.elapsed);
    if (event.bytes_sent != 0) line["bytes_sent"] = event.bytes_sent;
    if (event.bytes_received != 0) line["bytes_received"] = event.bytes_received;
    add("next", event.next);
    if (event.wait) line["wait_ms"] = to_ms(*event.wait);
    add("why", event.why);
    if (event.budget) line["budget"] = *event.budget;
    add("breaker", event.breaker);
    if (event.kind == EventKind::headers) {
        line["direction"] = event.request_headers ? "request" : "answer";
        add("line", event.first_line);
        Json headers = Json::array();
        for (const wire::Header& header : event.headers) {
            headers.push_back(bounded(header.name) + ": " + shown_value(header));
        }
        line["headers"] = std::move(headers);
    }
    return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace s3tug::cmd
