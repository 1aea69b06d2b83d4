#include "host/state_schema.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <string>

#include "host/state_lock.h"

namespace s3tug::host {

namespace {

// WITHOUT ROWID: one tree per table, so that an update of a small record touches one page.
constexpr std::array migration_list = {
    R"sql(
CREATE TABLE breaker     (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, updated_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE idempotency (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, updated_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE upload      (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, updated_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE upload_part (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, updated_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE download    (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, updated_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE endpoint    (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, updated_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE bucket      (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, updated_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE run         (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, updated_ms INTEGER NOT NULL) WITHOUT ROWID;
)sql",
};

int read_number(sqlite3* db, const char* sql, int& value) {
    sqlite3_stmt* statement = nullptr;
    int rc = sqlite3_prepare_v2(db, sql, -1, &statement, nullptr);
    if (rc != SQLITE_OK) return rc;
    rc = sqlite3_step(statement);
    if (rc == SQLITE_ROW) value = sqlite3_column_int(statement, 0);
    const int end = sqlite3_finalize(statement);
    return rc == SQLITE_ROW ? SQLITE_OK : end;
}

int run(sqlite3* db, const std::string& sql) { return sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr); }

int migrate_in_transaction(sqlite3* db, std::span<const char* const> migrations) {
    int version = 0;
    if (const int rc = read_number(db, "PRAGMA user_version", version); rc != SQLITE_OK) return rc;
    const auto wanted = static_cast<int>(migrations.size());
    if (version >= wanted) return SQLITE_OK;
    for (int step = version; step < wanted; ++step) {
        if (const int rc = run(db, migrations[static_cast<std::size_t>(step)]); rc != SQLITE_OK) return rc;
    }
    return run(db, fmt::format("PRAGMA application_id={};PRAGMA user_version={}", state_application_id, wanted));
}

}  // namespace

std::span<const char* const> state_migrations() { return migration_list; }

int read_schema_facts(sqlite3* db, SchemaFacts& facts) {
    // Both are set in one transaction, so a version that is read after our id belongs to it.
    int id = 0;
    if (const int rc = read_number(db, "PRAGMA application_id", id); rc != SQLITE_OK) return rc;
    facts.ours = id == state_application_id;
    if (facts.ours) return read_number(db, "PRAGMA user_version", facts.version);

    // Not ours, or not ours yet: another process may be creating it, so all is read from one snapshot.
    if (const int rc = run(db, "BEGIN"); rc != SQLITE_OK) return rc;
    int tables = 0;
    int rc = read_number(db, "SELECT count(*) FROM sqlite_schema", tables);
    if (rc == SQLITE_OK) rc = read_number(db, "PRAGMA application_id", id);
    if (rc == SQLITE_OK) rc = read_number(db, "PRAGMA user_version", facts.version);
    run(db, "COMMIT");
    facts.ours = id == state_application_id;
    facts.empty = tables == 0;
    return rc;
}

int migrate_schema(sqlite3* db, std::span<const char* const> migrations) {
    begin_fresh_time_slice();
    if (const int rc = run(db, "BEGIN IMMEDIATE"); rc != SQLITE_OK) return rc;
    int rc = migrate_in_transaction(db, migrations);
    if (rc == SQLITE_OK) rc = run(db, "COMMIT");
    // SQLite has rolled back by itself after some errors; then this one has nothing to do.
    if (rc != SQLITE_OK) run(db, "ROLLBACK");
    return rc;
}

}  // namespace s3tug::host
