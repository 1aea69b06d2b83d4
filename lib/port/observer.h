#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "wire/headers.h"
#include "wire/reply.h"

namespace s3tug::port {

enum class EventKind : uint8_t {
    attempt,    ///< an attempt ended (every one; shown at -vv)
    retry,      ///< will be sent again after a wait
    repair,     ///< something is mended, then sent again
    verify,     ///< an unknown outcome is looked at; and what was found
    breaker,    ///< the breaker changed state, refused, or took a trial
    give_up,    ///< the item ends with an error
    pace,       ///< concurrency or interval changed
    warning,    ///< once each: state file trouble, ignored condition...
    headers,    ///< -vvv: request or answer headers, secrets redacted by the printer
    note,       ///< -v: facts about an item; -vv: about the run, such as which state file is used
    item_done,  ///< the item ended well
};
[[nodiscard]] std::string_view to_string(EventKind kind);

/// One line of the trace, as fields (man page, "TRACES"). Built only when the observer wants its kind. Field values are
/// already printable and free of secrets, except header lines, which the printer redacts (wire::is_secret_header).
struct TraceEvent {
    EventKind kind = EventKind::note;
    WallTime wall{};
    Duration since_start{};
    std::string item;           ///< "put s3://b/k"
    std::string op;             ///< "PutObject"
    unsigned attempt = 0;       ///< n
    unsigned attempts_max = 0;  ///< of max
    int status = 0;
    std::string code;  ///< "SlowDown", "CURLE_RECV_ERROR"
    std::string cls;   ///< failure class
    std::string effect;
    std::string request_id;
    std::string peer;
    std::optional<bool> reused;
    Duration elapsed{};  ///< of the attempt
    uint64_t bytes_sent = 0;
    uint64_t bytes_received = 0;
    std::string next;  ///< "retry", "verify", "give up"
    std::optional<Duration> wait;
    std::string why;  ///< formula with numbers, hint, what was found
    std::optional<int64_t> budget;
    std::string breaker;  ///< state
    bool request_headers = false;
    std::string first_line;  ///< for kind headers: "PUT /b/k?partNumber=3 HTTP/1.1", "HTTP 200"
    wire::Headers headers;   ///< for kind headers
};

/// Hears what the engine does. Called on the engine's thread; must not block for long and must not call back.
class Observer {
  public:
    virtual ~Observer() = default;
    [[nodiscard]] virtual bool wants(EventKind kind) const = 0;
    virtual void on(const TraceEvent& event) = 0;
};

}  // namespace s3tug::port
