#include "host/curl_transport.h"

#include <algorithm>
#include <utility>

namespace s3tug::host {

namespace {

/// For the whole process, once; libcurl counts, and the counterpart at exit would only cost time.
CURLcode global_init() {
    static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    return code;
}

int poll_ms(Duration wait) {
    const auto rounded_up = std::chrono::ceil<milliseconds>(std::min(wait, limits::poll_wait_max));
    return static_cast<int>(std::max<int64_t>(rounded_up.count(), 0));
}

}  // namespace

Result<std::unique_ptr<CurlTransport>> CurlTransport::create(TransportConfig config, port::Clock& clock) {
    if (const CURLcode code = global_init(); code != CURLE_OK) {
        return Error{ErrorKind::config, std::string("libcurl does not start: ") + curl_easy_strerror(code)};
    }
    if ((curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_SSL) == 0) {
        return Error{ErrorKind::config, "libcurl was built without TLS"};
    }
    std::unique_ptr<CurlTransport> transport(new CurlTransport(std::move(config), clock));
    auto first = transport->take_idle();
    if (!first->setup().ok()) return first->setup().error();
    transport->idle_.push_back(std::move(first));
    return transport;
}

CurlTransport::CurlTransport(TransportConfig config, port::Clock& clock)
    : config_(std::move(config)), clock_(clock), share_(curl_share_init()), multi_(curl_multi_init()) {
    if (config_.limit_rate > 0) rate_.emplace(config_.limit_rate, clock_.now());
    config_.max_connections = std::max(config_.max_connections, 1U);
    for (const std::string& entry : config_.resolve) {
        if (curl_slist* longer = curl_slist_append(resolve_.get(), entry.c_str())) {
            static_cast<void>(resolve_.release());
            resolve_.reset(longer);
        }
    }
    // Without this every connection makes a full TLS handshake: libcurl keeps sessions per easy handle.
    curl_share_setopt(share_.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(config_.max_connections));
}

CurlTransport::~CurlTransport() {
    for (auto& [id, attempt] : running_) curl_multi_remove_handle(multi_.get(), attempt->easy());
}

std::unique_ptr<CurlAttempt> CurlTransport::take_idle() {
    if (idle_.empty())
        return std::make_unique<CurlAttempt>(clock_, config_, resolve_.get(), share_.get(), rate_ ? &*rate_ : nullptr,
                                             head_taken_);
    auto attempt = std::move(idle_.back());
    idle_.pop_back();
    return attempt;
}

void CurlTransport::submit(port::Submission submission) {
    if (queued_.empty() && may_start()) {
        start(std::move(submission));
    } else {
        queued_.push_back(std::move(submission));
    }
}

/// Bodies that go out with their head cannot wait on the way, so they wait before it.
bool CurlTransport::may_start() {
    return running_.size() < config_.max_connections && (!rate_ || rate_->up.open(clock_.now()));
}

void CurlTransport::start(port::Submission submission) {
    auto attempt = take_idle();
    CURLcode code = attempt->begin(std::move(submission));
    if (code == CURLE_OK && curl_multi_add_handle(multi_.get(), attempt->easy()) != CURLM_OK) code = CURLE_FAILED_INIT;
    if (code != CURLE_OK) {
        done_.push_back(attempt->finish(code));
        idle_.push_back(std::move(attempt));
        return;
    }
    running_.insert_or_assign(attempt->id(), std::move(attempt));
}

void CurlTransport::start_queued() {
    while (!queued_.empty() && may_start()) {
        start(std::move(queued_.front()));
        queued_.pop_front();
    }
}

std::unique_ptr<CurlAttempt> CurlTransport::detach(port::AttemptId id) {
    auto node = running_.extract(id);
    return node.empty() ? nullptr : std::move(node.mapped());
}

void CurlTransport::retire(std::unique_ptr<CurlAttempt> attempt) { idle_.push_back(std::move(attempt)); }

void CurlTransport::cancel(port::AttemptId id, wire::TransportCode reason) {
    if (auto attempt = detach(id)) {
        done_.push_back(attempt->finish_stopped(reason));
        curl_multi_remove_handle(multi_.get(), attempt->easy());
        retire(std::move(attempt));
        return;
    }
    const auto waiting = std::ranges::find(queued_, id, &port::Submission::id);
    if (waiting == queued_.end()) return;
    queued_.erase(waiting);
    port::Completion completion{.id = id, .reply = {}};
    completion.reply.outcome = wire::TransportFailure{reason, "stopped before it began"};
    done_.push_back(std::move(completion));
}

std::vector<port::Completion> CurlTransport::poll(Instant until) {
    head_taken_ = false;
    do {
        start_queued();
        resume_limited();
        perform();
        collect();
    } while (done_.empty() && !head_taken_ && wait(until));
    return std::exchange(done_, {});
}

bool CurlTransport::wait(Instant until) {
    const Instant now = clock_.now();
    if (now >= until) return false;
    if (rate_) {
        until = std::min(until, rate_->next().value_or(until));
        if (!queued_.empty() && running_.size() < config_.max_connections)
            until = std::min(until, rate_->up.opens_at());
    }
    curl_waitfd wake{.fd = config_.wake_fd, .events = CURL_WAIT_POLLIN, .revents = 0};
    const bool wakeable = config_.wake_fd >= 0 && !woken_;
    const CURLMcode code =
        curl_multi_poll(multi_.get(), wakeable ? &wake : nullptr, wakeable ? 1 : 0, poll_ms(until - now), nullptr);
    if (code != CURLM_OK) {
        fail_all(code);
        return false;
    }
    // It stays readable for others who wait on it, so it is heard once only.
    woken_ = woken_ || wake.revents != 0;
    return wake.revents == 0;
}

void CurlTransport::perform() {
    int running = 0;
    if (const CURLMcode code = curl_multi_perform(multi_.get(), &running); code != CURLM_OK) fail_all(code);
}

void CurlTransport::collect() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        const CURLcode code = message->data.result;
        CurlAttempt* self = nullptr;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &self);
        auto attempt = detach(self->id());
        done_.push_back(attempt->finish(code));
        curl_multi_remove_handle(multi_.get(), attempt->easy());
        retire(std::move(attempt));
    }
}

/// The multi handle itself is broken, which only lack of memory or descriptors does: no attempt can go on.
void CurlTransport::fail_all(CURLMcode code) {
    while (!running_.empty()) {
        auto attempt = detach(running_.begin()->first);
        curl_multi_remove_handle(multi_.get(), attempt->easy());
        port::Completion completion = attempt->finish(CURLE_UNRECOVERABLE_POLL);
        if (auto* failure = std::get_if<wire::TransportFailure>(&completion.reply.outcome))
            failure->detail = curl_multi_strerror(code);
        done_.push_back(std::move(completion));
        retire(std::move(attempt));
    }
}

/// Those that wait for the rate limit and may go on. Each is resumed once only, so that this ends.
void CurlTransport::resume_limited() {
    if (!rate_) return;
    const std::size_t waiting = rate_->waiting_up.size() + rate_->waiting_down.size();
    for (std::size_t i = 0; i < waiting; ++i) {
        const auto id = rate_->resume(clock_.now());
        if (!id) return;
        if (const auto found = running_.find(*id); found != running_.end()) found->second->resume();
    }
}

port::Progress CurlTransport::progress(port::AttemptId id) const {
    const auto found = running_.find(id);
    return found == running_.end() ? port::Progress{} : found->second->progress();
}

}  // namespace s3tug::host
