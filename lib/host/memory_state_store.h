#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "host/state_schema.h"
#include "port/clock.h"
#include "port/state_store.h"

namespace s3tug::host {

/// State that ends with the process: for --no-state, as the memory behind a file that does not work, and in tests.
/// Bounded like the file (host/state_schema.h, table_bounds): the oldest rows go. Used by one thread.
class MemoryStateStore final : public port::StateStore {
  public:
    /// `clock` dates the entries; outlives the store.
    explicit MemoryStateStore(port::Clock& clock) : clock_(clock) {}

    [[nodiscard]] std::optional<std::string> read(port::Table table, std::string_view key) override;
    /// Always true: to this store memory is all there is.
    bool update(port::Table table, std::string_view key, const Step& step) override;
    [[nodiscard]] std::vector<port::StateEntry> list(port::Table table) override;
    bool erase_all(port::Table table) override;

    /// Always an error: an idempotency key would be forgotten at the end.
    [[nodiscard]] Status healthy() override;

  private:
    struct Row {
        std::string value;
        WallTime updated{};
    };
    using Rows = std::map<std::string, Row, std::less<>>;

    void prune(Rows& rows, const TableBounds& bounds, Rows::const_iterator keep);

    port::Clock& clock_;
    std::array<Rows, all_tables.size()> tables_;
};

}  // namespace s3tug::host
