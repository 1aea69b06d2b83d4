#include "host/signal_flag.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>
#include <string_view>

#include "host/standard_streams.h"

namespace s3tug::host {

namespace {

/// What waitpid says of a child that did this; 0 = it ended by itself with 0.
int fate_of(const std::function<int()>& act) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(act());
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

bool readable(int fd) {
    pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
    return ::poll(&entry, 1, 0) == 1;
}

}  // namespace

TEST_SUITE("host/signal_flag") {
    TEST_CASE("the first signal is kept and wakes every wait, the next one within the patience is the same one") {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            const SignalFlag flag(hours(1));
            const StopSignal stop = flag.stop();
            CHECK_FALSE(stop.raised());
            CHECK_FALSE(readable(stop.wake_fd));
            ::raise(signal);
            CHECK(stop.raised());
            CHECK(flag.number() == signal);
            CHECK(readable(stop.wake_fd));
            CHECK(readable(stop.wake_fd));
            ::raise(signal);
            CHECK(flag.number() == signal);
        }
    }

    TEST_CASE("a second signal kills at once, by that signal, and says so in one line") {
        int told[2] = {-1, -1};
        REQUIRE(::pipe(told) == 0);
        const int status = fate_of([&told] {
            ::dup2(told[1], STDERR_FILENO);
            const SignalFlag flag(Duration::zero());
            ::raise(SIGTERM);
            if (flag.number() != SIGTERM) return 1;
            ::raise(SIGINT);
            return 2;
        });
        CHECK(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == SIGINT);
        ::close(told[1]);
        char text[200];
        const ssize_t size = ::read(told[0], text, sizeof text);
        REQUIRE(size > 0);
        CHECK(std::string_view(text, static_cast<std::size_t>(size)) ==
              "s3tug: a second signal, ended at once; run again to finish\n");
        ::close(told[0]);
    }

    TEST_CASE("a signal that was ignored stays ignored, and what was there comes back") {
        struct sigaction before {};
        struct sigaction after {};
        REQUIRE(::sigaction(SIGTERM, nullptr, &before) == 0);
        std::signal(SIGINT, SIG_IGN);
        {
            const SignalFlag flag;
            ::raise(SIGINT);
            CHECK(flag.number() == 0);
            CHECK_THROWS_AS(SignalFlag(), std::logic_error);
        }
        CHECK((std::signal(SIGINT, SIG_DFL) == SIG_IGN));
        REQUIRE(::sigaction(SIGTERM, nullptr, &after) == 0);
        CHECK((before.sa_handler == after.sa_handler));
    }

    TEST_CASE("dying by a signal is seen by the parent, whatever was done to it") {
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
            const int status = fate_of([signal]() -> int {
                const SignalFlag flag;
                sigset_t all;
                sigfillset(&all);
                ::sigprocmask(SIG_BLOCK, &all, nullptr);
                die_by(signal);
            });
            CHECK(WIFSIGNALED(status));
            CHECK(WTERMSIG(status) == signal);
        }
    }
}

TEST_SUITE("host/standard_streams") {
    TEST_CASE("closed standard streams are occupied, so that no file of ours gets their numbers") {
        const int status = fate_of([] {
            ::close(STDIN_FILENO);
            ::close(STDOUT_FILENO);
            reserve_standard_streams();
            char byte = 'x';
            if (is_open(STDIN_FILENO) || is_open(STDOUT_FILENO) || !is_open(STDERR_FILENO)) return 1;
            if (::read(STDIN_FILENO, &byte, 1) != -1 || ::write(STDOUT_FILENO, &byte, 1) != -1) return 2;
            return ::open("/dev/null", O_RDONLY | O_CLOEXEC) > STDERR_FILENO ? 0 : 3;
        });
        CHECK(status == 0);
    }
}

}  // namespace s3tug::host
