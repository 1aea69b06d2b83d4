#include "host/state_schema.h"

#include <doctest/doctest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <array>
#include <set>

#include "host/sqlite_state_store.h"
#include "support/manual_clock.h"
#include "support/temp_folder.h"

namespace s3tug::host {

namespace {

/// A database opened with SQLite alone.
class Raw {
  public:
    explicit Raw(const std::string& path) {
        REQUIRE(sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) == SQLITE_OK);
    }
    Raw(const Raw&) = delete;
    Raw& operator=(const Raw&) = delete;
    ~Raw() { sqlite3_close(db_); }
    [[nodiscard]] sqlite3* db() const { return db_; }

    /// First column of all rows, each followed by a bar.
    std::string run(const std::string& sql) {
        std::string out;
        const int rc = sqlite3_exec(
            db_, sql.c_str(),
            [](void* to, int, char** columns, char**) {
                *static_cast<std::string*>(to) += std::string(columns[0] == nullptr ? "" : columns[0]) + "|";
                return 0;
            },
            &out, nullptr);
        CAPTURE(sql);
        CHECK(rc == SQLITE_OK);
        return out;
    }

  private:
    sqlite3* db_ = nullptr;
};

}  // namespace

TEST_SUITE("host/state_schema") {
    TEST_CASE("an empty file becomes version 1 with a table for each port::Table, in WAL mode") {
        const test::TempFolder folder;
        test::ManualClock clock;
        folder.write("state.db", "");
        ::chmod(folder.path("state.db").c_str(), 0600);
        SqliteStateStoreOptions options;
        options.place.explicit_file = folder.path("state.db");
        SqliteStateStore(options, clock).update(port::Table::run, "k", [](const auto&) { return "v"; });
        Raw raw(folder.path("state.db"));
        CHECK(raw.run("PRAGMA user_version") == "1|");
        CHECK(raw.run("PRAGMA application_id") == "1932751975|");  // 0x73337467
        CHECK(raw.run("PRAGMA journal_mode") == "wal|");
        CHECK(raw.run("SELECT name FROM sqlite_schema ORDER BY name") ==
              "breaker|bucket|download|endpoint|idempotency|run|upload|upload_part|");
        CHECK(raw.run("SELECT value FROM run WHERE key='k'") == "v|");
    }

    TEST_CASE("a hand-made file of version 1 is read and written as it is") {
        const test::TempFolder folder;
        test::ManualClock clock;
        {
            Raw raw(folder.path("state.db"));
            for (const port::Table table : all_tables) {
                raw.run(
                    "CREATE TABLE " + std::string(port::to_string(table)) +
                    " (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL, updated_ms INTEGER NOT NULL) WITHOUT ROWID");
            }
            raw.run("INSERT INTO breaker VALUES('https://h:443','state=closed',1795953600000)");
            raw.run("PRAGMA application_id=1932751975; PRAGMA user_version=1");
        }
        ::chmod(folder.path("state.db").c_str(), 0600);
        SqliteStateStoreOptions options;
        options.place.explicit_file = folder.path("state.db");
        options.warn = [](const std::string& text) { FAIL_CHECK("warned: " << text); };
        SqliteStateStore store(options, clock);
        CHECK(store.read(port::Table::breaker, "https://h:443") == "state=closed");
        CHECK(store.list(port::Table::breaker).front().updated == clock.wall());
        CHECK(store.update(port::Table::breaker, "https://h:443", [](const auto&) { return "state=open"; }));
        CHECK(Raw(folder.path("state.db")).run("SELECT value FROM breaker") == "state=open|");
    }

    TEST_CASE("migrations run from the version found to the last, each once, and keep what is there") {
        const test::TempFolder folder;
        Raw raw(folder.path("db"));
        const std::array first = {"CREATE TABLE t(a); INSERT INTO t VALUES('kept')"};
        const std::array all = {first[0], "ALTER TABLE t ADD COLUMN b DEFAULT 'new'",
                                "INSERT INTO t VALUES('third','x')"};
        CHECK(migrate_schema(raw.db(), first) == SQLITE_OK);
        CHECK(raw.run("PRAGMA user_version") == "1|");
        CHECK(migrate_schema(raw.db(), all) == SQLITE_OK);
        CHECK(raw.run("PRAGMA user_version") == "3|");
        CHECK(raw.run("SELECT a||'-'||b FROM t ORDER BY a") == "kept-new|third-x|");
        CHECK(migrate_schema(raw.db(), all) == SQLITE_OK);    // nothing to do
        CHECK(migrate_schema(raw.db(), first) == SQLITE_OK);  // a newer file is left alone
        CHECK(raw.run("PRAGMA user_version") == "3|");
        CHECK(raw.run("SELECT count(*) FROM t") == "2|");
    }

    TEST_CASE("a migration that fails leaves the file as it was") {
        const test::TempFolder folder;
        Raw raw(folder.path("db"));
        const std::array broken = {"CREATE TABLE t(a)", "CREATE TABLE u(a); INSERT INTO nowhere VALUES(1)"};
        CHECK(migrate_schema(raw.db(), broken) != SQLITE_OK);
        CHECK(raw.run("PRAGMA user_version") == "0|");
        CHECK(raw.run("SELECT name FROM sqlite_schema") == "");
        CHECK(sqlite3_get_autocommit(raw.db()) != 0);
    }

    TEST_CASE("facts tell ours, an empty file and another program's apart") {
        const test::TempFolder folder;
        struct Row {
            const char* sql;
            bool ours, empty;
            int version;
        };
        int i = 0;
        for (const Row row : {Row{"", false, true, 0}, Row{"CREATE TABLE x(y)", false, false, 0},
                              Row{"PRAGMA user_version=1", false, true, 1},
                              Row{"PRAGMA application_id=1932751975; PRAGMA user_version=7", true, false, 7}}) {
            CAPTURE(row.sql);
            Raw raw(folder.path(std::to_string(i++)));
            raw.run(row.sql);
            SchemaFacts facts;
            REQUIRE(read_schema_facts(raw.db(), facts) == SQLITE_OK);
            CHECK(facts.ours == row.ours);
            CHECK(facts.empty == row.empty);
            CHECK(facts.version == row.version);
        }
    }

    TEST_CASE("every table has bounds") {
        for (const port::Table table : all_tables) {
            CHECK(table_bounds(table).rows_max > 0);
            CHECK(table_bounds(table).look_every > 0);
        }
        CHECK(std::set<port::Table>(all_tables.begin(), all_tables.end()).size() == all_tables.size());
    }
}

}  // namespace s3tug::host
