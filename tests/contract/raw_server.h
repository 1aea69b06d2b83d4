#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace s3tug::contract {

/// A server that answers the n-th request with the n-th text, byte for byte, and keeps what it was sent. For what the
/// lab cannot say because it speaks correct HTTP. One connection at a time; the connection ends where the text ends
/// with `hang_up`.
class RawServer {
  public:
    static constexpr std::string_view hang_up = "\x01";

    explicit RawServer(std::vector<std::string> answers) : answers_(std::move(answers)) {
        listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, 16) != 0 ||
            getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
            throw std::runtime_error("the raw server cannot listen");
        }
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~RawServer() {
        stop_ = true;
        thread_.join();
        close(listener_);
    }
    RawServer(const RawServer&) = delete;
    RawServer& operator=(const RawServer&) = delete;

    [[nodiscard]] std::string authority() const { return "127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] std::string endpoint() const { return "http://" + authority(); }
    [[nodiscard]] std::vector<std::string> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }
    [[nodiscard]] unsigned connections() const { return connections_; }

  private:
    void serve() {
        while (!stop_) {
            if (!readable(listener_)) continue;
            const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (fd < 0) continue;
            ++connections_;
            std::string unread;
            while (!stop_ && exchange(fd, unread)) {}
            close(fd);
        }
    }

    [[nodiscard]] bool readable(int fd) const {
        pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
        return poll(&entry, 1, 20) > 0;
    }

    /// One request and its answer; false when the connection is to end.
    bool exchange(int fd, std::string& unread) {
        std::size_t end = std::string::npos;
        while ((end = unread.find("\r\n\r\n")) == std::string::npos) {
            if (!more(fd, unread)) return false;
        }
        end += 4;
        const std::size_t length_at = unread.find("Content-Length: ");
        const std::size_t length =
            length_at < end ? std::strtoul(unread.c_str() + length_at + 16, nullptr, 10) : std::size_t{0};
        const bool asks = unread.find("100-continue") < end;
        while (!asks && unread.size() < end + length) {
            if (!more(fd, unread)) return false;
        }
        const std::size_t taken = asks ? end : end + length;
        std::string answer;
        {
            const std::lock_guard lock(mutex_);
            requests_.push_back(unread.substr(0, taken));
            answer = requests_.size() <= answers_.size() ? answers_[requests_.size() - 1] : std::string(hang_up);
        }
        unread.erase(0, taken);
        const bool last = answer.ends_with(hang_up);
        if (last) answer.pop_back();
        for (std::size_t sent = 0; sent < answer.size();) {
            const ssize_t n = send(fd, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
            if (n <= 0) return false;
            sent += static_cast<std::size_t>(n);
        }
        return !last;
    }

    bool more(int fd, std::string& unread) const {
        while (!readable(fd)) {
            if (stop_) return false;
        }
        char buffer[65536];
        const ssize_t n = recv(fd, buffer, sizeof buffer, 0);
        if (n <= 0) return false;
        unread.append(buffer, static_cast<std::size_t>(n));
        return true;
    }

    std::vector<std::string> answers_;
    int listener_ = -1;
    uint16_t port_ = 0;
    std::atomic<bool> stop_ = false;
    std::atomic<unsigned> connections_ = 0;
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

}  // namespace s3tug::contract
