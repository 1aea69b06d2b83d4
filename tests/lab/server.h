#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "lab/core.h"
#include "lab/wire.h"

namespace s3tug::lab {

/// The listening socket and the threads: one accepts, each connection has its own.
class Server {
  public:
    /// Throws std::runtime_error when it cannot listen.
    explicit Server(Core& core);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    [[nodiscard]] uint16_t port() const { return port_; }
    void stop();
    /// Ends all connections with RST, those that are at the controls (/_lab/) excepted.
    void drop_connections();
    /// Returns when the listener has seen the rules as they are now: a `refuse` that is due is in force.
    void settle();

  private:
    struct Connection {
        std::unique_ptr<Wire> wire;
        std::thread thread;
        std::atomic<bool> finished{false};
        std::atomic<bool> at_controls{false};
    };

    void open_tls();
    void open_listener();
    void close_listener();
    void wake() const;
    void accept_loop();
    void look_at_weather();
    void accept_one();
    void reap(bool all);
    void serve(Connection& connection, uint64_t number);
    void end_unread(Wire& wire, Break::Kind kind) const;
    [[nodiscard]] bool serve_one(Connection& connection, const std::string& text, uint64_t number, uint64_t ordinal);
    [[nodiscard]] bool serve_controls(Wire& wire, const Head& head);

    Core& core_;
    uint16_t port_;
    int listener_ = -1;
    int wake_ = -1;
    std::atomic<bool> stopping_{false};
    std::shared_ptr<ssl_ctx_st> tls_;
    std::mutex mutex_;
    std::condition_variable settled_;
    uint64_t settle_wanted_ = 0;
    uint64_t settle_done_ = 0;
    std::list<Connection> connections_;
    std::thread acceptor_;
};

}  // namespace s3tug::lab
