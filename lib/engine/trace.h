#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "policy/verdict.h"
#include "port/clock.h"
#include "port/observer.h"
#include "wire/reply.h"

namespace s3tug::engine {

/// Builds trace events in one place, so that all carry the same fields. Costs nothing when nobody listens.
class Trace {
  public:
    Trace(port::Observer& observer, port::Clock& clock);

    [[nodiscard]] bool wants(port::EventKind kind) const { return observer_.wants(kind); }
    [[nodiscard]] port::TraceEvent event(port::EventKind kind, std::string_view item) const;
    void emit(port::TraceEvent event) { observer_.on(event); }

    void warning(std::string_view item, std::string text);
    void note(std::string_view item, std::string text);

  private:
    port::Observer& observer_;
    port::Clock& clock_;
    Instant started_;
};

/// Fills in what an attempt met and what it means.
void describe(port::TraceEvent& event, const wire::Reply& reply, const policy::Verdict& verdict);

}  // namespace s3tug::engine
