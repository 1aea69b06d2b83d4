#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "lab/http.h"

struct ssl_st;
struct ssl_ctx_st;

namespace s3tug::lab {

using Milliseconds = std::chrono::milliseconds;

/// One accepted connection, plain or TLS, with a read buffer. Used by one thread; only `interrupt` may come from
/// another. Nothing here throws: an end of the connection is an answer.
class Wire {
  public:
    /// @param tls  null for plain HTTP
    Wire(int fd, ssl_ctx_st* tls, Milliseconds idle_limit);
    ~Wire();
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    [[nodiscard]] bool handshake();
    /// Everything up to and with the empty line. Empty: the client left, was idle too long, or the head is too long.
    [[nodiscard]] std::optional<std::string> read_head();
    /// One line without its CRLF.
    [[nodiscard]] std::optional<std::string> read_line();
    /// At least one byte and at most `limit`; empty at the end of the connection.
    [[nodiscard]] std::string read_some(size_t limit);
    [[nodiscard]] bool write(std::string_view bytes);

    /// Waits; false at once when the client leaves or the lab stops.
    [[nodiscard]] bool wait(Milliseconds time);

    /// Ends with RST, after what was written has reached the client.
    void reset();
    /// Ends with FIN: no more is written, what the client still sends is swallowed for a bounded time.
    void close();
    [[nodiscard]] bool open() const { return fd_ >= 0; }

    enum class Interrupt {
        end,    ///< FIN, at once
        reset,  ///< RST, as soon as the thread in charge notices
    };
    void interrupt(Interrupt how);

  private:
    [[nodiscard]] bool fill();
    void drain_output() const;
    void shut();

    std::mutex mutex_;  ///< guards closing fd_ against `interrupt`
    int fd_;
    ssl_st* ssl_ = nullptr;
    std::atomic<bool> reset_wanted_{false};
    std::string buffer_;
    size_t used_ = 0;
};

/// Reads one request body off the wire, undoing HTTP's own chunking.
class BodyReader {
  public:
    BodyReader(Wire& wire, const Framing& framing) : wire_(wire), framing_(framing), left_(framing.length) {}

    /// Next bytes, at most `limit`; empty at the end of the body and when it broke off (`complete` tells).
    [[nodiscard]] std::string next(size_t limit);
    [[nodiscard]] bool complete() const { return complete_ || (!framing_.chunked && left_ == 0); }

  private:
    [[nodiscard]] bool next_chunk();

    Wire& wire_;
    Framing framing_;
    uint64_t left_;  ///< of the body, or of the chunk
    bool first_ = true;
    bool complete_ = false;
};

}  // namespace s3tug::lab
