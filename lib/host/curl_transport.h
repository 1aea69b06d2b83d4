#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "host/curl_attempt.h"
#include "host/curl_handle.h"
#include "host/curl_options.h"
#include "host/rate_limit.h"
#include "port/clock.h"
#include "port/transport.h"

namespace s3tug::host {

/// port::Transport over one libcurl multi handle, on the caller's thread. Connections are kept and used again; handles
/// are pooled. A send that libcurl would repeat by itself (facts/idempotency.md fact 5) is stopped, and the attempt
/// ends with second_send_stopped and the facts of the first send.
///
/// SIGPIPE must be ignored in the process (SignalFlag): OpenSSL writes without MSG_NOSIGNAL.
///
/// Of libcurl's timers only the one for connecting is on; all others are the engine's, which cancels.
class CurlTransport final : public port::Transport {
  public:
    /// `config` errors: libcurl without TLS, or an option it refuses. `clock` and `config.wake_fd` outlive the
    /// transport.
    [[nodiscard]] static Result<std::unique_ptr<CurlTransport>> create(TransportConfig config, port::Clock& clock);
    ~CurlTransport() override;
    CurlTransport(const CurlTransport&) = delete;
    CurlTransport& operator=(const CurlTransport&) = delete;

    void submit(port::Submission submission) override;
    void cancel(port::AttemptId id, wire::TransportCode reason) override;
    [[nodiscard]] std::vector<port::Completion> poll(Instant until) override;
    [[nodiscard]] port::Progress progress(port::AttemptId id) const override;

  private:
    CurlTransport(TransportConfig config, port::Clock& clock);

    [[nodiscard]] std::unique_ptr<CurlAttempt> take_idle();
    void start(port::Submission submission);
    [[nodiscard]] bool may_start();
    void start_queued();
    void perform();
    void collect();
    void fail_all(CURLMcode code);
    /// Sleeps until a socket is ready, `until` or a wake; false when it is time to return to the caller.
    [[nodiscard]] bool wait(Instant until);
    void resume_limited();
    void retire(std::unique_ptr<CurlAttempt> attempt);
    [[nodiscard]] std::unique_ptr<CurlAttempt> detach(port::AttemptId id);

    TransportConfig config_;
    port::Clock& clock_;
    StringList resolve_;
    std::optional<RateLimits> rate_;
    ShareHandle share_;
    MultiHandle multi_;
    std::vector<std::unique_ptr<CurlAttempt>> idle_;
    std::unordered_map<port::AttemptId, std::unique_ptr<CurlAttempt>> running_;
    std::deque<port::Submission> queued_;
    std::vector<port::Completion> done_;
    bool woken_ = false;
    bool head_taken_ = false;  ///< since poll() began: what it says of the object may be worth more requests
};

}  // namespace s3tug::host
