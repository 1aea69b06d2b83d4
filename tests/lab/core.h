#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <utility>

#include "lab/call.h"
#include "lab/faults.h"
#include "lab/journal.h"
#include "lab/lab.h"
#include "lab/late_queue.h"

namespace s3tug::lab {

/// What all connections of one lab share.
struct Core {
    explicit Core(LabConfig lab_config);
    ~Core();
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    LabConfig config;
    Service service;
    Forecast forecast;
    Journal journal;
    std::atomic<uint64_t> connections{0};
    std::atomic<uint64_t> next_request{1};

    /// The server's clock: Unix milliseconds.
    [[nodiscard]] int64_t now_ms() const;
    [[nodiscard]] Milliseconds steady_now() const;
    [[nodiscard]] std::string new_request_id();

    void set_credentials(std::vector<Credential> credentials);
    [[nodiscard]] std::vector<Credential> credentials() const;
    void set_clock_offset(std::chrono::seconds offset) { clock_offset_ = offset.count(); }

    /// `expire`: the first credentials it meets are expired from then on.
    [[nodiscard]] bool is_expired(const Identity& who, bool expire_now);
    void reset();
    void write_log(const Seen& seen);

    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();

  private:
    mutable std::mutex mutex_;
    std::atomic<int64_t> clock_offset_;
    std::optional<std::pair<std::string, std::string>> expired_;
    std::FILE* log_ = nullptr;

  public:
    LateQueue late;  ///< last, so that its thread ends before what its effects use
};

/// Parses, or throws std::runtime_error with the script error's text.
[[nodiscard]] std::vector<Rule> rules_of(std::string_view script);

/// What a server that is not an HTTP server at all might say.
inline constexpr std::string_view garbage_bytes = "\x15\x03\x01 this is not HTTP\r\n\r\n";

/// Answers a request below /_lab/.
[[nodiscard]] Answer administer(Core& core, const Head& head, const std::string& body);

}  // namespace s3tug::lab
