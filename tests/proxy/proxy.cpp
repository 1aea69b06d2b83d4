#include "proxy/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace s3tug::proxy {

Proxy::Proxy(uint16_t port, uint16_t server_port, uint64_t seed,
             std::function<void(uint64_t number, const Passed&)> finished)
    : server_port_(server_port), seed_(seed), finished_(std::move(finished)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(listener_, 128) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        const std::string why = std::strerror(errno);
        ::close(listener_);
        throw std::runtime_error("cannot listen on port " + std::to_string(port) + ": " + why);
    }
    port_ = ntohs(address.sin_port);
    rules_since_ = std::chrono::steady_clock::now();
    acceptor_ = std::thread([this] { accept_loop(); });
}

Proxy::~Proxy() {
    stopping_ = true;
    acceptor_.join();
    ::close(listener_);
    std::unique_lock lock(mutex_);
    cut_->store(true);
    idle_.wait(lock, [this] { return open_ == 0; });
}

std::string Proxy::set_rules(std::string_view text) {
    auto parsed = parse_rules(text);
    if (const auto* wrong = std::get_if<std::string>(&parsed)) return *wrong;
    const std::lock_guard lock(mutex_);
    rules_ = std::get<0>(std::move(parsed));
    rules_since_ = std::chrono::steady_clock::now();
    connections_ = 0;
    return {};
}

void Proxy::cut_all() {
    const std::lock_guard lock(mutex_);
    cut_->store(true);
    cut_ = std::make_shared<std::atomic<bool>>(false);
}

void Proxy::accept_loop() {
    while (!stopping_) {
        pollfd one{listener_, POLLIN, 0};
        if (::poll(&one, 1, 20) <= 0) continue;
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client >= 0) serve(client);
    }
}

void Proxy::serve(int client) {
    const int on = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const std::lock_guard lock(mutex_);
    const uint64_t number = ++connections_;
    const auto age = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - rules_since_);
    const Plan plan = plan_for(rules_, number, age, seed_);
    ++open_;
    std::thread([this, client, number, plan, cut = cut_] {
        const Passed passed = relay(client, server_port_, plan, *cut);
        if (finished_) finished_(number, passed);
        const std::lock_guard done(mutex_);
        --open_;
        idle_.notify_all();
    }).detach();
}

}  // namespace s3tug::proxy
