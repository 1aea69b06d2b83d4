#include <fmt/format.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/text.h"
#include "host/curl_attempt.h"

namespace s3tug::host {

namespace {

/// What is read at once under a rate limit, as much as libcurl hands over at once the other way.
constexpr std::size_t limited_read_bytes = CURL_MAX_WRITE_SIZE;

std::string address(const char* ip, int port) {
    const bool v6 = std::strchr(ip, ':') != nullptr;
    return v6 ? fmt::format("[{}]:{}", ip, port) : fmt::format("{}:{}", ip, port);
}

std::string tls_version(CURL* easy) {
    curl_tlssessioninfo* session = nullptr;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == nullptr) return {};
    if (session->backend != CURLSSLBACKEND_OPENSSL || session->internals == nullptr) return {};
    return SSL_get_version(static_cast<const SSL*>(session->internals));
}

}  // namespace

void CurlAttempt::set_callbacks() {
    CURL* easy = easy_.get();
    curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, curl_words_.data());
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &CurlAttempt::on_prereq);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &CurlAttempt::on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlAttempt::on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, &CurlAttempt::on_read);
    curl_easy_setopt(easy, CURLOPT_READDATA, this);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, &CurlAttempt::on_seek);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, this);
}

// Called when a connection stands and the request is about to be sent: once for each send, hidden ones included
// (facts/idempotency.md fact 5).
int CurlAttempt::on_prereq(void* self, char* peer_ip, char* /*local_ip*/, int peer_port, int /*local_port*/) noexcept {
    auto& attempt = *static_cast<CurlAttempt*>(self);
    if (attempt.sends_++ == 0) {
        attempt.first_send(peer_ip, peer_port);
        return CURL_PREREQFUNC_OK;
    }
    attempt.second_send();
    return CURL_PREREQFUNC_ABORT;
}

void CurlAttempt::first_send(const char* peer_ip, int peer_port) {
    long new_connections = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_NUM_CONNECTS, &new_connections);
    reused_connection_ = new_connections == 0;
    peer_ = address(peer_ip, peer_port);
    if (submission_.request.url.starts_with("https:")) tls_ = tls_version(easy_.get());
}

void CurlAttempt::second_send() {
    long head_bytes = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_REQUEST_SIZE, &head_bytes);
    head_bytes_ = static_cast<uint64_t>(head_bytes);
    stop_ = Stop::second_send;
    stop_detail_ = "the connection ended before an answer; libcurl's second send was stopped";
}

std::size_t CurlAttempt::on_header(char* data, std::size_t size, std::size_t count, void* self) noexcept {
    auto& attempt = *static_cast<CurlAttempt*>(self);
    const std::size_t bytes = size * count;
    const std::string_view line = trim({data, bytes});
    if (attempt.head_complete_) return bytes;  // a trailer
    if (!attempt.in_head_) {
        attempt.status_line(line);
    } else if (line.empty()) {
        attempt.head_ended();
    } else if (!attempt.header_line({data, bytes})) {
        return 0;
    }
    return bytes;
}

/// Begins the head of the final answer. A 1xx head does not, so that its lines are passed over.
void CurlAttempt::status_line(std::string_view line) {
    const std::size_t blank = line.find(' ');
    if (!line.starts_with("HTTP/") || blank == std::string_view::npos) return;
    int status = 0;
    std::from_chars(line.data() + blank + 1, line.data() + line.size(), status);
    if (status == 100) continued_ = true;
    if (status < 200) return;
    answer_.status = status;
    in_head_ = true;
}

bool CurlAttempt::header_line(std::string_view line) {
    head_size_ += line.size();
    if (head_size_ > limits::header_bytes_max || answer_.headers.size() >= limits::header_count_max) {
        stop_ = Stop::head_too_large;
        stop_detail_ = fmt::format("the answer has more than {} header lines or {} bytes of them",
                                   limits::header_count_max, limits::header_bytes_max);
        return false;
    }
    const std::size_t colon = line.find(':');
    // A folded line (obsolete) or no header at all: what it said is lost, what the others say is not.
    if (colon == std::string_view::npos || colon == 0 || line.front() == ' ' || line.front() == '\t') return true;
    answer_.headers.add(trim(line.substr(0, colon)), trim(line.substr(colon + 1)));
    return true;
}

