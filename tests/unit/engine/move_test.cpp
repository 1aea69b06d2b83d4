#include <doctest/doctest.h>

#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

engine::Transfer move_of(engine::Transfer transfer) {
    transfer.then_delete_source = true;
    return transfer;
}

void stand(World& world) {
    world.files.files["/f"].bytes = "some bytes";
    REQUIRE(world.run(put_of("/f", "from")).ok());
    world.network.seen.clear();
    world.store.effects.clear();
}

/// As on a store that is known to keep the condition of a delete.
void honour_delete_conditions(World& world) { world.config.endpoint.host = "s3.eu-central-1.amazonaws.com"; }

bool says(const engine::Outcome& outcome, std::string_view word) {
    return !outcome.ok() && outcome.error->message.find(word) != std::string::npos;
}

}  // namespace

TEST_SUITE("engine/move") {
    TEST_CASE("a file is removed once its object stands, an object once its file or copy does") {
        World world;
        stand(world);
        CHECK(world.run(move_of(get_of("from", "/down"))).ok());
        CHECK(world.files.files.at("/down").bytes == "some bytes");
        CHECK(world.store.objects.empty());
        CHECK(world.run(move_of(put_of("/down", "up"))).ok());
        CHECK(!world.files.files.contains("/down"));
        CHECK(world.store.objects.at("b/up").bytes == "some bytes");
        const engine::Outcome copied = world.run(move_of(copy_of("up", "there")));
        CHECK(copied.ok());
        CHECK(copied.size == 10);
        CHECK(world.store.objects.size() == 1);
        CHECK(world.store.objects.at("b/there").bytes == "some bytes");
    }

    TEST_CASE("an object that is copied in parts is removed once its copy stands") {
        World world;
        stand(world);
        world.config.multipart.copy_threshold = 4;
        world.config.multipart.part_size = 4;
        CHECK(world.run(move_of(copy_of("from", "there"))).ok());
        CHECK(world.network.count(wire::Op::upload_part_copy) > 1);
        CHECK(world.store.objects.size() == 1);
        CHECK(world.store.objects.at("b/there").bytes == "some bytes");
    }

    TEST_CASE("a move under a key does not take a copy of another source for its own") {
        for (const bool parts : {false, true}) {
            CAPTURE(parts);
            World world;
            stand(world);
            if (parts) world.config.multipart.copy_threshold = world.config.multipart.part_size = 4;
            engine::Transfer item = move_of(copy_of("from", "there"));
            item.idempotency_key = "job";
            item.replace_metadata = true;
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                const bool deletes = seen.op == wire::Op::delete_object;
                return deletes ? fate(Fate::Kind::hang) : Fate{};
            };
            std::size_t poll = 2;
            for (; world.network.count(wire::Op::delete_object) == 0 && poll < 40; ++poll) {
                world.state.records.clear();
                (void)world.run_killed_at(poll, item);
                world.processes.dead.push_back(world.processes.me.pid++);
            }
            REQUIRE(world.store.objects.contains("b/there"));
            world.network.weather = {};
            world.files.files["/f"].bytes = "OTHER byte";
            CHECK(world.run(put_of("/f", "from")).ok());
            CHECK(world.run(item).ok());
            CHECK(world.store.objects.at("b/there").bytes == "OTHER byte");
            CHECK(!world.store.objects.contains("b/from"));
        }
    }

    TEST_CASE("a file that was moved under a key is not missed by a repeat, which gives the kept result") {
        World world;
        world.files.files["/f"].bytes = "some bytes";
        engine::Transfer item = move_of(put_of("/f", "to"));
        item.idempotency_key = "job";
        item.idempotency_keep = hours(1);
        REQUIRE(world.run(item).ok());
        REQUIRE(!world.files.files.contains("/f"));
        const std::size_t sent = world.network.seen.size();
        const engine::Outcome again = world.run(item);
        CHECK(again.ok());
        CHECK(again.cached);
        CHECK(again.size == 10);
        CHECK(world.network.seen.size() == sent);

        engine::Transfer other_target = item;
        other_target.target.key = "elsewhere";
        engine::Transfer other_key = item;
        other_key.idempotency_key = "another job";
        engine::Transfer put = item;
        put.then_delete_source = false;
        for (const engine::Transfer& missing : {other_target, other_key, put}) {
            const engine::Outcome outcome = world.run(missing);
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::not_found);
        }
        world.clock.passed += hours(1);
        CHECK(!world.run(item).ok());  // it is kept so long
        world.clock.passed -= hours(1);
        CHECK(world.network.seen.size() == sent);

        world.files.files["/f"].bytes = "other bytes";
        const engine::Outcome other_content = world.run(item);
        REQUIRE(!other_content.ok());
        CHECK(other_content.error->kind == ErrorKind::key_reused);
        CHECK(world.files.files.contains("/f"));
    }

    TEST_CASE("nothing is removed after a transfer that failed, was skipped or was only talked about") {
        for (const std::string_view why : {"denied", "skipped", "dry run", "error in 200"}) {
            CAPTURE(why);
            World world;
            stand(world);
            world.files.files["/down"].bytes = "mine";
            engine::Transfer copy = move_of(copy_of("from", "to"));
            engine::Transfer get = move_of(get_of("from", "/down"));
            engine::Transfer put = move_of(put_of("/f", "from"));
            if (why == "denied" || why == "error in 200") {
                world.network.weather = [why](std::size_t, const SeenRequest& seen) {
                    if (seen.op == wire::Op::head_object) return Fate{};
                    return why == "denied" ? status(403, "AccessDenied") : status(200, "AccessDenied");
                };
            }
            if (why == "dry run") copy.dry_run = get.dry_run = put.dry_run = true;
            if (why == "skipped") {
                REQUIRE(world.run(put_of("/f", "to")).ok());
                copy.no_clobber = get.no_clobber = put.no_clobber = true;
            }
            for (const engine::Transfer& item : {copy, get, put}) {
                const engine::Outcome outcome = world.run(item);
                CHECK(outcome.ok() == (why == "skipped" || why == "dry run"));
                CHECK(world.network.count(wire::Op::delete_object) == 0);
            }
            CHECK(world.store.objects.contains("b/from"));
            CHECK(world.files.files.contains("/f"));
            CHECK(world.files.files.at("/down").bytes == "mine");
        }
    }

    TEST_CASE("what changed while it was moved stays, and the failure says so") {
        SUBCASE("an object, on a store of which nothing is known: looked at first") {
            World world;
            stand(world);
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op == wire::Op::head_object && world.store.objects.contains("b/to"))
                    world.store.objects.at("b/from").etag = "00000000000000000000000000000000";
                return Fate{};
            };
            const engine::Outcome outcome = world.run(move_of(copy_of("from", "to")));
            CHECK(says(outcome, "copied to s3://b/to, but the source remains"));
            CHECK(outcome.error->kind == ErrorKind::precondition);
            CHECK(world.network.count(wire::Op::delete_object) == 0);
            CHECK(world.store.objects.size() == 2);
        }
        SUBCASE("an object, on a store that keeps the condition") {
            World world;
            stand(world);
            honour_delete_conditions(world);
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op == wire::Op::delete_object) CHECK(seen.request.headers.find("if-match").has_value());
                return seen.op == wire::Op::delete_object ? status(412, "PreconditionFailed") : Fate{};
            };
            const engine::Outcome outcome = world.run(move_of(get_of("from", "/down")));
            CHECK(says(outcome, "copied to /down, but the source remains: it changed meanwhile"));
            CHECK(outcome.error->kind == ErrorKind::precondition);
            CHECK(world.files.files.at("/down").bytes == "some bytes");
        }
        SUBCASE("a file") {
            World world;
            world.files.files["/f"].bytes = "some bytes";
            world.network.weather = [&](std::size_t, const SeenRequest&) {
                world.files.files["/f"].version = 2;
                return Fate{};
            };
            engine::Transfer item = move_of(put_of("/f", "to"));
            item.source_changed = engine::SourceChanged::snapshot;
            const engine::Outcome outcome = world.run(item);
            CHECK(says(outcome, "but the source remains"));
            CHECK(outcome.error->kind == ErrorKind::source_changed);
            CHECK(world.files.files.contains("/f"));
        }
    }

    TEST_CASE("a delete whose answer was lost is settled by looking and leaves one marker") {
        for (const bool conditional : {false, true}) {
            CAPTURE(conditional);
            World world;
            stand(world);
            if (conditional) honour_delete_conditions(world);
            world.network.weather = [](std::size_t, const SeenRequest& seen) {
                return seen.op == wire::Op::delete_object ? fate(Fate::Kind::reset_after) : Fate{};
            };
            CHECK(world.run(move_of(copy_of("from", "to"))).ok());
            CHECK(world.network.count(wire::Op::delete_object) == 1);
            CHECK(!world.store.objects.contains("b/from"));
        }
    }

    TEST_CASE("a delete that fails fails the item with its own cause, and a rerun finishes") {
        World world;
        stand(world);
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::delete_object ? status(403, "AccessDenied") : Fate{};
        };
        const engine::Outcome denied = world.run(move_of(copy_of("from", "to")));
        CHECK(denied.error->kind == ErrorKind::access_denied);
        CHECK(says(denied, "copied to s3://b/to, but the source remains: access denied"));
        world.network.weather = nullptr;
        CHECK(world.run(move_of(copy_of("from", "to"))).ok());
        CHECK(!world.store.objects.contains("b/from"));
    }

    TEST_CASE("a move under a key whose source remained is finished by the next run, and nothing is sent twice") {
        for (const bool conditional : {false, true}) {
            CAPTURE(conditional);
            World world;
            world.files.files["/f"].bytes = "some bytes";
            engine::Transfer item = move_of(put_of("/f", "to"));
            item.idempotency_key = "job";
            item.conditions.if_none_match_any = conditional;
            item.source_changed = engine::SourceChanged::snapshot;
            world.network.weather = [&](std::size_t, const SeenRequest&) {
                world.files.files["/f"].version = 2;
                return Fate{};
            };
            CHECK(says(world.run(item), "but the source remains"));
            world.network.weather = nullptr;
            world.processes.dead.push_back(world.processes.me.pid++);
            CHECK(world.run(item).ok());
            CHECK(!world.files.files.contains("/f"));
            CHECK(world.network.count(wire::Op::put_object) == 1);
        }
    }

    TEST_CASE("a move under a key that died once its file was gone is done when the target has its token") {
        struct Row {
            std::string_view what;
            bool ours;
            Fate look;
            std::optional<ErrorKind> fails;
        };
        for (const Row& row : {
                 Row{"it came to its end", true, {}, std::nullopt},
                 Row{"another object stands there", false, {}, ErrorKind::not_found},
                 Row{"nothing can be seen there", true, status(403, "AccessDenied"), ErrorKind::not_found},
                 Row{"the store does not answer", true, fate(Fate::Kind::refuse), ErrorKind::gave_up},
             }) {
            for (const bool parts : {false, true}) {
                CAPTURE(row.what);
                CAPTURE(parts);
                World world;
                world.config.retry.retries = 1;
                if (parts) world.config.multipart.threshold = world.config.multipart.part_size = 4;
                world.files.files["/f"].bytes = "some bytes";
                engine::Transfer item = move_of(put_of("/f", "to"));
                item.idempotency_key = "job";
                std::string not_done;
                world.state.on_update = [&] {
                    // What stands there between the end of the file and the record of the result.
                    const auto found = world.state.records.find({port::Table::idempotency, "job"});
                    const bool file_is_there = world.files.files.contains("/f");
                    if (found != world.state.records.end() && !file_is_there && not_done.empty())
                        not_done = found->second;
                };
                REQUIRE(world.run(item).ok());
                world.state.on_update = nullptr;
                REQUIRE(!not_done.empty());
                world.state.records[{port::Table::idempotency, "job"}] = not_done;
                world.processes.dead.push_back(world.processes.me.pid++);
                if (!row.ours) world.store.objects.at("b/to").metadata = {};
                world.network.weather = [&](std::size_t, const SeenRequest&) { return row.look; };
                const std::size_t sent = world.network.seen.size();
                const engine::Outcome again = world.run(item);
                CHECK(again.ok() == !row.fails.has_value());
                if (row.fails) {
                    CHECK(again.error->kind == *row.fails);
                    continue;
                }
                CHECK(again.size == 10);
                CHECK(world.network.seen.size() == sent + 1);
                CHECK(world.run(item).cached);
                CHECK(world.network.seen.size() == sent + 1);
            }
        }
    }

    TEST_CASE("a source that somebody else deleted meanwhile is moved all the same") {
        World world;
        stand(world);
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::copy_object) return Fate{};
            if (world.store.objects.contains("b/to")) world.store.objects.erase("b/from");
            return Fate{};
        };
        CHECK(world.run(move_of(copy_of("from", "to"))).ok());
    }

    TEST_CASE("an object is not moved onto itself, which would delete the only copy") {
        World world;
        stand(world);
        CHECK(world.run(move_of(copy_of("from", "from"))).error->kind == ErrorKind::usage);
        CHECK(world.network.seen.empty());
    }

    TEST_CASE("a signal between the two halves leaves both") {
        World world;
        stand(world);
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::head_object && world.store.objects.contains("b/to")) world.stop = 2;
            return Fate{};
        };
        const engine::Outcome outcome = world.run(move_of(copy_of("from", "to")));
        CHECK(outcome.error->kind == ErrorKind::interrupted);
        CHECK(says(outcome, "but the source remains"));
        CHECK(world.store.objects.size() == 2);
    }
}

