#include "lab/lab.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <list>
#include <stdexcept>
#include <thread>

#include "lab/core.h"
#include "lab/exchange.h"

namespace s3tug::lab {

namespace {

constexpr int listen_step_ms = 20;  ///< how often the listener looks at `refuse` windows and at `stop`

[[noreturn]] void fail(std::string_view what) {
    throw std::runtime_error(fmt::format("lab: {}: {}", what, std::strerror(errno)));
}

/// A writer of TLS records cannot ask for MSG_NOSIGNAL; each connection's thread blocks the signal instead.
void block_sigpipe() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

struct TlsContext {
    SSL_CTX* context = nullptr;
    TlsContext() = default;
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;
    ~TlsContext() { SSL_CTX_free(context); }
};

}  // namespace

class Lab::Impl {
  public:
    explicit Impl(LabConfig config) : core(std::move(config)) {
        open_tls();
        port = core.config.port;
        open_listener();
        acceptor = std::thread([this] { accept_loop(); });
    }

    ~Impl() { stop(); }

    void stop() {
        if (core.stopping.exchange(true)) return;
        acceptor.join();
        interrupt_all();
        reap(true);
        core.late.reset();
    }

    /// RST to all, as when the machine behind the port goes away.
    void interrupt_all() {
        const std::lock_guard lock(mutex);
        for (Connection& connection : connections) connection.wire->interrupt();
    }

    Core core;
    uint16_t port = 0;

  private:
    struct Connection {
        std::unique_ptr<Wire> wire;
        std::thread thread;
        std::atomic<bool> finished{false};
    };

    void open_tls() {
        if (core.config.tls_certificate.empty()) return;
        tls.context = SSL_CTX_new(TLS_server_method());
        if (SSL_CTX_use_certificate_chain_file(tls.context, core.config.tls_certificate.c_str()) != 1 ||
            SSL_CTX_use_PrivateKey_file(tls.context, core.config.tls_key.c_str(), SSL_FILETYPE_PEM) != 1)
            throw std::runtime_error("lab: cannot use the TLS certificate or key");
    }

