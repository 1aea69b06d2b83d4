#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "base/time.h"
#include "wire/headers.h"

namespace s3tug::wire {

/// What one attempt met on the wire. Only what was seen: no judgement (that is policy/classify).

/// Values below 1000 are libcurl's result codes (CURLcode), so that facts/errors.csv can be looked up by number without
/// linking libcurl; those above are our own timers and stops.
enum class TransportCode : int {
    could_not_resolve_proxy = 5,
    could_not_resolve_host = 6,
    could_not_connect = 7,
    partial_file = 18,
    write_error = 23,
    read_error = 26,
    operation_timed_out = 28,
    ssl_connect_error = 35,
    aborted_by_callback = 42,
    got_nothing = 52,
    send_error = 55,
    recv_error = 56,
    connect_timeout = 1001,  ///< our bound on connecting passed
    answer_timeout = 1002,   ///< no answer byte within our bound after the body was sent
    stalled = 1003,          ///< slower than the least rate over the stall window
    cancelled = 1004,        ///< we were told to stop (signal)
    deadline = 1005,         ///< the command's deadline passed
    second_send_stopped =
        1006,  ///< libcurl was about to send the request again by itself; stopped (facts/idempotency 5)
};

struct TransportFailure {
    TransportCode code;
    std::string detail;  ///< libcurl's own words, with errno text where there is one; bounded
};

/// Status line, headers and (for anything that is not an accepted object body) the body up to a limit.
struct HttpAnswer {
    int status = 0;
    Headers headers;
    std::string body;             ///< not filled for a body that went to a BodySink
    bool body_truncated = false;  ///< longer than the request's body_limit
    bool body_to_sink = false;
};

/// What the connection can prove about the attempt (facts/idempotency.md fact 4).
struct WireFacts {
    std::string peer;  ///< "127.0.0.1:9000", empty if never connected
    bool reused_connection = false;
    uint64_t request_bytes = 0;  ///< head and body bytes handed to the socket; 0 proves that nothing was sent
    uint64_t body_bytes_sent = 0;
    uint64_t body_bytes_received = 0;
    bool answer_begun = false;  ///< an answer byte was seen (a 100 Continue does not count)
    bool continued = false;     ///< 100 Continue was seen
    Duration elapsed{};
    std::string tls;  ///< protocol version when TLS was used
};

struct Reply {
    std::variant<HttpAnswer, TransportFailure> outcome;
    WireFacts facts;
    /// The answer's head when the transport failed after it (a cut body): status, ETag and length are still facts.
    HttpAnswer partial_answer;
    WallTime received_at{};  ///< local wall time when the answer's head came; to be compared with its Date

    [[nodiscard]] const HttpAnswer* answer() const { return std::get_if<HttpAnswer>(&outcome); }
    [[nodiscard]] const TransportFailure* failure() const { return std::get_if<TransportFailure>(&outcome); }
};

}  // namespace s3tug::wire