TEST_SUITE("engine/stat") {
    TEST_CASE("one HEAD gives what the store says of the object") {
        World world;
        stand(world);
        engine::Transfer item;
        item.kind = engine::TransferKind::stat;
        item.target = {"b", "from"};
        const engine::Outcome outcome = world.run(item);
        REQUIRE(outcome.ok());
        CHECK(world.network.seen.size() == 1);
        CHECK(outcome.size == 10);
        REQUIRE(outcome.facts);
        CHECK(outcome.facts->etag == world.store.objects.at("b/from").etag);
        CHECK(outcome.checksum == "crc64nvme:" + world.store.objects.at("b/from").crc64);
        item.target.key = "nowhere";
        CHECK(world.run(item).error->kind == ErrorKind::not_found);
    }

    TEST_CASE("a refusal says that it may mean absence, and a delete marker is named") {
        World world;
        engine::Transfer item;
        item.kind = engine::TransferKind::stat;
        item.target = {"b", "k"};
        world.network.weather = [](std::size_t, const SeenRequest&) {
            Fate refused = status(403, "");
            refused.answer.body.clear();
            return refused;
        };
        const engine::Outcome denied = world.run(item);
        CHECK(denied.error->kind == ErrorKind::access_denied);
        CHECK(says(denied, "not there"));
        world.network.weather = [](std::size_t, const SeenRequest&) {
            Fate absent = status(404, "");
            absent.answer.body.clear();
            absent.answer.headers.add("x-amz-delete-marker", "true");
            return absent;
        };
        const engine::Outcome absent = world.run(item);
        CHECK(absent.error->kind == ErrorKind::not_found);
        CHECK(says(absent, "delete marker"));
    }
}

}  // namespace s3tug::sim
