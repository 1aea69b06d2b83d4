#include "host/process_table.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "host/unique_fd.h"
#include "support/temp_folder.h"

namespace s3tug::host {

namespace {

/// A /proc/PID/stat as proc(5) describes it; the name is one that must not confuse the reader.
std::string stat_line(int64_t pid, char state, uint64_t start_ticks) {
    return fmt::format(
        "{} (a ) S 1 (b) {} 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 {} 1000 200 18446744073709551615\n", pid, state,
        start_ticks);
}

/// A /proc with us and process 77.
struct FakeProc {
    test::TempFolder folder;
    FakeProc() {
        folder.write("self/stat", stat_line(getpid(), 'R', 500));
        folder.write("sys/kernel/random/boot_id", "boot-a\n");
        folder.write("self/ns/pid", "");
        folder.write("77/stat", stat_line(77, 'S', 1234));
        folder.write("78/stat", stat_line(78, 'Z', 1234));
        folder.write("79/stat", "garbage");
    }
};

}  // namespace

TEST_SUITE("host/process_table") {
    TEST_CASE("who is dead, alive or unknown") {
        const FakeProc proc;
        ProcessTable table(proc.folder.path());
        const ProcessId me = table.self();
        CHECK(me.pid == getpid());
        CHECK(me.start_ticks == 500);
        CHECK(me.boot_id == "boot-a");
        REQUIRE(me.pid_namespace != 0);

        struct Row {
            const char* what;
            ProcessId who;
            Liveness right;
        };
        const uint64_t ns = me.pid_namespace;
        for (const Row& row :
             {Row{"we", me, Liveness::alive}, Row{"a living one", {77, 1234, "boot-a", ns}, Liveness::alive},
              Row{"its pid used again", {77, 1233, "boot-a", ns}, Liveness::dead},
              Row{"start time not known", {77, 0, "boot-a", ns}, Liveness::alive},
              Row{"a zombie", {78, 1234, "boot-a", ns}, Liveness::dead},
              Row{"no such process", {80, 1, "boot-a", ns}, Liveness::dead},
              Row{"another boot", {77, 1234, "boot-b", ns}, Liveness::dead},
              Row{"another boot and container", {77, 1234, "boot-b", ns + 1}, Liveness::dead},
              Row{"another container", {77, 1234, "boot-a", ns + 1}, Liveness::unknown},
              Row{"boot not known", {77, 1234, "", ns}, Liveness::unknown},
              Row{"what /proc tells is not understood", {79, 1, "boot-a", ns}, Liveness::unknown},
              Row{"no pid", {0, 0, "boot-a", ns}, Liveness::dead}}) {
            CAPTURE(row.what);
            CHECK(table.liveness(row.who) == row.right);
        }
    }

    TEST_CASE("without /proc nobody is declared dead") {
        ProcessTable table("/nonexistent");
        CHECK(table.self().pid == getpid());
        CHECK(table.self().boot_id.empty());
        CHECK(table.liveness({1, 1, "boot-a", 1}) == Liveness::unknown);
    }

    TEST_CASE("a child is alive until it ends, and dead before it is waited for") {
        ProcessTable table;
        std::array<int, 2> hold{};
        std::array<int, 2> tell{};
        REQUIRE(::pipe(hold.data()) == 0);
        REQUIRE(::pipe(tell.data()) == 0);
        const pid_t pid = ::fork();
        if (pid == 0) {
            ::close(hold[1]);
            ProcessTable own;
            const uint64_t start = own.self().start_ticks;
            (void)!::write(tell[1], &start, sizeof start);
            char byte = 0;
            (void)!::read(hold[0], &byte, 1);  // until the parent lets go
            ::_exit(0);
        }
        const UniqueFd hold_read(hold[0]);
        UniqueFd hold_write(hold[1]);
        const UniqueFd tell_read(tell[0]);
        const UniqueFd tell_write(tell[1]);
        ProcessId child = table.self();
        child.pid = pid;
        REQUIRE(::read(tell[0], &child.start_ticks, sizeof child.start_ticks) == sizeof child.start_ticks);
        CHECK(table.liveness(child) == Liveness::alive);

        hold_write.reset();
        siginfo_t info{};
        REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);
        CHECK(table.liveness(child) == Liveness::dead);  // a zombie
        REQUIRE(::waitpid(pid, nullptr, 0) == pid);
        CHECK(table.liveness(child) == Liveness::dead);
    }
}

}  // namespace s3tug::host
