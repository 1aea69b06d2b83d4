#pragma once

#include <string>
#include <vector>

#include "port/observer.h"
#include "wire/headers.h"

namespace s3tug::cmd {

/// One event as a line for people and grep, without the line's end (man page, "TRACES"):
/// TIME ITEM OP try N/MAX STATUS CODE class= effect= request= peer= conn= ELAPSED -> NEXT in WAIT (WHY; budget N;
/// breaker STATE). What an event does not have is left out. Headers give one line each, after the first line of the
/// request or answer, hence several lines.
[[nodiscard]] std::vector<std::string> trace_text(const port::TraceEvent& event);

/// The same as one line of JSON.
[[nodiscard]] std::string trace_json(const port::TraceEvent& event);

/// What may be shown of a header: the value, "[redacted]", or of a signature the parts that are no secret and explain a
/// SignatureDoesNotMatch: algorithm, scope and names of the signed headers.
[[nodiscard]] std::string shown_value(const wire::Header& header);

}  // namespace s3tug::cmd
