#include "proxy/proxy.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <map>

#include "lab/raw_client.h"

namespace s3tug::proxy {
namespace {

using lab::test::RawClient;

/// Sends back what comes. One connection at a time is enough.
class Echo {
  public:
    Echo() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        REQUIRE(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(fd_, 16) == 0);
        ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~Echo() {
        ::shutdown(fd_, SHUT_RDWR);
        thread_.join();
        ::close(fd_);
    }
    [[nodiscard]] uint16_t port() const { return port_; }
    [[nodiscard]] uint64_t received() const { return received_; }

  private:
    void serve() {
        for (int client = 0; (client = ::accept(fd_, nullptr, nullptr)) >= 0; ::close(client)) {
            char bytes[4096];
            for (ssize_t n = 0; (n = ::recv(client, bytes, sizeof bytes, 0)) > 0;) {
                received_ += static_cast<uint64_t>(n);
                if (::send(client, bytes, static_cast<std::size_t>(n), MSG_NOSIGNAL) != n) break;
            }
        }
    }
    int fd_;
    uint16_t port_ = 0;
    std::atomic<uint64_t> received_{0};
    std::thread thread_;
};

/// A proxy before an echo, and what it said of each connection.
struct World {
    explicit World(std::string_view rules, uint64_t seed = 1)
        : proxy(0, echo.port(), seed, [this](uint64_t number, const Passed& passed) {
              const std::lock_guard lock(mutex);
              finished[number] = passed;
              changed.notify_all();
          }) {
        REQUIRE(proxy.set_rules(rules).empty());
    }
    Passed wait_for(uint64_t number) {
        std::unique_lock lock(mutex);
        REQUIRE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return finished.contains(number); }));
        return finished[number];
    }
    Echo echo;
    std::mutex mutex;
    std::condition_variable changed;
    std::map<uint64_t, Passed> finished;
    Proxy proxy;
};

std::string wrong_of(std::string_view text) {
    const auto parsed = parse_rules(text);
    const auto* wrong = std::get_if<std::string>(&parsed);
    return wrong != nullptr ? *wrong : "";
}

TEST_CASE("Without a rule every byte passes both ways and both ends are told of the end") {
    World world("");
    std::string sent(300'000, 'x');
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 7 % 251);
    RawClient client(world.proxy.port());
    std::thread writer([&] { client.send(sent); });
    const std::string back = client.read_exactly(sent.size());
    writer.join();
    CHECK(back == sent);
    CHECK(world.echo.received() == sent.size());
}

TEST_CASE("A cut comes after exactly so many bytes, as RST or as FIN") {
    struct Row {
        const char* rule;
        std::size_t down;
        const char* ending;
        const char* ended;
    };
    for (const Row& row :
         {Row{"*: reset down@1000", 1000, "reset", "reset"}, Row{"*: close down@777", 777, "fin", "closed"},
          Row{"*: close down@0", 0, "fin", "closed"}}) {
        CAPTURE(row.rule);
        World world(row.rule);
        RawClient client(world.proxy.port());
        client.send(std::string(5000, 'x'));
        const std::string got = client.read_all();
        CHECK(client.ending() == row.ending);
        // What was on its way when the RST came may be lost; more than was let through never comes.
        CHECK(got.size() <= row.down);
        const Passed passed = world.wait_for(1);
        CHECK(passed.ended == row.ended);
        CHECK(passed.down == row.down);
    }
    World world("*: reset up@1234");
    RawClient client(world.proxy.port());
    client.send(std::string(5000, 'x'));
    (void)client.read_all();
    CHECK(world.wait_for(1).up == 1234);
}

TEST_CASE("Rules count connections, and a refused one gets a reset") {
    World world("2: refuse\n4-5: refuse\n");
    for (int number = 1; number <= 6; ++number) {
        CAPTURE(number);
        RawClient client(world.proxy.port());
        client.send("hello");
        const bool answered = client.read_exactly(5) == "hello";
        CHECK(answered == (number == 1 || number == 3 || number == 6));
    }
    CHECK(world.wait_for(2).ended == "refused");
}

