#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/limits.h"
#include "base/time.h"
#include "port/state_store.h"

struct sqlite3;

namespace s3tug::host {

/// Schema of the state file. One table per port::Table: `key TEXT PRIMARY KEY, value TEXT, updated_ms INTEGER`, with
/// records as text (base/record.h), so that a person can read it with sqlite3(1).

inline constexpr std::array all_tables = {port::Table::breaker,     port::Table::idempotency, port::Table::upload,
                                          port::Table::upload_part, port::Table::download,    port::Table::endpoint,
                                          port::Table::bucket,      port::Table::run};
[[nodiscard]] constexpr std::size_t index_of(port::Table table) { return static_cast<std::size_t>(table); }
static_assert(index_of(all_tables.back()) + 1 == all_tables.size());

/// What a table may hold. Rows beyond it go at writes, a bounded number at a time: first those dated in the future (a
/// clock was set back), then the oldest; never the one just written.
struct TableBounds {
    std::size_t rows_max;
    Duration keep;        ///< untouched for longer = removed; zero = no such bound
    unsigned look_every;  ///< new rows between two looks; the first new row of a process always looks
};
[[nodiscard]] constexpr TableBounds table_bounds(port::Table table) {
    switch (table) {
        case port::Table::breaker: return {limits::breaker_keys_max, limits::state_breaker_idle, 1};
        case port::Table::idempotency:
            return {limits::state_idempotency_max, limits::idempotency_keep_max, limits::state_prune_every};
        case port::Table::endpoint:
        case port::Table::bucket:
        case port::Table::run: return {limits::state_facts_max, Duration::zero(), 1};
        case port::Table::upload:
        case port::Table::upload_part:
        case port::Table::download: break;
    }
    return {limits::state_rows_max, Duration::zero(), limits::state_prune_every};
}

/// PRAGMA application_id: "s3tg". Tells our file from another program's database.
inline constexpr int32_t state_application_id = 0x73337467;

/// Element i brings PRAGMA user_version from i to i + 1. Versions that were released never change.
[[nodiscard]] std::span<const char* const> state_migrations();
[[nodiscard]] inline int state_schema_version() { return static_cast<int>(state_migrations().size()); }

struct SchemaFacts {
    int version = 0;
    bool ours = false;   ///< has our application id
    bool empty = false;  ///< has no table at all; looked at only when not ours
};
/// Result codes of SQLite.
[[nodiscard]] int read_schema_facts(sqlite3* db, SchemaFacts& facts);

/// Brings the schema up to `migrations.size()` in one transaction; does nothing when another process has done it
/// meanwhile. A newer schema is left alone.
[[nodiscard]] int migrate_schema(sqlite3* db, std::span<const char* const> migrations);

}  // namespace s3tug::host
