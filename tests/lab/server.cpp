#include "lab/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "lab/exchange.h"

namespace s3tug::lab {

namespace {

constexpr int listen_step_ms = 20;  ///< how often the listener looks at `refuse` windows

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

}  // namespace

Server::Server(Core& core) : core_(core), port_(core.config.port), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (wake_ < 0) fail("eventfd");
    try {
        open_tls();
        open_listener();
    } catch (...) {
        close_listener();
        ::close(wake_);
        throw;
    }
    acceptor_ = std::thread([this] { accept_loop(); });
    settle();
}

Server::~Server() {
    stop();
    ::close(wake_);
}

void Server::stop() {
    if (stopping_.exchange(true)) return;
    wake();
    acceptor_.join();
    {
        const std::lock_guard lock(mutex_);
        for (Connection& connection : connections_) connection.wire->interrupt(Wire::Interrupt::end);
    }
    reap(true);
}

void Server::wake() const {
    const uint64_t one = 1;
    static_cast<void>(!write(wake_, &one, sizeof one));
}

void Server::drop_connections() {
    const std::lock_guard lock(mutex_);
    for (Connection& connection : connections_)
        if (!connection.at_controls) connection.wire->interrupt(Wire::Interrupt::reset);
}

void Server::settle() {
    std::unique_lock lock(mutex_);
    const uint64_t mine = ++settle_wanted_;
    wake();
    settled_.wait_for(lock, std::chrono::seconds(5), [&] { return settle_done_ >= mine || stopping_; });
}

void Server::open_tls() {
    if (core_.config.tls_certificate.empty()) return;
    tls_ = {SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
    if (SSL_CTX_use_certificate_chain_file(tls_.get(), core_.config.tls_certificate.c_str()) != 1 ||
        SSL_CTX_use_PrivateKey_file(tls_.get(), core_.config.tls_key.c_str(), SSL_FILETYPE_PEM) != 1)
        throw std::runtime_error("lab: cannot use the TLS certificate or key");
}

void Server::open_listener() {
    const bool ipv6 = core_.config.ipv6;
    listener_ = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener_ < 0) fail("socket");
    const int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port_);
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port_);
    v6.sin6_addr = in6addr_loopback;
    const auto* address = ipv6 ? reinterpret_cast<const sockaddr*>(&v6) : reinterpret_cast<const sockaddr*>(&v4);
    const socklen_t size = ipv6 ? sizeof v6 : sizeof v4;
    if (bind(listener_, address, size) != 0) fail(fmt::format("bind port {}", port_));
    if (listen(listener_, 511) != 0) fail("listen");
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    if (getsockname(listener_, reinterpret_cast<sockaddr*>(&bound), &length) != 0) fail("getsockname");
    port_ = ntohs(ipv6 ? reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port
                       : reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
}

void Server::close_listener() {
    if (listener_ >= 0) ::close(listener_);
    listener_ = -1;
}

void Server::accept_loop() {
    while (!stopping_) {
        look_at_weather();
        std::array<pollfd, 2> entries = {pollfd{wake_, POLLIN, 0}, pollfd{listener_, POLLIN, 0}};
        const int ready = poll(entries.data(), listener_ >= 0 ? 2 : 1, listen_step_ms);
        uint64_t count = 0;
        if (ready > 0 && entries[0].revents != 0) static_cast<void>(!read(wake_, &count, sizeof count));
        if (ready > 0 && listener_ >= 0 && entries[1].revents != 0) accept_one();
        reap(false);
    }
    close_listener();
}

/// A `refuse` window that began or ended. Connections that stood are lost with the port, as when a host goes down.
void Server::look_at_weather() {
    uint64_t wanted = 0;
    {
        const std::lock_guard lock(mutex_);
        wanted = settle_wanted_;
    }
    const bool refusing = core_.forecast.refusing(core_.steady_now());
    if (refusing && listener_ >= 0) {
        close_listener();
        drop_connections();
    } else if (!refusing && listener_ < 0) {
        try {
            open_listener();
        } catch (const std::runtime_error&) {
            close_listener();  // somebody took the port meanwhile: try again at the next look
        }
    }
    const std::lock_guard lock(mutex_);
    settle_done_ = wanted;
    settled_.notify_all();
}

void Server::accept_one() {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const std::lock_guard lock(mutex_);
    if (connections_.size() >= core_.config.max_connections) {
        ::close(fd);
        return;
    }
    Connection& connection = connections_.emplace_back();
    connection.wire = std::make_unique<Wire>(fd, tls_.get(), core_.config.idle_limit);
    const uint64_t number = ++core_.connections;
    connection.thread = std::thread([this, &connection, number] {
        block_sigpipe();
        serve(connection, number);
        connection.wire->close();
        connection.finished = true;
    });
}

void Server::reap(bool all) {
    std::list<Connection> done;
    {
        const std::lock_guard lock(mutex_);
        for (auto it = connections_.begin(); it != connections_.end();) {
            const auto next = std::next(it);
            if (all || it->finished) done.splice(done.end(), connections_, it);
            it = next;
        }
    }
    for (Connection& connection : done) connection.thread.join();
}

void Server::serve(Connection& connection, uint64_t number) {
    Wire& wire = *connection.wire;
    Occasion arrival;
    arrival.op = "Connection";
    const Faults faults = core_.forecast.next(arrival, core_.steady_now());
    if (faults.delay && !wire.wait(faults.delay->time)) return;
    if (faults.ending) return end_unread(wire, faults.ending->kind);
    if (faults.synthetic) return static_cast<void>(wire.write(garbage_bytes));
    if (!wire.handshake()) return;
    for (uint64_t ordinal = 1; wire.open() && !stopping_; ++ordinal) {
        const auto text = wire.read_head();
        if (!text || !serve_one(connection, *text, number, ordinal)) return;
    }
}

void Server::end_unread(Wire& wire, Break::Kind kind) const {
    if (kind == Break::Kind::hang) static_cast<void>(wire.wait(core_.config.hang_limit));
    if (kind == Break::Kind::close)
        wire.close();
    else
        wire.reset();
}

bool Server::serve_one(Connection& connection, const std::string& text, uint64_t number, uint64_t ordinal) {
    auto head = parse_head(text);
    if (const auto* wrong = std::get_if<std::string>(&head)) {
        static_cast<void>(connection.wire->write(fmt::format(
            "HTTP/1.1 400 Bad Request\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}", wrong->size(), *wrong)));
        return false;
    }
    connection.at_controls = std::get<Head>(head).target.starts_with("/_lab/");
    if (connection.at_controls) return serve_controls(*connection.wire, std::get<Head>(head));
    return Exchange(core_, *connection.wire, std::move(std::get<Head>(head)), number, ordinal).run();
}

bool Server::serve_controls(Wire& wire, const Head& head) {
    const auto framing = framing_of(head);
    constexpr uint64_t limit = uint64_t{1} << 20U;
    if (!std::holds_alternative<Framing>(framing) || std::get<Framing>(framing).length > limit) return false;
    BodyReader reader(wire, std::get<Framing>(framing));
    std::string body;
    while (!reader.complete() && body.size() <= limit) {
        const std::string bytes = reader.next(limit);
        if (bytes.empty()) break;
        body += bytes;
    }
    if (!reader.complete()) return false;
    const Answer answer = administer(core_, head, body);
    if (head.method == "POST") settle();
    return wire.write(fmt::format("HTTP/1.1 {} {}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{}",
                                  answer.status, reason_phrase(answer.status), answer.text.size(), answer.text)) &&
           head.keep_alive();
}

}  // namespace s3tug::lab