    void open_listener() {
        listener = socket(core.config.ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (listener < 0) fail("socket");
        const int on = 1;
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = htons(port);
        v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(port);
        v6.sin6_addr = in6addr_loopback;
        const auto* address =
            core.config.ipv6 ? reinterpret_cast<const sockaddr*>(&v6) : reinterpret_cast<const sockaddr*>(&v4);
        const socklen_t size = core.config.ipv6 ? sizeof v6 : sizeof v4;
        if (bind(listener, address, size) != 0) fail(fmt::format("bind port {}", port));
        if (listen(listener, 511) != 0) fail("listen");
        sockaddr_storage bound{};
        socklen_t length = sizeof bound;
        if (getsockname(listener, reinterpret_cast<sockaddr*>(&bound), &length) != 0) fail("getsockname");
        port = ntohs(core.config.ipv6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                                      : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
    }

    void close_listener() {
        if (listener >= 0) ::close(listener);
        listener = -1;
    }

    void accept_loop() {
        while (!core.stopping) {
            const bool refusing = core.forecast.refusing(core.steady_now());
            if (refusing && listener >= 0) {
                close_listener();
                interrupt_all();
            } else if (!refusing && listener < 0) {
                open_listener();
            }
            pollfd entry{listener, POLLIN, 0};
            if (poll(&entry, listener >= 0 ? 1 : 0, listen_step_ms) > 0) accept_one();
            reap(false);
        }
        close_listener();
    }

    void accept_one() {
        const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) return;
        const std::lock_guard lock(mutex);
        if (connections.size() >= core.config.max_connections) {
            ::close(fd);
            return;
        }
        Connection& connection = connections.emplace_back();
        connection.wire = std::make_unique<Wire>(fd, tls.context, core.config.idle_limit);
        const uint64_t number = ++core.connections;
        connection.thread = std::thread([this, &connection, number] {
            block_sigpipe();
            serve(*connection.wire, number);
            connection.wire->close();
            connection.finished = true;
        });
    }

    void reap(bool all) {
        std::list<Connection> done;
        {
            const std::lock_guard lock(mutex);
            for (auto it = connections.begin(); it != connections.end();) {
                const auto next = std::next(it);
                if (all || it->finished) done.splice(done.end(), connections, it);
                it = next;
            }
        }
        for (Connection& connection : done) connection.thread.join();
    }

    void serve(Wire& wire, uint64_t number) {
        Occasion arrival;
        arrival.op = "Connection";
        const Faults faults = core.forecast.next(arrival, core.steady_now());
        if (faults.delay && !wire.wait(faults.delay->time)) return;
        if (faults.ending) return end_unread(wire, faults.ending->kind);
        if (faults.synthetic) return static_cast<void>(wire.write("\x15\x03\x01 this is not HTTP\r\n\r\n"));
        if (!wire.handshake()) return;
        for (uint64_t ordinal = 1; wire.open() && !core.stopping; ++ordinal) {
            const auto text = wire.read_head();
            if (!text || !serve_one(wire, *text, number, ordinal)) return;
        }
    }

    void end_unread(Wire& wire, Break::Kind kind) {
        if (kind == Break::Kind::hang) static_cast<void>(wire.wait(core.config.hang_limit));
        if (kind == Break::Kind::close)
            wire.close();
        else
            wire.reset();
    }

    bool serve_one(Wire& wire, const std::string& text, uint64_t number, uint64_t ordinal) {
        auto head = parse_head(text);
        if (const auto* wrong = std::get_if<std::string>(&head)) {
            static_cast<void>(
                wire.write(fmt::format("HTTP/1.1 400 Bad Request\r\nContent-Length: {}\r\nConnection: "
                                       "close\r\n\r\n{}",
                                       wrong->size(), *wrong)));
            return false;
        }
        if (std::get<Head>(head).target.starts_with("/_lab/")) return serve_admin(wire, std::get<Head>(head));
        return Exchange(core, wire, std::move(std::get<Head>(head)), number, ordinal).run();
    }

    bool serve_admin(Wire& wire, const Head& head) {
        const auto framing = framing_of(head);
        constexpr uint64_t limit = uint64_t{1} << 20U;
        if (!std::holds_alternative<Framing>(framing) || std::get<Framing>(framing).length > limit) return false;
        BodyReader reader(wire, std::get<Framing>(framing));
        std::string body;
        while (!reader.complete() && body.size() <= limit) {
            const std::string bytes = reader.next(limit);
            if (bytes.empty()) return false;
            body += bytes;
        }
        const Answer answer = administer(core, head, body);
        return wire.write(fmt::format("HTTP/1.1 {} {}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{}",
                                      answer.status, reason_phrase(answer.status), answer.text.size(), answer.text)) &&
               head.keep_alive();
    }

    TlsContext tls;
    int listener = -1;
    std::mutex mutex;
    std::list<Connection> connections;
    std::thread acceptor;
};

Lab::Lab(LabConfig config) : impl_(std::make_unique<Impl>(std::move(config))) {}
Lab::~Lab() = default;
Lab::Lab(Lab&&) noexcept = default;
Lab& Lab::operator=(Lab&&) noexcept = default;

uint16_t Lab::port() const { return impl_->port; }

std::string Lab::endpoint() const {
    const LabConfig& config = impl_->core.config;
    return fmt::format("{}://{}:{}", config.tls_certificate.empty() ? "http" : "https",
                       config.ipv6 ? "[::1]" : "127.0.0.1", impl_->port);
}

void Lab::stop() { impl_->stop(); }

void Lab::set_faults(std::string_view script) {
    impl_->core.forecast.replace(rules_of(script));
    impl_->core.forecast.restart(impl_->core.steady_now());
}

void Lab::add_faults(std::string_view script) { impl_->core.forecast.add(rules_of(script)); }
void Lab::clear_faults() { impl_->core.forecast.replace({}); }
void Lab::reset() { impl_->core.reset(); }
void Lab::flush_late() { impl_->core.late->flush(); }

std::vector<Seen> Lab::log() const { return impl_->core.journal.all(); }
std::map<std::string, uint64_t> Lab::counts() const { return impl_->core.journal.counts(); }
uint64_t Lab::connections() const { return impl_->core.connections; }
bool Lab::wait_idle(std::chrono::milliseconds patience) { return impl_->core.journal.wait_idle(patience); }

uint64_t Lab::count(std::string_view op) const {
    const auto counts = impl_->core.journal.counts();
    const auto found = counts.find(std::string(op));
    return found == counts.end() ? 0 : found->second;
}

void Lab::set_credentials(std::vector<Credential> credentials) { impl_->core.set_credentials(std::move(credentials)); }

void Lab::set_clock_offset(std::chrono::seconds offset) { impl_->core.set_clock_offset(offset); }
void Lab::drop_connections() { impl_->interrupt_all(); }

namespace {
Bucket& bucket_of(Store& store, std::string_view name) {
    Bucket* bucket = store.find(std::string(name));
    if (bucket == nullptr) throw std::runtime_error(fmt::format("lab: no bucket {}", name));
    return *bucket;
}
}  // namespace

void Lab::add_bucket(std::string_view name, bool versioned) {
    Core& core = impl_->core;
    const std::lock_guard lock(core.service.store.mutex);
    Bucket& bucket = core.service.store.buckets[std::string(name)];
    bucket.created_ms = core.now_ms();
    bucket.versioning = versioned ? Bucket::Versioning::enabled : Bucket::Versioning::never;
}

ObjectPtr Lab::put(std::string_view bucket, std::string_view key, std::string_view bytes, Fields headers) {
    Core& core = impl_->core;
    Object object;
    object.content = Content::of(bytes);
    object.etag = to_hex(digest(Algorithm::md5, bytes));
    object.modified_ms = core.now_ms();
    object.checksums = {{Algorithm::crc64nvme, to_base64(digest(Algorithm::crc64nvme, bytes))}};
    if (find_field(headers, "content-type") == nullptr) headers.push_back({"content-type", "binary/octet-stream"});
    object.headers = std::move(headers);
    Store& store = core.service.store;
    const std::lock_guard lock(store.mutex);
    return bucket_of(store, bucket).add(std::string(key), std::move(object), store.new_id());
}

ObjectPtr Lab::object(std::string_view bucket, std::string_view key) const {
    Store& store = impl_->core.service.store;
    const std::lock_guard lock(store.mutex);
    return bucket_of(store, bucket).current(std::string(key));
}

std::vector<ObjectPtr> Lab::versions(std::string_view bucket, std::string_view key) const {
    Store& store = impl_->core.service.store;
    const std::lock_guard lock(store.mutex);
    const Bucket& inside = bucket_of(store, bucket);
    const auto found = inside.keys.find(std::string(key));
    return found == inside.keys.end() ? std::vector<ObjectPtr>() : found->second;
}

std::vector<std::string> Lab::keys(std::string_view bucket) const {
    Store& store = impl_->core.service.store;
    const std::lock_guard lock(store.mutex);
    const Bucket& inside = bucket_of(store, bucket);
    std::vector<std::string> out;
    for (const auto& [key, versions] : inside.keys)
        if (inside.current(key)) out.push_back(key);
    return out;
}

std::map<std::string, Upload> Lab::uploads(std::string_view bucket) const {
    Store& store = impl_->core.service.store;
    const std::lock_guard lock(store.mutex);
    return bucket_of(store, bucket).uploads;
}

void Lab::remove(std::string_view bucket, std::string_view key) {
    Store& store = impl_->core.service.store;
    const std::lock_guard lock(store.mutex);
    bucket_of(store, bucket).keys.erase(std::string(key));
}

}  // namespace s3tug::lab