TEST_CASE("A stall passes after its time, and an endless one ends when the client leaves") {
    World world("1: stall up@2 100ms\n2: stall down@2\n");
    {
        RawClient client(world.proxy.port());
        const auto before = std::chrono::steady_clock::now();
        client.send("hello");
        CHECK(client.read_exactly(5) == "hello");
        CHECK(std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(100));
    }
    {
        RawClient client(world.proxy.port());
        client.send("hello");
        CHECK(client.read_exactly(2) == "he");
    }
    CHECK(world.wait_for(2).ended == "stalled");
}

TEST_CASE("A black hole swallows one way and leaves the other alone") {
    World world("*: swallow up@3");
    RawClient client(world.proxy.port());
    client.send("hello, hello");
    CHECK(client.read_exactly(3) == "hel");
    CHECK(world.echo.received() == 3);
}

TEST_CASE("A drip gives so many bytes each time") {
    World world("*: drip down 2/30ms; delay 50ms");
    RawClient client(world.proxy.port());
    const auto before = std::chrono::steady_clock::now();
    client.send("hello!");
    CHECK(client.read_exactly(6) == "hello!");
    CHECK(std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(50 + 60));
}

TEST_CASE("A server that is not there is a reset, and cut ends what is open") {
    uint16_t nobody = 0;
    {
        const Echo gone;
        nobody = gone.port();
    }
    Proxy proxy(0, nobody, 1);
    RawClient client(proxy.port());
    (void)client.read_all();
    CHECK(client.ending() == "reset");

    World world("");
    RawClient open(world.proxy.port());
    open.send("a");
    CHECK(open.read_exactly(1) == "a");
    world.proxy.cut_all();
    (void)open.read_all();
    CHECK(open.ending() == "reset");
    RawClient next(world.proxy.port());
    next.send("b");
    CHECK(next.read_exactly(1) == "b");
}

TEST_CASE("What is drawn depends on the seed and the connection alone") {
    const auto parsed = parse_rules("50%: reset down@0-1M\n* from 1s to 2s: refuse");
    const auto& rules = std::get<0>(parsed);
    unsigned cut = 0, different = 0;
    for (uint64_t number = 1; number <= 1000; ++number) {
        const Plan plan = plan_for(rules, number, Milliseconds(0), 7);
        const Plan again = plan_for(rules, number, Milliseconds(0), 7);
        const Plan other = plan_for(rules, number, Milliseconds(0), 8);
        CHECK(plan.ending.has_value() == again.ending.has_value());
        if (plan.ending) {
            CHECK(plan.ending->first == again.ending->first);
            CHECK(plan.ending->first <= 1U << 20);
        }
        cut += plan.ending ? 1 : 0;
        different += plan.ending.has_value() != other.ending.has_value() ? 1 : 0;
        CHECK_FALSE(plan.refuse);
        CHECK(plan_for(rules, number, Milliseconds(1500), 7).refuse);
        CHECK_FALSE(plan_for(rules, number, Milliseconds(2000), 7).refuse);
    }
    CHECK(cut > 400);
    CHECK(cut < 600);
    CHECK(different > 300);
}

TEST_CASE("A rule that cannot be read is refused with its line and the reason") {
    CHECK(wrong_of("# nothing\n\n*: refuse").empty());
    for (const char* text :
         {"*: explode", "refuse", "x: refuse", "*: reset", "*: reset sideways@3", "*: reset down@9-3",
          "*: drip down 0/5ms", "*: drip down 3", "*: delay 3", "* from x: refuse", "*: ", ": refuse"}) {
        CAPTURE(text);
        CHECK(wrong_of(text).starts_with("line 1: "));
    }
}

}  // namespace
}  // namespace s3tug::proxy
