#include "host/curl_attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/text.h"

namespace s3tug::host {

namespace {

/// CURLE_TOO_LARGE, which libcurl has since 8.6: its word for a header over the limit (facts/errors.csv).
constexpr auto curle_too_large = wire::TransportCode{100};

template <class Value>
Value info(CURL* easy, CURLINFO what) {
    Value value{};
    curl_easy_getinfo(easy, what, &value);
    return value;
}

uint64_t count_info(CURL* easy, CURLINFO what) {
    return static_cast<uint64_t>(std::max<curl_off_t>(info<curl_off_t>(easy, what), 0));
}

std::string_view phase_words(port::Phase phase) {
    switch (phase) {
        case port::Phase::queued: return "before it began";
        case port::Phase::connecting: return "while connecting";
        case port::Phase::sending: return "while sending";
        case port::Phase::waiting: return "while waiting for the answer";
        case port::Phase::receiving: return "while receiving";
    }
    return "";
}

}  // namespace

CurlAttempt::CurlAttempt(port::Clock& clock, const TransportConfig& config, curl_slist* resolve, CURLSH* share,
                         RateLimits* rate, bool& head_taken)
    : clock_(clock), rate_(rate), head_taken_(head_taken), easy_(curl_easy_init()) {
    if (!easy_) {
        setup_ = Error{ErrorKind::config, "libcurl gives no handle"};
        return;
    }
    setup_ = set_connection_options(easy_.get(), config, resolve, share);
    set_callbacks();
}

CURLcode CurlAttempt::begin(port::Submission submission) {
    submission_ = std::move(submission);
    started_ = clock_.now();
    sends_ = 0;
    stop_ = Stop::none;
    stop_detail_.clear();
    peer_.clear();
    tls_.clear();
    reused_connection_ = false;
    body_offset_ = 0;
    head_bytes_.reset();
    answer_ = {};
    head_size_ = 0;
    in_head_ = head_complete_ = continued_ = false;
    body_bytes_received_ = 0;
    received_at_ = {};
    curl_words_[0] = '\0';
    inline_body_.clear();

    const wire::SignedRequest& request = submission_.request;
    if (!setup_.ok()) return CURLE_FAILED_INIT;
    if (request.body_bytes > 0 && submission_.body == nullptr) return CURLE_BAD_FUNCTION_ARGUMENT;
    if (body_is_inline(request) && !load_inline_body()) return CURLE_READ_ERROR;
    return set_request_options(easy_.get(), request, headers_, inline_body_, submission_.fresh_connection);
}

bool CurlAttempt::load_inline_body() {
    inline_body_.resize(submission_.request.body_bytes);
    if (inline_body_.empty()) return true;
    Result<std::size_t> got = submission_.body->read(0, inline_body_);
    if (got.ok() && *got == inline_body_.size()) {
        if (rate_ != nullptr) rate_->up.take(inline_body_.size(), started_);
        return true;
    }
    stop_ = Stop::body_unreadable;
    stop_detail_ = got.ok() ? fmt::format("the source ended after {} of {} bytes", *got, inline_body_.size())
                            : got.error().message;
    return false;
}

port::Progress CurlAttempt::progress() const {
    using port::Phase;
    const uint64_t sent = body_bytes_on_wire();
    Phase phase = Phase::waiting;
    if (sends_ == 0) {
        phase = Phase::connecting;
    } else if (in_head_ || head_complete_) {
        phase = Phase::receiving;
    } else if (sent < submission_.request.body_bytes) {
        phase = Phase::sending;
    }
    return {.phase = phase, .body_bytes_sent = sent, .body_bytes_received = body_bytes_received_};
}

port::Completion CurlAttempt::finish(CURLcode code) {
    wire::Reply reply;
    reply.facts = facts();
    if (is_answer(code)) {
        reply.outcome = std::move(answer_);
    } else {
        reply.outcome = wire::TransportFailure{code_of(code), detail_of(code)};
        reply.partial_answer = std::move(answer_);
    }
    return complete(std::move(reply));
}

port::Completion CurlAttempt::finish_stopped(wire::TransportCode reason) {
    wire::Reply reply;
    reply.facts = facts();
    reply.outcome = wire::TransportFailure{reason, fmt::format("stopped {}", phase_words(progress().phase))};
    reply.partial_answer = std::move(answer_);
    return complete(std::move(reply));
}

port::Completion CurlAttempt::complete(wire::Reply reply) {
    reply.received_at = received_at_;
    port::Completion completion{.id = submission_.id, .reply = std::move(reply)};
    submission_ = {};
    return completion;
}

bool CurlAttempt::is_answer(CURLcode code) const {
    if (!head_complete_) return false;
    switch (stop_) {
        case Stop::none: return code == CURLE_OK;
        case Stop::body_truncated: return true;
        // libcurl repeats a request by itself after 417: the answer was given, and what follows from it is ours to say.
        case Stop::second_send: return true;
        case Stop::body_unreadable:
        case Stop::sink_refused:
        case Stop::head_too_large: return false;
    }
    return false;
}

wire::TransportCode CurlAttempt::code_of(CURLcode code) const {
    using wire::TransportCode;
    switch (stop_) {
        case Stop::second_send: return TransportCode::second_send_stopped;
        case Stop::body_unreadable: return TransportCode::read_error;
        case Stop::sink_refused: return TransportCode::write_error;
        case Stop::head_too_large: return curle_too_large;
        case Stop::none:
        case Stop::body_truncated: break;
    }
    switch (code) {
        // What libcurl 7.88 says to a FIN within the head.
        case CURLE_OK: return TransportCode::got_nothing;
        // No timer of libcurl is on but the one for connecting.
        case CURLE_OPERATION_TIMEDOUT:
            return sends_ == 0 ? TransportCode::connect_timeout : TransportCode::operation_timed_out;
        // After the request has left, "unsupported protocol" is an answer that is not HTTP, and "out of memory" a
        // header line beyond libcurl's own limit.
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_OUT_OF_MEMORY: return static_cast<TransportCode>(sends_ > 0 ? CURLE_WEIRD_SERVER_REPLY : code);
        default: return static_cast<TransportCode>(code);
    }
}

std::string CurlAttempt::detail_of(CURLcode code) const {
    if (!stop_detail_.empty()) return printable(stop_detail_, limits::trace_text_max_bytes);
    if (!setup_.ok()) return printable(setup_.error().message, limits::trace_text_max_bytes);
    if (code == CURLE_OK) return "the connection ended within the answer's head";
    std::string words =
        curl_words_[0] != '\0' ? std::string(curl_words_.data()) : std::string(curl_easy_strerror(code));
    if (const auto number = static_cast<int>(info<long>(easy_.get(), CURLINFO_OS_ERRNO)); number != 0) {
        const std::string reason = std::generic_category().message(number);
        if (words.find(reason) == std::string::npos) words.append(": ").append(reason);
    }
    return printable(trim(words), limits::trace_text_max_bytes);
}

uint64_t CurlAttempt::body_bytes_on_wire() const {
    // libcurl has set its own counter back by the time a second send is stopped. What it had fetched from the body is
    // then the most that can have left; a proof that the body was incomplete may only err on that side.
    if (head_bytes_) return std::max<uint64_t>(body_offset_, inline_body_.size());
    return count_info(easy_.get(), CURLINFO_SIZE_UPLOAD_T);
}

wire::WireFacts CurlAttempt::facts() const {
    wire::WireFacts facts;
    facts.peer = peer_;
    facts.tls = tls_;
    facts.reused_connection = reused_connection_;
    facts.body_bytes_received = body_bytes_received_;
    facts.continued = continued_;
    facts.answer_begun = in_head_ || head_complete_;
    facts.elapsed = clock_.now() - started_;
    if (sends_ > 0) {
        facts.body_bytes_sent = body_bytes_on_wire();
        const uint64_t head =
            head_bytes_ ? *head_bytes_ : static_cast<uint64_t>(info<long>(easy_.get(), CURLINFO_REQUEST_SIZE));
        facts.request_bytes = head + (inline_body_.empty() ? facts.body_bytes_sent : 0);
    } else if (const char* own = info<const char*>(easy_.get(), CURLINFO_LOCAL_IP); own != nullptr && *own != '\0') {
        // Connected, but no TLS: say with whom.
        if (const char* ip = info<const char*>(easy_.get(), CURLINFO_PRIMARY_IP); ip != nullptr && *ip != '\0') {
            facts.peer = fmt::format("{}:{}", ip, info<long>(easy_.get(), CURLINFO_PRIMARY_PORT));
        }
    }
    return facts;
}

}  // namespace s3tug::host
