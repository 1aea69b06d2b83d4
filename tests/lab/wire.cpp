#include "lab/wire.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace s3tug::lab {

namespace {
constexpr size_t read_size = size_t{256} << 10U;
constexpr Milliseconds linger_limit{2000};
constexpr int linger_silence_ms = 100;  ///< a client that sends nothing for so long is not sending a body
using Clock = std::chrono::steady_clock;

/// From now on closing the socket sends RST.
void hard_close_on(int fd) {
    const linger hard{1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
}
}  // namespace

Wire::Wire(int fd, ssl_ctx_st* tls, Milliseconds idle_limit) : fd_(fd) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const timeval limit{idle_limit.count() / 1000, (idle_limit.count() % 1000) * 1000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (tls != nullptr) {
        ssl_ = SSL_new(tls);
        SSL_set_fd(ssl_, fd);
    }
}

Wire::~Wire() { shut(); }

void Wire::shut() {
    const std::lock_guard lock(mutex_);
    if (ssl_ != nullptr) SSL_free(ssl_);
    ssl_ = nullptr;
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

bool Wire::handshake() { return ssl_ == nullptr || SSL_accept(ssl_) == 1; }

bool Wire::fill() {
    if (fd_ < 0) return false;
    buffer_.erase(0, used_);
    used_ = 0;
    const size_t old = buffer_.size();
    buffer_.resize(old + read_size);
    const ssize_t n = ssl_ != nullptr ? SSL_read(ssl_, buffer_.data() + old, static_cast<int>(read_size))
                                      : recv(fd_, buffer_.data() + old, read_size, 0);
    buffer_.resize(old + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    return n > 0 && !reset_wanted_;
}

std::optional<std::string> Wire::read_head() {
    while (true) {
        while (std::string_view(buffer_).substr(used_).starts_with("\r\n")) used_ += 2;
        const size_t end = buffer_.find("\r\n\r\n", used_);
        if (end != std::string::npos) {
            std::string head = buffer_.substr(used_, end + 4 - used_);
            used_ = end + 4;
            return head;
        }
        if (buffer_.size() - used_ > head_limit || !fill()) return std::nullopt;
    }
}

std::optional<std::string> Wire::read_line() {
    while (true) {
        const size_t end = buffer_.find("\r\n", used_);
        if (end != std::string::npos) {
            std::string line = buffer_.substr(used_, end - used_);
            used_ = end + 2;
            return line;
        }
        if (buffer_.size() - used_ > line_limit || !fill()) return std::nullopt;
    }
}

std::string Wire::read_some(size_t limit) {
    if (limit == 0 || (used_ == buffer_.size() && !fill())) return {};
    std::string bytes = buffer_.substr(used_, limit);
    used_ += bytes.size();
    return bytes;
}

bool Wire::write(std::string_view bytes) {
    while (!bytes.empty()) {
        if (fd_ < 0 || reset_wanted_) return false;
        const ssize_t n = ssl_ != nullptr
                              ? SSL_write(ssl_, bytes.data(), static_cast<int>(std::min(bytes.size(), read_size)))
                              : send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n <= 0) return false;
        bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
}

bool Wire::wait(Milliseconds time) {
    const auto until = Clock::now() + time;
    while (fd_ >= 0) {
        const auto left = std::chrono::ceil<Milliseconds>(until - Clock::now());
        if (left <= Milliseconds::zero()) return true;
        pollfd entry{fd_, POLLRDHUP, 0};
        const int n = poll(&entry, 1, static_cast<int>(std::min<int64_t>(left.count(), 60'000)));
        if (n > 0 && (entry.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0) return false;
    }
    return false;
}

void Wire::drain_output() const {
    const auto until = Clock::now() + linger_limit;
    int unsent = 0;
    while (Clock::now() < until && ioctl(fd_, SIOCOUTQ, &unsent) == 0 && unsent > 0) {
        pollfd entry{fd_, POLLRDHUP, 0};
        if (poll(&entry, 1, 1) > 0) return;
    }
}

void Wire::reset() {
    if (fd_ < 0) return;
    drain_output();
    hard_close_on(fd_);
    shut();
}

void Wire::close() {
    if (fd_ < 0) return;
    if (reset_wanted_) return shut();
    if (ssl_ != nullptr) SSL_shutdown(ssl_);
    shutdown(fd_, SHUT_WR);
    const auto until = Clock::now() + linger_limit;
    std::string sink(read_size, '\0');
    while (Clock::now() < until) {
        pollfd entry{fd_, POLLIN, 0};
        if (poll(&entry, 1, linger_silence_ms) <= 0 || recv(fd_, sink.data(), sink.size(), 0) <= 0) break;
    }
    shut();
}

void Wire::interrupt(Interrupt how) {
    const std::lock_guard lock(mutex_);
    if (fd_ < 0) return;
    if (how == Interrupt::reset) {
        reset_wanted_ = true;
        hard_close_on(fd_);
    }
    // Closing the receiving side alone wakes the reader and sends nothing: the FIN would come before the RST.
    shutdown(fd_, how == Interrupt::reset ? SHUT_RD : SHUT_RDWR);
}

bool BodyReader::next_chunk() {
    if (!first_ && wire_.read_line() != std::optional<std::string>("")) return false;
    first_ = false;
    const std::optional<std::string> line = wire_.read_line();
    if (!line) return false;
    const std::string_view size = trim(std::string_view(*line).substr(0, line->find(';')));
    const auto [stop, error] = std::from_chars(size.data(), size.data() + size.size(), left_, 16);
    if (error != std::errc{} || stop != size.data() + size.size()) return false;
    if (left_ > 0) return true;
    while (const std::optional<std::string> trailer = wire_.read_line()) {
        if (!trailer->empty()) continue;
        complete_ = true;
        break;
    }
    return false;
}

std::string BodyReader::next(size_t limit) {
    if (complete()) return {};
    if (framing_.chunked && left_ == 0 && !next_chunk()) return {};
    std::string bytes = wire_.read_some(static_cast<size_t>(std::min<uint64_t>(limit, left_)));
    left_ -= bytes.size();
    return bytes;
}

}  // namespace s3tug::lab
