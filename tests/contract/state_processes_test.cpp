// Many processes on one state file, half of them killed at random moments.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "base/record.h"
#include "base/rng.h"
#include "host/sqlite_state_store.h"
#include "host/unique_fd.h"
#include "support/manual_clock.h"
#include "support/temp_folder.h"

namespace s3tug::test {

namespace {

constexpr int workers = 200;
constexpr int updates_each = 10;

using host::UniqueFd;

struct Pipe {
    UniqueFd read_end;
    UniqueFd write_end;
    Pipe() {
        std::array<int, 2> ends{};
        REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
        read_end.reset(ends[0]);
        write_end.reset(ends[1]);
    }
};

/// Starts the workers at one gate, reads what they acknowledge, and kills half of them: some before their first word,
/// the others after a random number of words of all.
class Storm {
  public:
    Storm(const std::string& state_file, const std::string& error_file, Duration lock_wait, uint64_t seed)
        : lock_wait_(lock_wait), rng_(seed) {
        const UniqueFd errors(::open(error_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
        REQUIRE(errors.valid());
        for (int id = 0; id < workers; ++id) pids_.push_back(start(state_file, id, errors.get()));
        words_.write_end.reset();
        gate_.read_end.reset();
    }

    void run() {
        for (int i = 0; i < workers / 8; ++i) kill_one();  // before or during their start
        gate_.write_end.reset();
        std::string pending;
        std::array<char, 4096> chunk{};
        for (;;) {
            const ssize_t got = ::read(words_.read_end.get(), chunk.data(), chunk.size());
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            pending.append(chunk.data(), static_cast<std::size_t>(got));
            for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
                hear(pending.substr(0, end));
                pending.erase(0, end + 1);
                if (killed < workers / 2 && rng_.chance(1, 8)) kill_one();
            }
        }
        for (const pid_t pid : pids_) {
            int status = 0;
            REQUIRE(::waitpid(pid, &status, 0) == pid);
            if (WIFEXITED(status) && WEXITSTATUS(status) == 0) ++finished;
            if (!WIFSIGNALED(status) && !WIFEXITED(status)) FAIL_CHECK("strange end of a worker");
        }
    }

    std::map<int, int> acknowledged;
    int refused = 0;
    int killed = 0;
    int finished = 0;

  private:
    pid_t start(const std::string& state_file, int id, int errors) {
        const std::string program = std::filesystem::canonical("/proc/self/exe").parent_path() / "state_worker";
        std::vector<std::string> words = {program, state_file, std::to_string(id), std::to_string(updates_each),
                                          std::to_string(to_ms(lock_wait_))};
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, gate_.read_end.get(), STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, words_.write_end.get(), STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
        pid_t pid = -1;
        const int error = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        REQUIRE(error == 0);
        return pid;
    }

    void kill_one() {
        // A worker that has finished is a zombie: the signal then does nothing, and the next one is tried.
        const auto victim = static_cast<std::size_t>(rng_.up_to(workers - 1));
        for (std::size_t i = 0; i < pids_.size(); ++i) {
            const std::size_t at = (victim + i) % pids_.size();
            if (gone_[at]) continue;
            gone_[at] = true;
            ::kill(pids_[at], SIGKILL);
            ++killed;
            return;
        }
    }

    void hear(const std::string& line) {
        std::istringstream in(line);
        int id = -1;
        std::string word;
        in >> id >> word;
        REQUIRE(id >= 0);
        if (word == "no") {
            ++refused;
        } else {
            acknowledged[id] = std::stoi(word);
        }
        if (word == std::to_string(updates_each)) gone_[static_cast<std::size_t>(id)] = true;  // about to end
    }

    Duration lock_wait_;
    Rng rng_;
    Pipe words_;
    Pipe gate_;
    std::vector<pid_t> pids_;
    std::array<bool, workers> gone_{};
};

std::string query(const std::string& file, const char* sql) {
    sqlite3* db = nullptr;
    std::string answer;
    REQUIRE(sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK);
    sqlite3_exec(
        db, sql,
        [](void* out, int, char** columns, char**) {
            *static_cast<std::string*>(out) += columns[0] == nullptr ? "" : columns[0];
            return 0;
        },
        &answer, nullptr);
    sqlite3_close(db);
    return answer;
}

std::string content_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// What the store must keep whatever happens: nothing that was acknowledged is lost. At most one more is there, when a
/// process was killed between the commit and its word.
int64_t check_counts(const std::string& file, Storm& storm) {
    int64_t total = 0;
    for (int group = 0; group < 10; ++group) {
        const auto record = RecordReader::parse(
            query(file, fmt::format("SELECT value FROM breaker WHERE key='shared-{}'", group).c_str()));
        REQUIRE(record.has_value());
        for (int id = group; id < workers; id += 10) {
            const int64_t stored = record->number(fmt::format("w{}", id)).value_or(0);
            const int64_t said = storm.acknowledged[id];
            CAPTURE(id);
            CHECK(stored >= said);
            CHECK(stored <= said + 1);
            total += stored;
        }
    }
    return total;
}

void storm_on(const std::filesystem::path& base, Duration lock_wait, uint64_t seed) {
    if (!std::filesystem::is_directory(base)) {
        MESSAGE("skipped: no " << base.string());
        return;
    }
    const TempFolder folder(base);
    const std::string file = folder.path("state.db");
    const auto begin = std::chrono::steady_clock::now();
    Storm storm(file, folder.path("errors"), lock_wait, seed);
    storm.run();
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);

