// What is shown of an exchange. Each input is an answer (or request) whose headers and fields a store chose.
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "cmd/trace_line.h"
#include "fuzz/fuzz.h"
#include "policy/answer_facts.h"
#include "wire/utf8.h"

namespace s3tug::fuzz {
namespace {

port::TraceEvent event_of(const wire::HttpAnswer& answer, port::EventKind kind) {
    port::TraceEvent event;
    event.kind = kind;
    event.item = "put s3://box/" + answer.body.substr(0, 100);
    event.op = "PutObject";
    event.status = answer.status;
    event.code = answer.body;
    event.request_id = answer.body;
    event.why = answer.body;
    event.headers = answer.headers;
    return event;
}

void check_lines(const port::TraceEvent& event) {
    std::string all;
    for (const std::string& line : cmd::trace_text(event)) {
        require(shows_safely(line) && wire::is_utf8(line), "a trace line is one line", line);
        all += line;
    }
    const std::string json = cmd::trace_json(event);
    require(shows_safely(json) && nlohmann::json::accept(json), "a JSON line is JSON", json);
    for (const wire::Header& header : event.headers) {
        if (!wire::is_secret_header(header.name)) continue;
        // What was made harmless before may look the same afterwards.
        if (header.value.find("[redacted]") != std::string::npos) continue;
        // Of a signature three parts are shown that are no secret; of all else nothing.
        const std::string shown = cmd::shown_value(header);
        const std::size_t at = header.value.find("Signature=");
        const std::string_view tail =
            at == std::string::npos ? std::string_view(header.value) : std::string_view(header.value).substr(at + 10);
        require(shown == "[redacted]" || header.name == "authorization", "a secret header is redacted", shown);
        const bool own_words =
            std::string_view("AWS4-HMAC-SHA256 Credential=[redacted], SignedHeaders=, Signature=[redacted]")
                .find(tail) != std::string_view::npos;
        require(tail.size() < 8 || own_words || shown.find(tail) == std::string::npos, "a signature is not shown",
                shown);
    }
}

}  // namespace
}  // namespace s3tug::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace s3tug;
    const std::string_view text = fuzz::text_of(data, size);
    const wire::HttpAnswer answer = fuzz::take_answer(text);
    using port::EventKind;
    for (const EventKind kind : {EventKind::attempt, EventKind::headers, EventKind::breaker, EventKind::note,
                                 EventKind::verify, EventKind::give_up}) {
        fuzz::check_lines(fuzz::event_of(answer, kind));
    }
    const std::string safe = policy::safe_text(text);
    fuzz::require(fuzz::shows_safely(safe) && safe.size() <= 4 * limits::trace_text_max_bytes + 3, "safe text is safe",
                  safe);
    return 0;
}
