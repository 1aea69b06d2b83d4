#include "host/state_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.h"

namespace s3tug::host {

namespace {

int64_t to_unix_ms(WallTime time) { return to_ms(time.time_since_epoch()); }

StateFault fault_of(int rc) {
    if (rc == SQLITE_READONLY_DBMOVED) return StateFault::moved;
    if (rc == SQLITE_IOERR_CORRUPTFS) return StateFault::damaged;
    switch (rc & 0xFF) {
        case SQLITE_OK:
        case SQLITE_ROW:
        case SQLITE_DONE: return StateFault::none;
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_PROTOCOL: return StateFault::locked;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_FORMAT:
        case SQLITE_SCHEMA:
        case SQLITE_MISMATCH:
        case SQLITE_ERROR: return StateFault::damaged;  // our own SQL is right: the tables are not what they should be
        default: return StateFault::unusable;
    }
}

}  // namespace

/// A prepared statement in use; reset when it goes out of scope. After a failed prepare every step gives its code.
class StateDatabase::Statement {
  public:
    Statement(sqlite3_stmt* statement, int rc) : statement_(statement), rc_(rc) {}
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { sqlite3_reset(statement_); }

    Statement& bind(int index, std::string_view text) {
        if (rc_ == SQLITE_OK) {
            rc_ = sqlite3_bind_text64(statement_, index, text.data() != nullptr ? text.data() : "", text.size(),
                                      SQLITE_STATIC, SQLITE_UTF8);
        }
        return *this;
    }
    Statement& bind(int index, int64_t number) {
        if (rc_ == SQLITE_OK) rc_ = sqlite3_bind_int64(statement_, index, number);
        return *this;
    }
    [[nodiscard]] int step() { return rc_ == SQLITE_OK ? sqlite3_step(statement_) : rc_; }
    /// For statements without rows.
    [[nodiscard]] int run() {
        const int rc = step();
        return rc == SQLITE_DONE ? SQLITE_OK : rc;
    }
    [[nodiscard]] bool is_text(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_TEXT; }
    [[nodiscard]] std::string text(int column) const {
        const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
        return bytes == nullptr
                   ? std::string()
                   : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
    }
    [[nodiscard]] int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }

  private:
    sqlite3_stmt* statement_;
    int rc_;
};

