#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>

#include "base/limits.h"
#include "port/state_store.h"
#include "support/manual_clock.h"

namespace s3tug::test {

/// What every port::StateStore does. `make` gives a new, empty store that dates its rows by the clock handed in.
class StateStoreContract {
  public:
    using Make = std::function<std::unique_ptr<port::StateStore>(ManualClock& clock)>;
    explicit StateStoreContract(const Make& make) : store_(make(clock_)) {}

    void keeps_and_erases() {
        CHECK(store_->read(port::Table::breaker, "k") == std::nullopt);
        CHECK(put("k", "first"));
        CHECK(store_->read(port::Table::breaker, "k") == "first");
        std::optional<std::string> seen;
        CHECK(store_->update(port::Table::breaker, "k", [&](const auto& present) {
            seen = present;
            return std::optional<std::string>("second");
        }));
        CHECK(seen == "first");
        CHECK(store_->read(port::Table::breaker, "k") == "second");
        CHECK(put("k", ""));
        CHECK(store_->read(port::Table::breaker, "k") == std::nullopt);
        CHECK(store_->list(port::Table::breaker).empty());
        CHECK(put("k", ""));  // erasing nothing is fine
    }

    void leaves_alone() {
        const auto leave = [](const auto&) { return std::optional<std::string>(); };
        CHECK(store_->update(port::Table::endpoint, "absent", leave));
        CHECK(store_->list(port::Table::endpoint).empty());
        CHECK(put("k", "v", port::Table::endpoint));
        const auto before = store_->list(port::Table::endpoint);
        clock_.advance(seconds(10));
        CHECK(store_->update(port::Table::endpoint, "k", leave));
        CHECK(put("k", "v", port::Table::endpoint));  // the same again is no change either
        const auto after = store_->list(port::Table::endpoint);
        REQUIRE(after.size() == 1);
        CHECK(after.front().value == "v");
        CHECK(after.front().updated == before.front().updated);
    }

    void takes_any_bytes() {
        const std::string all = [] {
            std::string bytes;
            for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
            return bytes;
        }();
        for (const std::string& key : {std::string("it's; DROP TABLE breaker --"), std::string("a\0b", 3),
                                       std::string("a\0c", 3), std::string("\xff\xfe"), std::string("ключ"), all}) {
            CAPTURE(key);
            CHECK(put(key, key + "=" + all));
            CHECK(store_->read(port::Table::breaker, key) == key + "=" + all);
        }
        CHECK(store_->list(port::Table::breaker).size() == 6);
        CHECK(store_->read(port::Table::breaker, "a") == std::nullopt);
        const std::string large(limits::state_value_max_bytes, 'x');
        CHECK(put("large", large));
        CHECK(store_->read(port::Table::breaker, "large") == large);
    }

    void parts_tables() {
        for (std::size_t i = 0; i < tables_.size(); ++i) CHECK(put("k", std::to_string(i + 1), tables_[i]));
        for (std::size_t i = 0; i < tables_.size(); ++i) CHECK(store_->read(tables_[i], "k") == std::to_string(i + 1));
        CHECK(store_->erase_all(port::Table::upload));
        for (const port::Table table : tables_) {
            CHECK(store_->list(table).size() == (table == port::Table::upload ? 0 : 1));
        }
        CHECK(store_->erase_all(port::Table::upload));
    }

    void lists_in_order_with_dates() {
        CHECK(put("b", "1"));
        clock_.advance(milliseconds(1500));
        CHECK(put("a", "2"));
        const auto entries = store_->list(port::Table::breaker);
        REQUIRE(entries.size() == 2);
        CHECK(entries[0].key == "a");
        CHECK(entries[0].value == "2");
        CHECK(entries[0].updated == clock_.wall());
        CHECK(entries[1].key == "b");
        CHECK(entries[1].updated == clock_.wall() - milliseconds(1500));
    }

    void bounds_rows() {
        for (std::size_t i = 0; i < limits::breaker_keys_max + 5; ++i) {
            clock_.advance(milliseconds(1));
            CHECK(put(fmt::format("host-{:05}", i), "v"));
        }
        CHECK(store_->list(port::Table::breaker).size() == limits::breaker_keys_max);
        CHECK(store_->read(port::Table::breaker, "host-00004") == std::nullopt);  // the oldest have gone
        CHECK(store_->read(port::Table::breaker, "host-00005") == "v");

        clock_.step_wall(-hours(24));  // now all rows lie in the future
        CHECK(put("new-1", "v"));
        clock_.advance(milliseconds(1));
        CHECK(put("new-2", "v"));
        CHECK(store_->list(port::Table::breaker).size() == limits::breaker_keys_max);
        CHECK(store_->read(port::Table::breaker, "new-1") == "v");
        CHECK(store_->read(port::Table::breaker, "new-2") == "v");
    }

    void forgets_what_is_old() {
        CHECK(put("old", "v", port::Table::idempotency));
        CHECK(put("bucket", "r", port::Table::bucket));
        clock_.advance(limits::idempotency_keep_max - seconds(1));
        CHECK(put("young", "v", port::Table::idempotency));
        CHECK(store_->read(port::Table::idempotency, "old") == "v");
        clock_.advance(seconds(2));
        remake_new_row_counter();
        CHECK(put("new", "v", port::Table::idempotency));
        CHECK(store_->read(port::Table::idempotency, "old") == std::nullopt);
        CHECK(store_->read(port::Table::idempotency, "young") == "v");
        CHECK(store_->read(port::Table::bucket, "bucket") == "r");  // has no such bound
    }

  private:
    bool put(const std::string& key, const std::string& value, port::Table table = port::Table::breaker) {
        return store_->update(table, key, [&](const auto&) { return std::optional(value); });
    }
    /// A process looks for old rows at its first new one, then at every state_prune_every-th.
    void remake_new_row_counter() {
        for (unsigned i = 2; i < limits::state_prune_every; ++i)
            CHECK(put(fmt::format("f{}", i), "v", port::Table::idempotency));
        for (unsigned i = 2; i < limits::state_prune_every; ++i)
            CHECK(put(fmt::format("f{}", i), "", port::Table::idempotency));
    }

    static constexpr std::array tables_ = {port::Table::breaker,     port::Table::idempotency, port::Table::upload,
                                           port::Table::upload_part, port::Table::download,    port::Table::endpoint,
                                           port::Table::bucket,      port::Table::run};
    ManualClock clock_;
    std::unique_ptr<port::StateStore> store_;
};

}  // namespace s3tug::test
