#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "wire/reply.h"
#include "wire/request.h"

namespace s3tug::port {

/// Bytes of a request body. Read by offset, so that every attempt can be repeated; may be called from an I/O thread.
class BodySource {
  public:
    virtual ~BodySource() = default;
    /// Fills `out` from `offset`; fewer bytes than asked means the end. An Error aborts the attempt (read_error).
    [[nodiscard]] virtual Result<std::size_t> read(uint64_t offset, MutableByteSpan out) = 0;
};

/// Takes the body of an answer. `begin` sees the head and says whether the body belongs here (an object) or is to be
/// kept in the reply (an error document). Called once per attempt, then `write` in order.
class BodySink {
  public:
    virtual ~BodySink() = default;
    [[nodiscard]] virtual bool begin(const wire::HttpAnswer& head) = 0;
    /// An Error aborts the attempt (write_error); it is kept by the sink for the message.
    [[nodiscard]] virtual Status write(ByteSpan bytes) = 0;
};

using AttemptId = uint64_t;

enum class Phase : uint8_t { queued, connecting, sending, waiting, receiving };

/// How far an attempt is; the engine's watchdog judges it.
struct Progress {
    Phase phase = Phase::queued;
    uint64_t body_bytes_sent = 0;
    uint64_t body_bytes_received = 0;
};

struct Submission {
    AttemptId id = 0;
    wire::SignedRequest request;
    BodySource* body = nullptr;     ///< null = no body; outlives the attempt
    BodySink* sink = nullptr;       ///< null = keep the body in the reply; outlives the attempt
    bool fresh_connection = false;  ///< do not reuse one
};

struct Completion {
    AttemptId id = 0;
    wire::Reply reply;
};

/// Carries requests. One submission is one send: a transport that would send again by itself must stop and report
/// second_send_stopped (facts/idempotency.md fact 5). No retry, no policy, no redirect following, no judgement.
/// Used by one thread.
class Transport {
  public:
    virtual ~Transport() = default;

    virtual void submit(Submission submission) = 0;

    /// Ends an attempt; it completes with `reason`. Unknown ids are ignored (it has completed already).
    virtual void cancel(AttemptId id, wire::TransportCode reason) = 0;

    /// Moves data until something completes, a sink takes the head of an answer (the engine may want to add requests
    /// then; nothing need be complete), `until` comes or wake() is called.
    [[nodiscard]] virtual std::vector<Completion> poll(Instant until) = 0;

    [[nodiscard]] virtual Progress progress(AttemptId id) const = 0;
};

}  // namespace s3tug::port