void CurlAttempt::head_ended() {
    in_head_ = false;
    head_complete_ = true;
    received_at_ = clock_.wall();
    answer_.body_to_sink = submission_.sink != nullptr && submission_.sink->begin(answer_);
    head_taken_ = head_taken_ || answer_.body_to_sink;
}

std::size_t CurlAttempt::on_body(char* data, std::size_t size, std::size_t count, void* self) noexcept {
    auto& attempt = *static_cast<CurlAttempt*>(self);
    const std::size_t bytes = size * count;
    RateLimits* rate = attempt.rate_;
    if (rate != nullptr && attempt.waits_for(rate->down, rate->waiting_down, bytes)) return CURL_WRITEFUNC_PAUSE;
    attempt.body_bytes_received_ += bytes;
    if (!attempt.answer_.body_to_sink) return attempt.keep_body({data, bytes}) ? bytes : 0;
    const Status written = attempt.submission_.sink->write(as_bytes({data, bytes}));
    if (written.ok()) return bytes;
    attempt.stop_ = Stop::sink_refused;
    attempt.stop_detail_ = written.error().message;
    return 0;
}

/// Counts the bytes, or stands in line when the limit is used up.
bool CurlAttempt::waits_for(RateBucket& bucket, std::deque<uint64_t>& line, std::size_t bytes) {
    const Instant now = clock_.now();
    if (bucket.open(now)) {
        bucket.take(bytes, now);
        return false;
    }
    line.push_back(id());
    return true;
}

/// False ends the transfer: the rest of an endless document is not worth its bytes.
bool CurlAttempt::keep_body(std::string_view bytes) {
    const std::size_t room = submission_.request.body_limit - answer_.body.size();
    answer_.body.append(bytes.substr(0, room));
    if (bytes.size() <= room) return true;
    answer_.body_truncated = true;
    stop_ = Stop::body_truncated;
    return false;
}

std::size_t CurlAttempt::on_read(char* data, std::size_t size, std::size_t count, void* self) noexcept {
    auto& attempt = *static_cast<CurlAttempt*>(self);
    const uint64_t left = attempt.submission_.request.body_bytes - attempt.body_offset_;
    auto want = static_cast<std::size_t>(std::min<uint64_t>(size * count, left));
    if (want == 0) return 0;
    if (RateLimits* rate = attempt.rate_; rate != nullptr) {
        want = std::min(want, limited_read_bytes);
        if (attempt.waits_for(rate->up, rate->waiting_up, want)) return CURL_READFUNC_PAUSE;
    }
    const Result<std::size_t> got =
        attempt.submission_.body->read(attempt.body_offset_, {reinterpret_cast<std::byte*>(data), want});
    if (got.ok() && *got == want) {
        attempt.body_offset_ += want;
        return want;
    }
    // A short body must not be sent as if it were whole, nor wait for a server that waits for the rest.
    attempt.stop_ = Stop::body_unreadable;
    attempt.stop_detail_ = got.ok() ? fmt::format("the source ended after {} of {} bytes", attempt.body_offset_ + *got,
                                                  attempt.submission_.request.body_bytes)
                                    : got.error().message;
    return CURL_READFUNC_ABORT;
}

// libcurl rewinds a body only to send it once more, and does so before on_prereq is called.
int CurlAttempt::on_seek(void* self, curl_off_t /*offset*/, int /*origin*/) noexcept {
    static_cast<CurlAttempt*>(self)->second_send();
    return CURL_SEEKFUNC_FAIL;
}

}  // namespace s3tug::host
