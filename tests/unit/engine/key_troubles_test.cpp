#include <doctest/doctest.h>

#include "base/record.h"
#include "engine/endpoint_memory.h"
#include "engine/key_guard.h"
#include "policy/idempotency.h"
#include "unit/engine/upload_world.h"

/// What the state file says of keys and endpoints, when somebody else or a damage has changed it.
namespace s3tug::sim {
namespace {

std::optional<std::string> key_row(World& world) { return world.state.read(port::Table::idempotency, "job"); }

struct KeyWorld : World {
    KeyWorld() { files.files["/f"].bytes = "bytes"; }
};

}  // namespace

TEST_SUITE("engine/key troubles") {
    TEST_CASE("a kept result that cannot be read is a state file to be looked at, not a success and not a second put") {
        for (const std::string result : {"", "no record", "size=-1\n", "etag=e\n"}) {
            CAPTURE(result);
            KeyWorld world;
            REQUIRE(world.run(keyed(put_of("/f", "k"))).ok());
            policy::KeyRecord record = policy::decode_key_record(*key_row(world)).value();
            record.result = result;
            world.state.records[{port::Table::idempotency, "job"}] = policy::encode(record);
            const engine::Outcome again = world.run(keyed(put_of("/f", "k")));
            REQUIRE(!again.ok());
            CHECK(again.error->kind == ErrorKind::state_file);
            CHECK(world.network.seen.size() == 1);
        }
    }

    TEST_CASE("metadata and headers belong to what a key stands for") {
        KeyWorld world;
        engine::Transfer item = keyed(put_of("/f", "k"));
        item.properties.metadata.push_back({"color", "red"});
        item.properties.extra.push_back({"x-amz-acl", "private"});
        REQUIRE(world.run(item).ok());
        CHECK(world.run(item).cached);
        engine::Transfer other = item;
        other.properties.metadata[0].value = "blue";
        CHECK(world.run(other).error->kind == ErrorKind::key_reused);
        other = item;
        other.properties.extra[0].value = "public-read";
        CHECK(world.run(other).error->kind == ErrorKind::key_reused);
        other = item;
        // Lengths keep fields apart: what moves from a name to its value is another request.
        other.properties.metadata[0] = {"colorr", "ed"};
        CHECK(world.run(other).error->kind == ErrorKind::key_reused);
    }

    TEST_CASE("a key that another process has taken meanwhile is neither kept nor released by this one") {
        struct Row {
            const char* what;
            bool gone;
            bool fails;
        };
        for (const Row& row : {Row{"gone", true, false}, Row{"gone", true, true}, Row{"another's", false, false},
                               Row{"another's", false, true}}) {
            CAPTURE(row.what);
            CAPTURE(row.fails);
            KeyWorld world;
            std::string theirs;
            world.network.weather = [&](std::size_t, const SeenRequest&) {
                const std::pair<port::Table, std::string> key{port::Table::idempotency, "job"};
                if (row.gone) {
                    world.state.records.erase(key);
                } else {
                    policy::KeyRecord record = policy::decode_key_record(world.state.records.at(key)).value();
                    record.fingerprint = "another use";
                    record.write_token = "theirs";
                    world.state.records[key] = theirs = policy::encode(record);
                }
                return row.fails ? status(403, "AccessDenied") : Fate{};
            };
            CHECK(world.run(keyed(put_of("/f", "k"))).ok() != row.fails);
            CHECK(key_row(world).value_or("") == theirs);
        }
    }

    TEST_CASE("an upload is gone on with under a key only where the key can be given the token of that upload") {
        enum class Trouble : uint8_t { none, gone, damaged, anothers, unwritable };
        for (const Trouble trouble :
             {Trouble::none, Trouble::gone, Trouble::damaged, Trouble::anothers, Trouble::unwritable}) {
            CAPTURE(static_cast<int>(trouble));
            Begun world;
            // The third change of the state is that of the token: the key was claimed, then the upload taken over.
            std::size_t updates = 0;
            world.state.on_update = [&world, &updates, trouble] {
                if (++updates != 3) return;
                std::string& row = world.state.records.at({port::Table::idempotency, "job"});
                if (trouble == Trouble::unwritable) world.state.broken = true;
                if (trouble == Trouble::damaged) row = "no record";
                if (trouble == Trouble::gone) world.state.records.erase({port::Table::idempotency, "job"});
                if (trouble != Trouble::anothers) return;
                policy::KeyRecord record = policy::decode_key_record(row).value();
                record.owner.pid = 77;
                row = policy::encode(record);
            };
            const engine::Outcome outcome = world.run(keyed(put_of("/f", "k")));
            REQUIRE(outcome.ok() == (trouble == Trouble::none));
            CHECK(world.right() == outcome.ok());
            if (outcome.ok()) continue;
            CHECK(outcome.error->kind == ErrorKind::state_file);
            CHECK(says(outcome, "the idempotency key could not be recorded for the upload"));
            CHECK(world.network.count(wire::Op::complete_multipart_upload) == 0);
        }
    }

    TEST_CASE("a move of a file that is gone, whose key another process took back meanwhile, ends as not found") {
        FileWorld world;
        engine::Transfer item = keyed(move_of(put_of("/f", "k")));
        world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::hang); };
        CHECK(!world.run_killed_at(2, item));
        world.processes.dead.push_back(world.processes.me.pid++);
        world.files.files.erase("/f");
        world.network.seen.clear();
        world.state.on_update = [&world] { world.state.records.erase({port::Table::idempotency, "job"}); };
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::not_found);
        CHECK(world.network.seen.empty());
        CHECK(!key_row(world));
    }
}

