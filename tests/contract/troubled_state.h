#pragma once

// What the tests of a troubled state file share: a store that remembers what it said, and other processes in its way.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "host/sqlite_state_store.h"
#include "host/unique_fd.h"
#include "support/manual_clock.h"

namespace s3tug::test {

namespace fs = std::filesystem;
using port::Table;

/// A store, and what it said.
struct Heard {
    std::vector<std::string> warnings;
    std::vector<std::string> notes;
    ManualClock clock;
    std::unique_ptr<host::SqliteStateStore> store;

    /// With an explicit file, or in the usual place below `home`.
    explicit Heard(const std::string& explicit_file, const std::string& home = {}) {
        host::SqliteStateStoreOptions options;
        options.place.explicit_file = explicit_file;
        options.place.environment = host::Environment(host::Environment::Variables{{"XDG_STATE_HOME", home}});
        options.warn = [this](const std::string& text) { warnings.push_back(text); };
        options.note = [this](const std::string& text) { notes.push_back(text); };
        store = std::make_unique<host::SqliteStateStore>(std::move(options), clock);
    }
    bool put(const std::string& key, const std::string& value, Table table = Table::breaker) {
        return store->update(table, key, [&](const auto&) { return std::optional(value); });
    }
    std::string get(const std::string& key, Table table = Table::breaker) {
        return store->read(table, key).value_or("(none)");
    }
    [[nodiscard]] std::string warning() const { return warnings.size() == 1 ? warnings.front() : "(not one)"; }
};

/// The store works, but not as a file: memory serves this process, and nobody else.
inline void check_memory_only(Heard& heard, std::string_view reason) {
    CHECK_FALSE(heard.put("k", "v"));
    CHECK(heard.get("k") == "v");
    CHECK(heard.store->list(Table::breaker).size() == 1);
    CHECK_FALSE(heard.put("k", "w"));
    CHECK(heard.get("k") == "w");
    CHECK_FALSE(heard.put("other", "x", Table::run));
    CHECK(heard.warnings.size() == 1);
    CHECK(heard.warning().find(reason) != std::string::npos);
    CHECK(heard.warning().find("goes on without it") != std::string::npos);
    const Status healthy = heard.store->healthy();
    REQUIRE_FALSE(healthy.ok());
    CHECK(healthy.error().kind == ErrorKind::state_file);
    CHECK(healthy.error().message.find(reason) != std::string::npos);
}

inline void make_state(const std::string& file, int records = 1) {
    Heard heard(file);
    for (int i = 0; i < records; ++i) REQUIRE(heard.put(fmt::format("k{}", i), std::string(300, 'v')));
    REQUIRE(heard.warnings.empty());
}

inline void run_sql(const std::string& file, const std::string& sql) {
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &db) == SQLITE_OK);
    CHECK(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(db);
}

inline std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Runs `body` in a child; its number comes back. 0 = as it should be.
template <class Body>
inline int in_child(const Body& body) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(body());
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
}
inline constexpr int skipped = 77;

/// Another process that has done `take` and holds on until it is told to let go.
class Holder {
  public:
    template <class Take>
    explicit Holder(const Take& take) {
        std::array<int, 2> ready{};
        std::array<int, 2> hold{};
        REQUIRE(::pipe2(ready.data(), O_CLOEXEC) == 0);
        REQUIRE(::pipe2(hold.data(), O_CLOEXEC) == 0);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::close(hold[1]);
            char byte = take() ? '1' : '0';
            (void)!::write(ready[1], &byte, 1);
            (void)!::read(hold[0], &byte, 1);
            ::_exit(0);
        }
        const host::UniqueFd ready_read(ready[0]);
        const host::UniqueFd ready_write(ready[1]);
        const host::UniqueFd hold_read(hold[0]);
        hold_.reset(hold[1]);
        char byte = '0';
        REQUIRE(::read(ready[0], &byte, 1) == 1);
        REQUIRE(byte == '1');
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder() { let_go(); }
    void let_go() {
        hold_.reset();
        if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }

  private:
    pid_t pid_ = -1;
    host::UniqueFd hold_;
};

inline Holder hold_sqlite(const std::string& file, const char* sql) {
    return Holder([&] {
        sqlite3* db = nullptr;
        return sqlite3_open(file.c_str(), &db) == SQLITE_OK &&
               sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
    });
}

template <class Body>
inline Duration time_of(const Body& body) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    return std::chrono::steady_clock::now() - begin;
}

}  // namespace s3tug::test