/// Rolls back unless committed.
class StateDatabase::Transaction {
  public:
    explicit Transaction(StateDatabase& database) : database_(database) {
        begin_fresh_time_slice();
        begin_ = database.statement(Sql::begin, port::Table{}).run();
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction() {
        if (sqlite3_get_autocommit(database_.db_) == 0)
            sqlite3_exec(database_.db_, "ROLLBACK", nullptr, nullptr, nullptr);
    }
    [[nodiscard]] int begin() const { return begin_; }
    [[nodiscard]] int commit() { return database_.statement(Sql::commit, port::Table{}).run(); }

  private:
    StateDatabase& database_;
    int begin_ = SQLITE_OK;
};

StateDatabase::~StateDatabase() {
    for (auto& of_table : statements_) {
        for (sqlite3_stmt* statement : of_table) sqlite3_finalize(statement);
    }
    sqlite3_close(db_);
}

std::unique_ptr<StateDatabase> StateDatabase::open(const StatePlace& place, LockPatience& patience,
                                                   StateTrouble& trouble, FileId& opened) {
    StateFileLock lock;
    if (lock.acquire(place.file + ".lock", StateFileLock::Mode::shared, patience) ==
        StateFileLock::Outcome::timed_out) {
        trouble = {StateFault::locked, "another process is setting it aside"};
        return nullptr;
    }
    std::unique_ptr<StateDatabase> database(new StateDatabase(patience));
    const int rc = database->open_file(place.file);
    opened = file_id(place.file).value_or(FileId{});
    trouble = rc == SQLITE_OK ? database->identify() : database->trouble(rc);
    if (!trouble.ok()) return nullptr;
    return database;
}

int StateDatabase::open_file(const std::string& path) {
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW;
    if (const int rc = sqlite3_open_v2(path.c_str(), &db_, flags, nullptr); rc != SQLITE_OK) {
        return db_ != nullptr ? sqlite3_extended_errcode(db_) : rc;
    }
    sqlite3_extended_result_codes(db_, 1);
    sqlite3_busy_handler(
        db_, [](void* patience, int tries) { return static_cast<LockPatience*>(patience)->wait(tries) ? 1 : 0; },
        &patience_);
    sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    int persist = 1;
    sqlite3_file_control(db_, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
    return sqlite3_wal_autocheckpoint(db_, static_cast<int>(limits::state_wal_pages));
}

StateTrouble StateDatabase::identify() {
    SchemaFacts facts;
    if (const int rc = read_schema_facts(db_, facts); rc != SQLITE_OK) return trouble(rc);
    version_ = facts.version;
    if (!facts.ours && !(facts.empty && facts.version == 0)) {
        return {StateFault::foreign, "it is not a state file of s3tug"};
    }
    if (facts.version > state_schema_version()) {
        return {StateFault::newer_schema, fmt::format("it was written by a newer s3tug (schema {}, this one knows {})",
                                                      facts.version, state_schema_version())};
    }
    return {};
}

bool StateDatabase::moved() {
    int moved = 0;
    return sqlite3_file_control(db_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

StateTrouble StateDatabase::prepare_writing() {
    if (prepared_) return {};
    if (sqlite3_db_readonly(db_, "main") != 0) return {StateFault::unusable, "it cannot be written"};
    int rc = sqlite3_exec(db_, "PRAGMA synchronous=OFF", nullptr, nullptr, nullptr);
    if (rc == SQLITE_OK && version_ < state_schema_version()) {
        rc = migrate_schema(db_, state_migrations());
        if (rc == SQLITE_OK) version_ = state_schema_version();
    }
    if (rc == SQLITE_OK) rc = enter_wal();
    if (rc != SQLITE_OK) return trouble(rc);
    prepared_ = true;
    return {};
}

int StateDatabase::enter_wal() {
    // Needs the file alone for a moment, and SQLite does not call the busy handler for it.
    for (int tries = 0;; ++tries) {
        const int rc = sqlite3_exec(db_, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr);
        if (fault_of(rc) != StateFault::locked || !patience_.wait(tries)) return rc;
    }
}

StateTrouble StateDatabase::try_lock() {
    const Transaction transaction(*this);
    return trouble(transaction.begin());
}

StateTrouble StateDatabase::read(port::Table table, std::string_view key, std::optional<std::string>& value) {
    value.reset();
    if (version_ < state_schema_version()) {
        if (StateTrouble changed = identify(); !changed.ok()) return changed;
        if (version_ == 0) return {};  // empty
        if (StateTrouble migrated = prepare_writing(); !migrated.ok()) return migrated;
    }
    return trouble(select(table, key, value));
}

StateTrouble StateDatabase::list(port::Table table, std::vector<port::StateEntry>& entries) {
    entries.clear();
    if (version_ < state_schema_version()) {
        std::optional<std::string> none;
        if (StateTrouble changed = read(table, "", none); !changed.ok() || version_ == 0) return changed;
    }
    Statement rows = statement(Sql::list, table);
    rows.bind(1, static_cast<int64_t>(limits::state_rows_max));
    int rc = rows.step();
    for (; rc == SQLITE_ROW; rc = rows.step()) {
        if (!rows.is_text(0) || !rows.is_text(1)) return trouble(SQLITE_MISMATCH);
        entries.push_back({rows.text(0), rows.text(1), WallTime(milliseconds(rows.number(2)))});
    }
    return trouble(rc);
}

StateTrouble StateDatabase::update(port::Table table, std::string_view key, const port::StateStore::Step& step,
                                   WallTime now) {
    // Parsed before the lock is taken: all that others wait for is read, step, write.
    for (const Sql sql : {Sql::select, Sql::put}) (void)statement(sql, table);
    (void)statement(Sql::commit, port::Table{});

    bool new_row = false;
    {
        Transaction transaction(*this);
        if (transaction.begin() != SQLITE_OK) return trouble(transaction.begin());
        std::optional<std::string> present;
        if (const int rc = select(table, key, present); rc != SQLITE_OK) return trouble(rc);
        const std::optional<std::string> next = step(present);
        if (!next || next == present || (next->empty() && !present)) return {};
        if (const int rc = store(table, key, *next, now); rc != SQLITE_OK) return trouble(rc);
        if (const int rc = transaction.commit(); rc != SQLITE_OK) return trouble(rc);
        new_row = !present;
    }
    if (new_row && new_rows_[index_of(table)]++ % table_bounds(table).look_every == 0) prune(table, key, now);
    return {};
}

StateTrouble StateDatabase::erase_all(port::Table table) {
    Transaction transaction(*this);
    if (transaction.begin() != SQLITE_OK) return trouble(transaction.begin());
    if (const int rc = statement(Sql::clear, table).run(); rc != SQLITE_OK) return trouble(rc);
    return trouble(transaction.commit());
}

int StateDatabase::select(port::Table table, std::string_view key, std::optional<std::string>& value) {
    Statement row = statement(Sql::select, table);
    const int rc = row.bind(1, key).step();
    if (rc == SQLITE_DONE) return SQLITE_OK;
    if (rc != SQLITE_ROW) return rc;
    if (!row.is_text(0)) return SQLITE_MISMATCH;
    value = row.text(0);
    return SQLITE_OK;
}

int StateDatabase::store(port::Table table, std::string_view key, const std::string& next, WallTime now) {
    if (next.empty()) return statement(Sql::remove, table).bind(1, key).run();
    return statement(Sql::put, table).bind(1, key).bind(2, next).bind(3, to_unix_ms(now)).run();
}

/// Looks without a lock. What goes wrong here is left to the next update: this one is stored.
void StateDatabase::prune(port::Table table, std::string_view keep, WallTime now) {
    const TableBounds bounds = table_bounds(table);
    const int64_t old_before = bounds.keep > Duration::zero() ? to_unix_ms(now - bounds.keep) : INT64_MIN;
    constexpr int64_t batch = limits::state_prune_batch;
    int64_t over = 0;
    bool any_old = false;
    {
        Statement count = statement(Sql::count, table);
        if (count.step() != SQLITE_ROW) return;
        over = count.number(0) - static_cast<int64_t>(bounds.rows_max);
        Statement old = statement(Sql::any_old, table);
        any_old = old.bind(1, old_before).step() == SQLITE_ROW;
    }
    if (over <= 0 && !any_old) return;
    Transaction transaction(*this);
    if (transaction.begin() != SQLITE_OK) return;
    if (any_old && statement(Sql::remove_old, table).bind(1, old_before).bind(2, batch).run() != SQLITE_OK) return;
    if (over > 0) {
        Statement first = statement(Sql::remove_first, table);
        if (first.bind(1, keep).bind(2, to_unix_ms(now)).bind(3, std::min(over, batch)).run() != SQLITE_OK) return;
    }
    (void)transaction.commit();
}

std::string StateDatabase::text_of(Sql sql, std::string_view table) {
    switch (sql) {
        case Sql::select: return fmt::format("SELECT value FROM {} WHERE key=?1", table);
        case Sql::put:
            return fmt::format(
                "INSERT INTO {}(key,value,updated_ms) VALUES(?1,?2,?3) ON CONFLICT(key) DO UPDATE SET "
                "value=excluded.value,updated_ms=excluded.updated_ms",
                table);
        case Sql::remove: return fmt::format("DELETE FROM {} WHERE key=?1", table);
        case Sql::list: return fmt::format("SELECT key,value,updated_ms FROM {} ORDER BY key LIMIT ?1", table);
        case Sql::clear: return fmt::format("DELETE FROM {}", table);
        case Sql::count: return fmt::format("SELECT count(*) FROM {}", table);
        case Sql::any_old: return fmt::format("SELECT 1 FROM {} WHERE updated_ms<?1 LIMIT 1", table);
        case Sql::remove_old:
            return fmt::format(
                "DELETE FROM {0} WHERE key IN (SELECT key FROM {0} WHERE updated_ms<?1 ORDER BY updated_ms LIMIT ?2)",
                table);
        case Sql::remove_first:
            return fmt::format(
                "DELETE FROM {0} WHERE key IN (SELECT key FROM {0} WHERE key<>?1 "
                "ORDER BY updated_ms>?2 DESC,updated_ms LIMIT ?3)",
                table);
        case Sql::begin: return "BEGIN IMMEDIATE";
        case Sql::commit: break;
    }
    return "COMMIT";
}

StateDatabase::Statement StateDatabase::statement(Sql sql, port::Table table) {
    sqlite3_stmt*& kept = statements_[index_of(table)][static_cast<std::size_t>(sql)];
    int rc = SQLITE_OK;
    if (kept == nullptr) {
        const std::string text = text_of(sql, port::to_string(table));
        rc = sqlite3_prepare_v3(db_, text.c_str(), static_cast<int>(text.size()) + 1, SQLITE_PREPARE_PERSISTENT, &kept,
                                nullptr);
    }
    return {kept, rc};
}

StateTrouble StateDatabase::trouble(int rc) const {
    const StateFault fault = fault_of(rc);
    if (fault == StateFault::none) return {};
    const int system = db_ != nullptr ? sqlite3_system_errno(db_) : 0;
    switch (fault) {
        case StateFault::locked: return {fault, "another process holds its lock"};
        case StateFault::moved: return {fault, "it was replaced"};
        case StateFault::unusable:
            if ((rc & 0xFF) == SQLITE_READONLY) return {fault, "it cannot be written"};
            if ((rc & 0xFF) == SQLITE_FULL) return {fault, "no space left on the disk"};
            if (system != 0) return {fault, std::strerror(system)};
            [[fallthrough]];
        default: return {fault, sqlite3_errstr(rc)};
    }
}

}  // namespace s3tug::host