TEST_SUITE("engine/endpoint memory") {
    wire::Endpoint aws() { return wire::aws_endpoint("us-east-1", wire::Addressing::automatic).value(); }

    TEST_CASE("the region of a bucket on AWS is remembered for later processes, and checked before it is believed") {
        World world;
        {
            engine::EndpointMemory memory(aws(), world.state, world.clock);
            CHECK(memory.endpoint_for("b").region == "us-east-1");
            memory.learn_region("b", "eu-west-1");
            CHECK(memory.endpoint_for("b").region == "eu-west-1");
        }
        {
            engine::EndpointMemory memory(aws(), world.state, world.clock);
            CHECK(memory.endpoint_for("b").region == "eu-west-1");
            CHECK(memory.endpoint_for("b").host.find("eu-west-1") != std::string::npos);
            CHECK(memory.endpoint_for("other").region == "us-east-1");
        }
        for (const char* damaged : {"", "eu west 1", "evil.example/", "-"}) {
            CAPTURE(damaged);
            world.state.records[{port::Table::bucket, "b"}] = damaged;
            engine::EndpointMemory memory(aws(), world.state, world.clock);
            CHECK(memory.endpoint_for("b").region == "us-east-1");
        }
    }

    TEST_CASE("the region that a store of one's own named is for this run: another process may mean another store") {
        World world;
        engine::EndpointMemory memory(world.config.endpoint, world.state, world.clock);
        memory.learn_region("b", "eu-west-1");
        CHECK(memory.endpoint_for("b").region == "eu-west-1");
        CHECK(memory.endpoint_for("b").host == world.config.endpoint.host);
        CHECK(world.state.records.empty());
    }

    TEST_CASE("a record that cannot be read is an empty one") {
        World world;
        world.state.records[{port::Table::endpoint, wire::origin(world.config.endpoint)}] = "no record at all";
        world.files.files["/f"].bytes = "bytes";
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.seen.size() == 1);
    }

    TEST_CASE("learning again what is known writes nothing") {
        World world;
        engine::EndpointMemory memory(world.config.endpoint, world.state, world.clock);
        memory.learn_bare_etags(true);
        const std::size_t writes = world.state.writes;
        memory.learn_bare_etags(true);
        CHECK(world.state.writes == writes);
        memory.learn_bare_etags(false);
        CHECK(world.state.writes == writes + 1);
    }
}

}  // namespace s3tug::sim
