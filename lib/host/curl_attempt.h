#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "host/curl_handle.h"
#include "host/curl_options.h"
#include "host/rate_limit.h"
#include "port/clock.h"
#include "port/transport.h"

namespace s3tug::host {

/// One easy handle and the attempt it carries: what libcurl's callbacks tell, and the reply made of it. Used again for
/// the next attempt after finish(). Does not move, since libcurl holds its address.
class CurlAttempt {
  public:
    /// The Error (`config`) of set_connection_options is kept in setup().
    /// @param rate  null = no limit; all arguments outlive the attempt
    /// @param head_taken  set when a sink takes an answer
    CurlAttempt(port::Clock& clock, const TransportConfig& config, curl_slist* resolve, CURLSH* share, RateLimits* rate,
                bool& head_taken);
    CurlAttempt(const CurlAttempt&) = delete;
    CurlAttempt& operator=(const CurlAttempt&) = delete;

    [[nodiscard]] const Status& setup() const { return setup_; }
    [[nodiscard]] CURL* easy() const { return easy_.get(); }
    [[nodiscard]] port::AttemptId id() const { return submission_.id; }

    /// Prepares the handle. Anything but CURLE_OK means that it cannot be sent: finish() with that code.
    [[nodiscard]] CURLcode begin(port::Submission submission);
    /// After a wait for the rate limit.
    void resume() { curl_easy_pause(easy_.get(), CURLPAUSE_CONT); }
    [[nodiscard]] port::Completion finish(CURLcode code);
    [[nodiscard]] port::Completion finish_stopped(wire::TransportCode reason);
    [[nodiscard]] port::Progress progress() const;

  private:
    /// Why we, not libcurl, ended the transfer; libcurl only sees a callback that refused.
    enum class Stop : uint8_t { none, second_send, body_unreadable, sink_refused, body_truncated, head_too_large };

    static int on_prereq(void* self, char* peer_ip, char* local_ip, int peer_port, int local_port) noexcept;
    static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self) noexcept;
    static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self) noexcept;
    static std::size_t on_read(char* data, std::size_t size, std::size_t count, void* self) noexcept;
    static int on_seek(void* self, curl_off_t offset, int origin) noexcept;

    void set_callbacks();
    [[nodiscard]] bool load_inline_body();
    void first_send(const char* peer_ip, int peer_port);
    void second_send();
    void status_line(std::string_view line);
    [[nodiscard]] bool header_line(std::string_view line);
    void head_ended();
    [[nodiscard]] bool waits_for(RateBucket& bucket, std::deque<uint64_t>& line, std::size_t bytes);
    [[nodiscard]] bool keep_body(std::string_view bytes);
    [[nodiscard]] bool is_answer(CURLcode code) const;
    [[nodiscard]] wire::TransportCode code_of(CURLcode code) const;
    [[nodiscard]] std::string detail_of(CURLcode code) const;
    [[nodiscard]] wire::WireFacts facts() const;
    [[nodiscard]] port::Completion complete(wire::Reply reply);
    [[nodiscard]] uint64_t body_bytes_on_wire() const;

    port::Clock& clock_;
    RateLimits* rate_;
    bool& head_taken_;
    EasyHandle easy_;
    Status setup_;
    HeaderList headers_;
    std::vector<std::byte> inline_body_;
    std::array<char, CURL_ERROR_SIZE> curl_words_{};

    port::Submission submission_;
    Instant started_{};
    unsigned sends_ = 0;
    Stop stop_ = Stop::none;
    std::string stop_detail_;
    std::string peer_;
    std::string tls_;
    bool reused_connection_ = false;
    uint64_t body_offset_ = 0;            ///< handed to libcurl by on_read
    std::optional<uint64_t> head_bytes_;  ///< of the first send, kept when a second was stopped
    wire::HttpAnswer answer_;
    std::size_t head_size_ = 0;
    bool in_head_ = false;
    bool head_complete_ = false;
    bool continued_ = false;  ///< 100 Continue came
    uint64_t body_bytes_received_ = 0;
    WallTime received_at_{};
};

}  // namespace s3tug::host
