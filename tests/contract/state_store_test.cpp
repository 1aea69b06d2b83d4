#include <doctest/doctest.h>

#include "contract/state_store_contract.h"
#include "host/memory_state_store.h"
#include "host/sqlite_state_store.h"
#include "support/sim_world.h"
#include "support/temp_folder.h"

namespace s3tug::test {

namespace {

/// The suite on one kind of store. One case for each promise, so that a failure names it. The one of the simulated
/// world keeps what the engine relies on: it has no dates, no bounds and no end.
void run_records_contract(const StateStoreContract::Make& make) {
    SUBCASE("records are kept, replaced and erased") { StateStoreContract(make).keeps_and_erases(); }
    SUBCASE("a step without an answer changes nothing") { StateStoreContract(make).leaves_alone(); }
    SUBCASE("keys and values are bytes") { StateStoreContract(make).takes_any_bytes(); }
    SUBCASE("tables do not see each other") { StateStoreContract(make).parts_tables(); }
}

void run_contract(const StateStoreContract::Make& make) {
    run_records_contract(make);
    SUBCASE("lists are in order of keys and dated by the clock") {
        StateStoreContract(make).lists_in_order_with_dates();
    }
    SUBCASE("a full table loses rows of the future, then the oldest") { StateStoreContract(make).bounds_rows(); }
    SUBCASE("old idempotency keys are forgotten") { StateStoreContract(make).forgets_what_is_old(); }
}

}  // namespace

TEST_SUITE("contract/state_store") {
    TEST_CASE("memory") {
        run_contract([](ManualClock& clock) { return std::make_unique<host::MemoryStateStore>(clock); });
        ManualClock clock;
        CHECK(host::MemoryStateStore(clock).healthy().error().kind == ErrorKind::state_file);
    }

    TEST_CASE("simulated") {
        run_records_contract([](ManualClock&) { return std::make_unique<sim::SimState>(); });
        sim::SimState state;
        CHECK(state.healthy().ok());
        state.broken = true;
        CHECK(state.healthy().error().kind == ErrorKind::state_file);
        CHECK_FALSE(state.update(port::Table::run, "k", [](const auto&) { return std::optional<std::string>("v"); }));
        CHECK(state.read(port::Table::run, "k") == "v");  // in this process's own memory
    }

    TEST_CASE("SQLite") {
        const TempFolder folder;
        const auto make = [&](ManualClock& clock) {
            host::SqliteStateStoreOptions options;
            options.place.explicit_file = folder.path("state.db");
            options.warn = [](const std::string& text) { FAIL_CHECK("warned: " << text); };
            return std::make_unique<host::SqliteStateStore>(std::move(options), clock);
        };
        run_contract(make);
        ManualClock clock;
        CHECK(make(clock)->healthy().ok());
    }
}

}  // namespace s3tug::test
