#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "proxy/relay.h"

namespace s3tug::proxy {

/// Listens on 127.0.0.1 and carries each connection to `server_port` there, through whatever the rules say. A thread
/// for each connection.
class Proxy {
  public:
    /// @param finished  told of each connection when it has ended, by its thread
    Proxy(uint16_t port, uint16_t server_port, uint64_t seed,
          std::function<void(uint64_t number, const Passed&)> finished = {});
    ~Proxy();
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;

    [[nodiscard]] uint16_t port() const { return port_; }

    /// From the next connection on, which is number 1 again. Gives what is wrong with the text; the old rules stay
    /// then.
    [[nodiscard]] std::string set_rules(std::string_view text);

    /// Each connection that is open now ends with RST.
    void cut_all();

  private:
    void accept_loop();
    void serve(int client);

    uint16_t port_ = 0;
    uint16_t server_port_;
    uint64_t seed_;
    std::function<void(uint64_t, const Passed&)> finished_;
    int listener_ = -1;
    std::atomic<bool> stopping_{false};
    std::thread acceptor_;

    std::mutex mutex_;
    std::condition_variable idle_;
    std::vector<Rule> rules_;
    std::chrono::steady_clock::time_point rules_since_;
    uint64_t connections_ = 0;
    unsigned open_ = 0;
    std::shared_ptr<std::atomic<bool>> cut_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace s3tug::proxy
