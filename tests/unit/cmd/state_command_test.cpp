#include "cmd/state_command.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/record.h"
#include "base/text.h"
#include "host/memory_state_store.h"
#include "policy/idempotency.h"
#include "support/manual_clock.h"
#include "unit/cmd/captured_output.h"

namespace s3tug::cmd {

namespace {

using Words = std::vector<std::string>;
using port::Table;

struct World {
    test::ManualClock clock;
    host::MemoryStateStore store{clock};
    host::StateDescription file;
    Settings settings;
    CapturedOutput output;

    World() {
        file.path = "/s/state.db";
        file.exists = true;
        file.bytes = 32768;
    }

    void put(Table table, std::string_view key, std::string value) {
        store.update(table, key, [&value](const auto&) { return value; });
    }

    void add_open_breaker() {
        policy::BreakerRecord record;
        record.state = policy::BreakerState::open;
        record.failures = 5;
        record.changed_at = clock.now() - seconds(18);
        record.changed_wall = clock.wall() - seconds(18);
        record.last_failure_at = record.changed_at;
        record.last_failure_wall = record.changed_wall;
        record.boot_id = "boot";
        record.last_error = "503 SlowDown";
        put(Table::breaker, "http://127.0.0.1:9000", policy::encode(record));
    }

    Status run(const Words& operands) {
        policy::BreakerNow now;
        now.now = clock.now();
        now.wall = clock.wall();
        now.boot_id = "boot";
        return run_state_command(operands, settings, file, store, now, output);
    }
};

}  // namespace

TEST_SUITE("cmd/state_command") {
    TEST_CASE("show says where the file is, which breakers are open and until when") {
        World world;
        world.add_open_breaker();
        REQUIRE(world.run({"show"}).ok());
        REQUIRE(world.output.data_lines.size() == 2);
        CHECK(world.output.data_lines[0] == "file /s/state.db, 32.0 KiB");
        const std::string& line = world.output.data_lines[1];
        CAPTURE(line);
        CHECK(line.starts_with("breaker http://127.0.0.1:9000 state=open since=2026-11-29T11:59:42.000Z trials_in=12"));
        CHECK(line.ends_with("failures=5 last_error=503 SlowDown"));
        CHECK(world.output.talk_lines.empty());
    }

    TEST_CASE("a breaker that trials opened again tells the rounds, not a count of none") {
        World world;
        policy::BreakerRecord record;
        record.state = policy::BreakerState::open;
        record.failed_rounds = 2;
        record.boot_id = "boot";
        world.put(Table::breaker, "http://127.0.0.1:9000", policy::encode(record));
        REQUIRE(world.run({"show"}).ok());
        const std::string& line = world.output.data_lines.at(1);
        CAPTURE(line);
        CHECK(line.find("failures=") == std::string::npos);
        CHECK(line.ends_with("failed_rounds=2"));
    }

    TEST_CASE("show --json gives one object per record") {
        World world;
        world.settings.output.json = true;
        world.add_open_breaker();
        policy::KeyRecord done;
        done.fingerprint = "f";
        done.done = true;
        done.finished = wall_from_unix_seconds(1'796'040'000);
        world.put(Table::idempotency, "nightly", policy::encode(done));
        done.keep = hours(48);
        world.put(Table::idempotency, "weekly", policy::encode(done));
        world.put(Table::bucket, "bucket", "eu-central-1");
        REQUIRE(world.run({"show"}).ok());
        REQUIRE(world.output.data_lines.size() == 5);
        const auto parse = [&](std::size_t i) { return nlohmann::json::parse(world.output.data_lines.at(i)); };
        CHECK(parse(0)["path"] == "/s/state.db");
        CHECK(parse(0)["trouble"].is_null());
        CHECK(parse(1)["table"] == "breaker");
        CHECK(parse(1)["state"] == "open");
        CHECK(parse(1)["trials_in_ms"] == 12000);
        CHECK(parse(2)["key"] == "nightly");
        CHECK(parse(2)["state"] == "done");
        CHECK(parse(2)["since"] == format_utc(done.finished));
        CHECK(parse(2)["kept_until"] == format_utc(done.finished + hours(1)));
        CHECK(parse(3)["kept_until"] == format_utc(done.finished + hours(48)));
        CHECK(parse(4)["record"] == "eu-central-1");
    }

    TEST_CASE("what was learned about a store is shown by name, and a breaker that never changed has no date") {
        World world;
        policy::BreakerRecord counted;
        counted.failures = 2;
        world.put(Table::breaker, "http://127.0.0.1:9000", policy::encode(counted));
        RecordWriter pace;
        pace.number("at_unix_ms", 1'796'000'000'123).number("concurrency", 4).number("interval_us", 40'000);
        RecordWriter endpoint;
        endpoint.number("clock_offset_ms", -90'000)
            .number("refuses_checksums", 1)
            .number("wants_bare_etags", 1)
            .number("ignores_expect", 1)
            .text("pace", pace.take());
        world.put(Table::endpoint, "http://127.0.0.1:9000", endpoint.take());
        REQUIRE(world.run({"show"}).ok());
        CHECK(world.output.data_lines.at(1) == "breaker http://127.0.0.1:9000 state=closed failures=2");
        CHECK(world.output.data_lines.at(2).starts_with(
            "endpoint http://127.0.0.1:9000 clock_offset=-1m30s "
            "refuses_checksums=true wants_bare_etags=true ignores_expect=true "
            "concurrency=4 interval=40ms throttled=2026-11-30T00:53:20.123Z updated="));
    }

    TEST_CASE("records that cannot be read are shown as such") {
        World world;
        world.put(Table::breaker, "x", "garbage");
        world.put(Table::idempotency, "y\n\x1b", "garbage");
        REQUIRE(world.run({"show"}).ok());
        CHECK(world.output.data_lines.at(1) == "breaker x state=unreadable");
        CHECK(world.output.data_lines.at(2).find('\x1b') == std::string::npos);
    }

    TEST_CASE("a file that is not there yet or does not work is told, not an error") {
        World world;
        world.file.exists = false;
        REQUIRE(world.run({"show"}).ok());
        CHECK(world.output.data_lines == Words{"file /s/state.db, not there yet"});
        world.output.data_lines.clear();
        world.file.exists = true;
        world.file.trouble = "newer schema";
        world.file.refused = {"/x: not a folder"};
        REQUIRE(world.run({"show"}).ok());
        CHECK(world.output.data_lines ==
              Words{"file /s/state.db, 32.0 KiB, does not work: newer schema", "passed over /x: not a folder"});
    }

    TEST_CASE("reset forgets what is named and nothing else") {
        World world;
        world.add_open_breaker();
        world.put(Table::bucket, "bucket", "eu-central-1");
        world.put(Table::upload_part, "p", "1");
        REQUIRE(world.run({"reset", "breaker", "upload"}).ok());
        CHECK(world.store.list(Table::breaker).empty());
        CHECK(world.store.list(Table::upload_part).empty());
        CHECK(world.store.list(Table::bucket).size() == 1);
        REQUIRE(world.run({"reset", "all"}).ok());
        CHECK(world.store.list(Table::bucket).empty());
        CHECK(world.output.data_lines.empty());
    }

    TEST_CASE("other words are refused and forget nothing") {
        World world;
        world.add_open_breaker();
        for (const Words& operands :
             {Words{}, Words{"list"}, Words{"show", "x"}, Words{"reset"}, Words{"reset", "breakers"},
              Words{"reset", "breaker", "x"}, Words{"reset", "upload_part"}}) {
            const Status status = world.run(operands);
            REQUIRE_FALSE(status.ok());
            CHECK(status.error().kind == ErrorKind::usage);
        }
        CHECK(world.store.list(Table::breaker).size() == 1);
    }
}

}  // namespace s3tug::cmd
