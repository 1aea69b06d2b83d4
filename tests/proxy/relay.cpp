#include "proxy/relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

namespace s3tug::proxy {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int step_ms = 20;  ///< how often `stop`, drips and stalls are looked at
constexpr std::size_t chunk_bytes = 64U << 10;
constexpr auto linger = std::chrono::seconds(1);

void end_with_reset(int fd) {
    const struct linger hard { 1, 0 };
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    ::close(fd);
}

/// FIN, and what the other side still sends is swallowed for a moment: a close with bytes unread would be a reset.
void end_with_fin(int fd) {
    ::shutdown(fd, SHUT_WR);
    std::array<char, 4096> rest{};
    const auto until = Clock::now() + linger;
    pollfd one{fd, POLLIN, 0};
    while (Clock::now() < until && ::poll(&one, 1, step_ms) >= 0) {
        if (one.revents != 0 && ::recv(fd, rest.data(), rest.size(), MSG_DONTWAIT) <= 0) break;
    }
    ::close(fd);
}

int connect_to(uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        const int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return fd;
    }
    ::close(fd);
    return -1;
}

/// One direction: what was read and not yet written, at most a chunk.
struct Lane {
    int from, to;
    std::optional<Plan::Drip> drip;
    std::vector<char> held;
    uint64_t passed = 0;
    uint64_t limit = UINT64_MAX;  ///< bytes before the plan's cut
    bool swallow = false;
    bool ended = false;  ///< no more comes, and that was handed on
    Clock::time_point not_before{};

    /// False when a connection broke.
    bool read_some() {
        std::size_t room = static_cast<std::size_t>(std::min<uint64_t>(chunk_bytes, limit - passed));
        if (drip) room = std::min(room, static_cast<std::size_t>(drip->bytes));
        held.resize(room);
        const ssize_t got = ::recv(from, held.data(), room, MSG_DONTWAIT);
        held.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        if (got < 0) return errno == EAGAIN || errno == EINTR;
        if (got == 0) {
            ended = true;
            ::shutdown(to, SHUT_WR);
        }
        if (drip) not_before = Clock::now() + drip->every;
        if (swallow) held.clear();
        return true;
    }

    bool write_some() {
        const ssize_t sent = ::send(to, held.data(), held.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) return errno == EAGAIN || errno == EINTR;
        passed += static_cast<uint64_t>(sent);
        held.erase(held.begin(), held.begin() + sent);
        return true;
    }

    [[nodiscard]] bool may_read() const {
        return !ended && held.empty() && passed < limit && Clock::now() >= not_before;
    }
};

class Relay {
  public:
    Relay(int client, int server, const Plan& plan, const std::atomic<bool>& stop)
        : plan_(plan), stop_(stop), up_{client, server, plan.drip_up, {}}, down_{server, client, plan.drip_down, {}} {
        if (plan.ending) lane().limit = plan.ending->first;
    }

    Passed run() {
        while (!stop_) {
            if (up_.ended && down_.ended) return end("finished", false);
            if (plan_.ending && lane().passed >= lane().limit && lane().held.empty()) {
                if (const auto ended = strike()) return *ended;
            }
            if (!move()) return end("broken", true);
        }
        return end("stopped", true);
    }

  private:
    Lane& lane() { return plan_.ending->way == Way::up ? up_ : down_; }

    Passed end(std::string_view how, bool reset) {
        for (const int fd : {up_.from, up_.to}) reset ? end_with_reset(fd) : end_with_fin(fd);
        return {up_.passed, down_.passed, how};
    }

    /// The plan's cut is due.
    std::optional<Passed> strike() {
        const Plan::Break ending = *plan_.ending;
        lane().limit = UINT64_MAX;
        if (ending.cut == Plan::Cut::reset) return end("reset", true);
        if (ending.cut == Plan::Cut::close) return end("closed", false);
        if (ending.cut == Plan::Cut::swallow) lane().swallow = true;
        plan_.ending.reset();
        if (ending.cut == Plan::Cut::stall && !stall(ending.time)) return end("stalled", true);
        return std::nullopt;
    }

    /// Nothing moves. False when it ended because somebody left.
    bool stall(std::optional<Milliseconds> time) const {
        const auto until = Clock::now() + time.value_or(std::chrono::minutes(5));
        while (!stop_ && Clock::now() < until) {
            std::array<pollfd, 2> fds{pollfd{up_.from, POLLRDHUP, 0}, pollfd{up_.to, POLLRDHUP, 0}};
            ::poll(fds.data(), fds.size(), step_ms);
            for (const pollfd& fd : fds) {
                if ((fd.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) return false;
            }
        }
        return time.has_value() && !stop_;
    }

    bool move() {
        std::array<pollfd, 2> fds{pollfd{up_.from, 0, 0}, pollfd{up_.to, 0, 0}};
        const auto want = [&fds](std::size_t at, bool wanted, int event) {
            if (wanted) fds[at].events = static_cast<short>(fds[at].events | event);
        };
        want(0, up_.may_read(), POLLIN);
        want(1, !up_.held.empty(), POLLOUT);
        want(1, down_.may_read(), POLLIN);
        want(0, !down_.held.empty(), POLLOUT);
        if (::poll(fds.data(), fds.size(), step_ms) < 0) return errno == EINTR;
        for (const pollfd& fd : fds) {
            if ((fd.revents & POLLERR) != 0) return false;
            // Both directions ended, or the side is gone and nothing of it is left to read.
            if ((fd.revents & POLLHUP) != 0 && (fd.revents & POLLIN) == 0 && fd.events != 0) return false;
        }
        const auto ready = [](const pollfd& fd, int event) { return (fd.revents & event) != 0; };
        return (!ready(fds[0], POLLIN) || up_.read_some()) && (!ready(fds[1], POLLIN) || down_.read_some()) &&
               (up_.held.empty() || up_.write_some()) && (down_.held.empty() || down_.write_some());
    }

    Plan plan_;
    const std::atomic<bool>& stop_;
    Lane up_, down_;
};

}  // namespace

Passed relay(int client, uint16_t server_port, const Plan& plan, const std::atomic<bool>& stop) {
    if (plan.refuse) {
        end_with_reset(client);
        return {0, 0, "refused"};
    }
    if (plan.delay) {
        const auto until = Clock::now() + *plan.delay;
        while (!stop && Clock::now() < until) std::this_thread::sleep_for(Milliseconds(step_ms));
    }
    const int server = connect_to(server_port);
    if (server < 0) {
        end_with_reset(client);
        return {0, 0, "unreachable"};
    }
    return Relay(client, server, plan, stop).run();
}

}  // namespace s3tug::proxy
