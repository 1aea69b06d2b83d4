#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "host/memory_state_store.h"
#include "host/state_database.h"
#include "host/state_place.h"
#include "port/clock.h"
#include "port/state_store.h"

namespace s3tug::host {

struct SqliteStateStoreOptions {
    StatePlaceRequest place;
    std::function<void(std::string)> warn;  ///< once per process: the first trouble; empty = nobody hears
    std::function<void(std::string)> note;  ///< places passed over, the file in use, later troubles; empty = nobody
    Duration lock_wait = limits::state_lock_wait;
    uint64_t seed = 1;  ///< of the jitter of lock waits
};

/// For `s3tug state show`.
struct StateDescription {
    std::string path;  ///< empty: no place works
    bool exists = false;
    uint64_t bytes = 0;                ///< file and log
    int schema_version = 0;            ///< 0 = empty or not there
    std::string trouble;               ///< why it does not work; empty = it does
    std::vector<std::string> refused;  ///< places passed over, with the reason
};

/// The state file (design section 5): records that survive the process and are shared by all processes of the user on
/// this machine. Nothing is touched before the first call; reading never creates the file.
///
/// Trouble never fails a transfer. Told once; then:
/// - locked longer than `lock_wait`: this one update goes to the memory of the process, and later ones try
///   without waiting until one succeeds, so that a held lock costs one wait per process;
/// - damaged: set aside as FILE.bad, and begun anew;
/// - newer schema, foreign database, no place, network file system: memory only, the file stays as it is;
/// - read-only, disk full, I/O error: memory for what is written from then on, the file for all else.
/// What memory holds for a key comes before the file until the file takes an update of that key.
/// Used by one thread; not kept over a fork. One store per file and process, as POSIX locks demand.
class SqliteStateStore final : public port::StateStore {
  public:
    /// `clock` dates the entries; outlives the store.
    SqliteStateStore(SqliteStateStoreOptions options, port::Clock& clock);

    [[nodiscard]] std::optional<std::string> read(port::Table table, std::string_view key) override;
    bool update(port::Table table, std::string_view key, const Step& step) override;
    [[nodiscard]] std::vector<port::StateEntry> list(port::Table table) override;
    bool erase_all(port::Table table) override;

    /// Opens for writing, which creates the file, and takes the lock once.
    [[nodiscard]] Status healthy() override;

    /// Can an explicit --state-file work? `state_file` error (exit 78) when not: no such folder, a link, somebody
    /// else's, another program's data, newer schema. Creates nothing. Always fine for the usual places.
    [[nodiscard]] Status check();

    /// Creates nothing.
    [[nodiscard]] StateDescription describe();

  private:
    enum class Use : uint8_t { reading, writing };

    /// The connection, opened if need be. False: trouble. Null: there is no file (reading).
    bool connect(Use use, StateDatabase*& database);
    StateTrouble open_database(Use use);
    bool choose_place(Use use);

    /// Deals with trouble. True: try again.
    bool recover(const StateTrouble& trouble, Use use);
    bool set_aside(const std::string& reason);
    void give_up(Use use, const std::string& reason);

    void begin_wait();
    void succeeded();
    void tell(const std::string& text);
    void note(const std::string& text) const;
    [[nodiscard]] std::string subject() const;

    [[nodiscard]] bool in_memory(port::Table table, std::string_view key) const;
    /// The present record. `known` = false: the file could not be asked this time.
    [[nodiscard]] std::optional<std::string> present(port::Table table, std::string_view key, bool& known);
    bool update_file(port::Table table, std::string_view key, const Step& step);
    void update_memory(port::Table table, std::string_view key, const Step& step);

    SqliteStateStoreOptions options_;
    port::Clock& clock_;
    LockPatience patience_;
    std::optional<StatePlace> place_;
    std::vector<std::string> refused_;
    FileId opened_;
    std::unique_ptr<StateDatabase> database_;

    std::string trouble_;         ///< the last one; empty = it works
    bool unreadable_ = false;     ///< for this process the file is not there
    bool unwritable_ = false;     ///< for this process it is read-only
    bool lock_was_held_ = false;  ///< do not wait again before an update has succeeded
    bool warned_ = false;

    MemoryStateStore memory_;
    std::set<std::pair<port::Table, std::string>, std::less<>> memory_keys_;  ///< for these memory is right
    std::array<bool, all_tables.size()> cleared_{};  ///< erase_all did not reach the file: its rows are not seen
};

}  // namespace s3tug::host
