#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/state_lock.h"
#include "host/state_place.h"
#include "host/state_schema.h"
#include "port/state_store.h"

struct sqlite3;
struct sqlite3_stmt;

namespace s3tug::host {

enum class StateFault : uint8_t {
    none,
    locked,        ///< by another process, longer than our patience
    moved,         ///< another file stands under the name now: open again
    damaged,       ///< not readable as what it should be
    foreign,       ///< a database of another program
    newer_schema,  ///< written by a newer s3tug
    unusable,      ///< the system refuses: read-only, disk full, I/O error
};

struct StateTrouble {
    StateFault fault = StateFault::none;
    std::string reason;  ///< in words; empty when none
    [[nodiscard]] bool ok() const { return fault == StateFault::none; }
};

/// One connection to an existing state file. SQLite in WAL mode:
/// - Readers never wait for writers, and a process killed at any moment leaves a file that the next one can read.
/// - PERSIST_WAL and no checkpoint on close, so that the last process out does no work and removes nothing that another
///   is about to open. The log is folded in every limits::state_wal_pages pages instead: whoever comes first after all
///   have gone reads it through, so it is kept short.
/// - synchronous=OFF. A sync has no upper bound on a busy disk, and losing the newest state at a power cut costs work,
///   never correctness; a file damaged by one is set aside. A killed process loses nothing: the kernel has the bytes.
/// Used by one thread.
class StateDatabase {
  public:
    /// Opens for reading and writing, and reads the schema version. Null with the trouble told otherwise. `opened` is
    /// the file that was under the name. The connection keeps `patience`, which outlives it.
    [[nodiscard]] static std::unique_ptr<StateDatabase> open(const StatePlace& place, LockPatience& patience,
                                                             StateTrouble& trouble, FileId& opened);
    ~StateDatabase();
    StateDatabase(const StateDatabase&) = delete;
    StateDatabase& operator=(const StateDatabase&) = delete;

    /// Has the file been removed or replaced since? One stat.
    [[nodiscard]] bool moved();

    [[nodiscard]] int schema_version() const { return version_; }

    /// Migrates and switches to WAL, the first time. A file that cannot be written is `unusable`.
    [[nodiscard]] StateTrouble prepare_writing();
    /// Takes the write lock and lets go of it.
    [[nodiscard]] StateTrouble try_lock();

    [[nodiscard]] StateTrouble read(port::Table table, std::string_view key, std::optional<std::string>& value);
    [[nodiscard]] StateTrouble list(port::Table table, std::vector<port::StateEntry>& entries);
    /// prepare_writing() comes before these.
    [[nodiscard]] StateTrouble update(port::Table table, std::string_view key, const port::StateStore::Step& step,
                                      WallTime now);
    [[nodiscard]] StateTrouble erase_all(port::Table table);

  private:
    enum class Sql : uint8_t {
        select,
        put,
        remove,
        list,
        clear,
        count,
        any_old,
        remove_old,
        remove_first,
        begin,
        commit
    };
    static constexpr std::size_t sql_count = 11;
    class Statement;
    class Transaction;

    explicit StateDatabase(LockPatience& patience) : patience_(patience) {}
    [[nodiscard]] static std::string text_of(Sql sql, std::string_view table);
    [[nodiscard]] int open_file(const std::string& path);
    [[nodiscard]] StateTrouble identify();
    [[nodiscard]] Statement statement(Sql sql, port::Table table);
    [[nodiscard]] int select(port::Table table, std::string_view key, std::optional<std::string>& value);
    [[nodiscard]] int store(port::Table table, std::string_view key, const std::string& next, WallTime now);
    void prune(port::Table table, std::string_view keep, WallTime now);
    [[nodiscard]] int enter_wal();
    [[nodiscard]] StateTrouble trouble(int rc) const;

    LockPatience& patience_;
    sqlite3* db_ = nullptr;
    int version_ = 0;
    bool prepared_ = false;
    std::array<std::array<sqlite3_stmt*, sql_count>, all_tables.size()> statements_{};
    std::array<unsigned, all_tables.size()> new_rows_{};
};

}  // namespace s3tug::host