    CHECK(storm.killed >= workers / 4);
    CHECK(storm.finished >= workers / 4);
    CHECK(query(file, "PRAGMA integrity_check") == "ok");
    CHECK_FALSE(std::filesystem::exists(file + ".bad"));
    const int64_t total = check_counts(file, storm);

    int warnings = 0;
    std::istringstream errors(content_of(folder.path("errors")));
    for (std::string line; std::getline(errors, line); ++warnings) {
        if (line.starts_with("==") && line.find("Unable to get registers") != std::string::npos) {
            --warnings;  // the sanitizer of a process that was killed while it looked at its threads
            continue;
        }
        // Only on a machine so busy that a process gets no CPU for 200 ms.
        CHECK(line == fmt::format("state file {}: another process holds its lock; this run goes on without it", file));
    }
    if (lock_wait > limits::state_lock_wait) {
        CHECK(warnings == 0);
        CHECK(storm.refused == 0);
    }
    MESSAGE(base.string() << ", waiting at most " << to_ms(lock_wait) << " ms: " << workers << " processes, "
                          << storm.killed << " killed, " << total << " updates in " << took.count() << " ms; "
                          << warnings << " processes waited longer");
}

double median_us(std::vector<Duration> times) {
    std::sort(times.begin(), times.end());
    return static_cast<double>(times[times.size() / 2].count()) / 1000;
}

}  // namespace

TEST_SUITE("contract/state_processes") {
    TEST_CASE("200 processes, half of them killed: no error is shown and no acknowledged update is lost") {
        SUBCASE("on the disk") { storm_on("/var/tmp", seconds(60), 1); }
        SUBCASE("on tmpfs") { storm_on("/dev/shm", seconds(60), 2); }
    }

    TEST_CASE("200 processes with the patience of the product: whoever gets no lock in time says so and goes on") {
        SUBCASE("on the disk") { storm_on("/var/tmp", limits::state_lock_wait, 3); }
        SUBCASE("on tmpfs") { storm_on("/dev/shm", limits::state_lock_wait, 4); }
    }

    TEST_CASE("what the state file costs a start") {
        const TempFolder folder("/var/tmp");
        ManualClock clock;
        const auto open = [&](int i) {
            host::SqliteStateStoreOptions options;
            options.place.explicit_file = folder.path(fmt::format("{}.db", i));
            return std::make_unique<host::SqliteStateStore>(std::move(options), clock);
        };
        std::array<std::vector<Duration>, 5> times;
        const auto timed = [&](std::size_t what, const auto& body) {
            const auto begin = std::chrono::steady_clock::now();
            body();
            times[what].push_back(std::chrono::steady_clock::now() - begin);
        };
        for (int i = 0; i < 100; ++i) {
            auto store = open(i);
            const auto put = [&](char c) {
                CHECK(store->update(port::Table::breaker, "https://h:443",
                                    [&](const auto&) { return std::optional(std::string(250, c)); }));
            };
            timed(0, [&] { CHECK_FALSE(store->read(port::Table::breaker, "https://h:443").has_value()); });
            timed(1, [&] { put('a'); });
            timed(2, [&] { put('b'); });
            store = open(i);
            timed(3, [&] { CHECK(store->read(port::Table::breaker, "https://h:443").has_value()); });
            store = open(i);
            timed(4, [&] { put('c'); });
        }
        MESSAGE("medians in us: no file " << median_us(times[0]) << ", first update (creates) " << median_us(times[1])
                                          << ", further update " << median_us(times[2]) << ", open and read "
                                          << median_us(times[3]) << ", open and update " << median_us(times[4]));
    }
}

}  // namespace s3tug::test
