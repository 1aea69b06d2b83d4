#include <doctest/doctest.h>

#include <set>

#include "engine/upload_book.h"
#include "engine/upload_journal.h"
#include "unit/engine/upload_world.h"

/// Uploads that nobody goes on with when their process dies: found by the simulator.
namespace s3tug::sim {
namespace {

/// Dies with some parts sent.
void die_in_the_middle(BigWorld& world, const engine::Transfer& item) {
    CHECK(!world.run_killed_at(4, item));
    REQUIRE(world.store.uploads.open.size() == 1);
    CHECK(world.rows() >= 1);
    world.next_process();
}

}  // namespace

TEST_SUITE("engine/multipart, strays") {
    TEST_CASE("the upload of a stream whose process died is known, and the next upload to this key aborts it") {
        BigWorld world;
        world.files.stdin_bytes = text_of(1050);
        die_in_the_middle(world, put_of("-", "k"));
        CHECK(engine::known_uploads(world.state, world.processes, world.clock.wall()).at(0).source.empty());
        CHECK(world.run(put_of("-", "k")).ok());
        CHECK(world.stored() == world.files.stdin_bytes);
        CHECK(world.store.uploads.open.empty());
        CHECK(world.rows() == 0);
    }

    TEST_CASE("the same for a copy in parts, and another key's upload is left alone") {
        BigWorld world;
        world.config.multipart.copy_threshold = part_bytes;
        CHECK(world.run(put_of("/f", "s")).ok());
        die_in_the_middle(world, copy_of("s", "k"));
        CHECK(world.run(put_of("/f", "other")).ok());
        CHECK(world.store.uploads.open.size() == 1);
        CHECK(world.run(copy_of("s", "k")).ok());
        CHECK(world.store.uploads.open.empty());
        CHECK(world.rows() == 0);
    }

    TEST_CASE("an upload of a process that lives is left alone") {
        BigWorld world;
        world.files.stdin_bytes = text_of(1050);
        CHECK(!world.run_killed_at(4, put_of("-", "k")));
        ++world.processes.me.pid;  // and the first one counts as alive
        CHECK(world.run(put_of("-", "k")).ok());
        CHECK(world.store.uploads.open.size() == 1);
        CHECK(world.rows() == 1);
    }

    TEST_CASE("a second run at the same file records its own upload too") {
        BigWorld world;
        CHECK(!world.run_killed_at(4, put_of("/f", "k")));
        ++world.processes.me.pid;
        CHECK(!world.run_killed_at(4, put_of("/f", "k")));
        CHECK(world.store.uploads.open.size() == 2);
        for (const engine::KnownUpload& upload :
             engine::known_uploads(world.state, world.processes, world.clock.wall()))
            CHECK(upload.source == "/f");
        world.processes.dead = {100, 101};
        ++world.processes.me.pid;
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.store.uploads.open.empty());
        CHECK(world.rows() == 0);
    }

    TEST_CASE("an upload that may be completing is set aside for another source, and aborted when that is long ago") {
        BigWorld world;
        world.config.retry.retries = 0;
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::complete_multipart_upload ? fate(Fate::Kind::refuse) : Fate{};
        };
        CHECK(!world.run(put_of("/f", "k")).ok());
        world.network.weather = {};
        world.next_process();
        world.files.files["/f"] = {text_of(990), 2};
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.store.uploads.open.size() == 1);
        CHECK(world.rows() == 1);
        CHECK(engine::known_uploads(world.state, world.processes, world.clock.wall()).at(0).source == "/f");
        world.clock.passed += hours(1);
        world.next_process();
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.store.uploads.open.empty());
        CHECK(world.rows() == 0);
    }

    TEST_CASE(
        "where another process may use the same write token, an upload that only a look proved done stays known") {
        // As after a run that was taken for dead, or one from which this one took over under the same key.
        for (const bool goes_on : {false, true}) {
            CAPTURE(goes_on);
            BigWorld world;
            engine::Transfer item = put_of("/f", "k");
            if (goes_on) {
                CHECK(!world.run_killed_at(4, item));
                world.next_process();
            } else {
                item.idempotency_key = "job";
            }
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op != wire::Op::complete_multipart_upload) return Fate{};
                SimObject& of_the_other = world.store.objects["b/k"];
                of_the_other.bytes = world.files.files.at("/f").bytes;
                of_the_other.metadata = world.store.uploads.open.begin()->second.metadata;
                of_the_other.modified = world.clock.wall();
                return fate(Fate::Kind::reset_before);
            };
            CHECK(world.run(item).ok());
            REQUIRE(world.store.uploads.open.size() == 1);
            CHECK(engine::known_uploads(world.state, world.processes, world.clock.wall()).size() == 1);
            CHECK(world.network.count(wire::Op::abort_multipart_upload) == 0);
            world.network.weather = {};
            world.clock.passed += hours(2);
            world.next_process();
            CHECK(world.run(put_of("/f", "k")).ok());
            CHECK(world.store.uploads.open.empty());
        }
    }

    TEST_CASE("a put whose token is its own knows by a look that its upload is done, and asks for nothing more") {
        BigWorld world;
        bool lost = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            const bool lose = seen.op == wire::Op::complete_multipart_upload && !std::exchange(lost, true);
            return lose ? fate(Fate::Kind::reset_after) : Fate{};
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.seen.back().op == wire::Op::head_object);
        CHECK(world.rows() == 0);
    }

    TEST_CASE("an upload whose page could not be claimed, and which could not be aborted, is there for the next run") {
        BigWorld world;
        CHECK(!world.run_killed_at(4, put_of("/f", "k")));
        world.next_process();
        world.files.files["/f"] = {text_of(990), 2};
        world.network.seen.clear();
        world.state.on_update = [&] { world.state.killed = world.network.seen.empty(); };
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::abort_multipart_upload ? status(403, "AccessDenied") : Fate{};
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 1);
        CHECK(world.store.uploads.open.size() == 1);
        CHECK(engine::known_uploads(world.state, world.processes, world.clock.wall()).size() == 1);
        world.state.on_update = nullptr;
        world.state.killed = false;
        check_next_run(world);
    }

    TEST_CASE("a sweep after a lost Create aborts what that one left and no upload of somebody else") {
        BigWorld world;
        std::set<std::string> others;
        std::string of_another_key;
        const auto begin_upload = [&](const char* name, const wire::SignedRequest& request, Duration ago) {
            (void)world.store.uploads.create(name, request, world.clock.wall() - ago);
            return *others.insert(std::prev(world.store.uploads.open.end())->first).first;
        };
        world.network.weather = [&](std::size_t n, const SeenRequest& seen) {
            if (n == 1) return fate(Fate::Kind::reset_after);
            if (seen.op != wire::Op::complete_multipart_upload) return Fate{};
            begin_upload("b/k", seen.request, minutes(10));  // before ours
            of_another_key = begin_upload("b/k2", seen.request, {});
            const std::string at_work = begin_upload("b/k", seen.request, {});
            world.store.uploads.open.at(at_work).parts[1] = {.bytes = "x", .etag = "e", .crc64 = {}};
            engine::UploadRecord record;  // of a process that has sent no part yet
            record.bucket = "b";
            record.key = "k";
            record.path = "/other";
            record.part_size = part_bytes;
            record.upload_id = begin_upload("b/k", seen.request, {});
            record.owner = ProcessId{777, 1, "boot-a", 1};
            world.state.records[{port::Table::upload, engine::upload_key(record)}] = engine::encode(record);
            return Fate{};
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.count(wire::Op::create_multipart_upload) == 2);
        std::set<std::string> left;
        for (const auto& [id, upload] : world.store.uploads.open) left.insert(id);
        CHECK(left == others);
        // Not every store compares the key with the upload's.
        for (const SeenRequest& seen : world.network.seen)
            CHECK(query_value(seen.request.url, "uploadId") != of_another_key);
        CHECK(others.size() == 4);
    }

    TEST_CASE("what tidies up after the deadline has two seconds, however many requests it would take") {
        BigWorld world;
        world.config.deadline = seconds(5);
        world.network.weather = [&](std::size_t n, const SeenRequest& seen) {
            for (int i = 0; n == 1 && i < 6; ++i)
                (void)world.store.uploads.create("b/k", seen.request, world.clock.wall());
            if (n == 1) return fate(Fate::Kind::reset_after);
            return seen.op == wire::Op::list_parts ? fate(Fate::Kind::hang) : Fate{};
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        CHECK(world.network.count(wire::Op::list_parts) >= 1);
        CHECK(outcome.elapsed <= seconds(8));
        CHECK(world.right());
    }

    TEST_CASE("a run that fails for good looks for what a lost Create left, too") {
        BigWorld world;
        engine::Transfer item = put_of("/f", "k");
        item.conditions.if_none_match_any = true;
        world.store.objects["b/k"].bytes = "somebody's";
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n == 1 ? fate(Fate::Kind::reset_after) : Fate{};
        };
        CHECK(world.run(item).error->kind == ErrorKind::precondition);
        CHECK(world.network.count(wire::Op::create_multipart_upload) == 2);
        CHECK(world.store.uploads.open.empty());
        CHECK(world.rows() == 0);
    }

    TEST_CASE("after a conflict that asks for a new upload the old one is aborted") {
        BigWorld world;
        bool refused = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::complete_multipart_upload || std::exchange(refused, true)) return Fate{};
            return status(409, "ConditionalRequestConflict");
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 1);
        CHECK(world.store.uploads.open.empty());
    }

    TEST_CASE("what a sweep could not see or abort stays recorded for the next run") {
        for (const wire::Op hindered : {wire::Op::list_multipart_uploads, wire::Op::abort_multipart_upload}) {
            BigWorld world;
            world.config.retry.retries = 0;
            bool lost = false;
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op == wire::Op::create_multipart_upload && !std::exchange(lost, true))
                    return fate(Fate::Kind::reset_after);
                return seen.op == hindered ? fate(Fate::Kind::refuse) : Fate{};
            };
            CHECK(!world.run(put_of("/f", "k")).ok());
            world.next_process();
            CHECK(world.run(put_of("/f", "k")).ok());
            CHECK(world.store.uploads.open.size() == 1);
            CHECK(world.rows() == 1);
            check_next_run(world);
        }
    }

    TEST_CASE("the page of a stream that died at its Create stays until the uploads could be listed") {
        BigWorld world;
        world.files.stdin_bytes = text_of(1050);
        world.config.retry.retries = 0;
        world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::hang); };
        CHECK(!world.run_killed_at(3, put_of("-", "k")));
        world.next_process();
        REQUIRE(world.network.seen.back().op == wire::Op::create_multipart_upload);
        (void)world.store.uploads.create("b/k", world.network.seen.back().request, world.clock.wall());  // it arrived
        REQUIRE(world.store.uploads.open.size() == 1);
        REQUIRE(world.rows() == 1);
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::list_multipart_uploads ? fate(Fate::Kind::refuse) : Fate{};
        };
        CHECK(world.run(put_of("-", "k")).ok());
        CHECK(world.store.uploads.open.size() == 1);
        CHECK(world.rows() >= 1);
        world.next_process();
        world.network.weather = {};
        CHECK(world.run(put_of("-", "k")).ok());
        CHECK(world.store.uploads.open.empty());
        CHECK(world.rows() == 0);
    }

    TEST_CASE("an upload that is gone leaves the record of a lost Create before it") {
        BigWorld world;
        bool lost = false;
        bool gone = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::create_multipart_upload && !std::exchange(lost, true))
                return fate(Fate::Kind::reset_after);
            if (seen.op == wire::Op::head_object) return status(403, "");
            if (seen.op != wire::Op::complete_multipart_upload) return Fate{};
            return std::exchange(gone, true) ? status(404, "NoSuchUpload") : fate(Fate::Kind::reset_after);
        };
        CHECK(!world.run(put_of("/f", "k")).ok());
        CHECK(world.store.uploads.open.size() == 1);
        CHECK(world.rows() == 1);
    }

    TEST_CASE("a run that finds its key's object complete looks for what a lost Create left") {
        BigWorld world;
        engine::Transfer item = put_of("/f", "k");
        item.idempotency_key = "job";
        bool lost = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::create_multipart_upload && !std::exchange(lost, true))
                return fate(Fate::Kind::reset_after);
            return seen.op == wire::Op::complete_multipart_upload ? fate(Fate::Kind::reset_after) : Fate{};
        };
        world.config.retry.retries = 1;
        for (std::size_t poll = 4; world.stored() == "(absent)" && poll < 60; ++poll) {
            lost = false;
            world.store.uploads.open.clear();
            world.state.records.clear();
            (void)world.run_killed_at(poll, item);
            world.next_process();
        }
        REQUIRE(world.stored() != "(absent)");
        REQUIRE(world.store.uploads.open.size() == 1);
        world.network.weather = {};
        CHECK(world.run(item).ok());
        CHECK(world.store.uploads.open.empty());
        CHECK(world.state.list(port::Table::upload).empty());
    }

    TEST_CASE("what a lost Create left is found by the store's clock, whatever ours says") {
        for (const Duration ahead : {-minutes(10), minutes(10)}) {
            BigWorld world;
            world.store.clock_ahead = ahead;
            world.network.weather = [](std::size_t n, const SeenRequest&) {
                return n == 1 ? fate(Fate::Kind::reset_after) : Fate{};
            };
            CHECK(world.run(put_of("/f", "k")).ok());
            CHECK(world.store.uploads.open.empty());
            CHECK(world.rows() == 0);
        }
    }

    TEST_CASE("uploads begun after a lost Create remember how long ago that was") {
        BigWorld world;
        world.config.retry.retries = 1;
        bool lost = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::create_multipart_upload && !std::exchange(lost, true))
                return fate(Fate::Kind::reset_after);
            return seen.op == wire::Op::upload_part ? fate(Fate::Kind::refuse) : Fate{};
        };
        auto& open = world.store.uploads.open;
        CHECK(!world.run(put_of("/f", "k")).ok());
        REQUIRE(open.size() == 2);
        open.erase(std::prev(open.end()));  // the store drops it
        world.clock.passed += minutes(10);
        world.next_process();
        CHECK(!world.run(put_of("/f", "k")).ok());
        REQUIRE(open.size() == 2);
        world.network.weather = {};
        world.clock.passed += minutes(10);
        world.next_process();
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(open.empty());
        CHECK(world.rows() == 0);
    }

    TEST_CASE("a run that dies as soon as it has found a lost Create does not make it younger") {
        BigWorld world;
        world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::reset_after); };
        CHECK(!world.run_killed_at(2, put_of("/f", "k")));
        REQUIRE(world.store.uploads.open.size() == 1);
        world.network.weather = {};
        world.next_process();
        world.clock.passed += minutes(10);
        engine::UploadRecord wanted = engine::decode_upload(world.state.list(port::Table::upload).at(0).value).value();
        engine::Ports ports{world.clock, world.processes,   world.network, world.files,
                            world.state, world.credentials, world.observer};
        engine::Services services(ports, world.config, Rng(1));
        engine::UploadJournal dies(services, wanted);
        CHECK(dies.open(wanted).resume == engine::Resume::lost_create);
        world.next_process();
        world.clock.passed += minutes(10);
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.store.uploads.open.empty());
        CHECK(world.rows() == 0);
    }

    TEST_CASE("a lost Create stays recorded until what it left was looked for") {
        BigWorld world;
        world.network.weather = [](std::size_t n, const SeenRequest& seen) {
            if (n == 1) return fate(Fate::Kind::reset_after);
            return seen.op == wire::Op::list_multipart_uploads ? fate(Fate::Kind::hang) : Fate{};
        };
        for (std::size_t poll = 3; world.network.count(wire::Op::list_multipart_uploads) == 0 && poll < 60; ++poll) {
            world.store.uploads.open.clear();
            world.state.records.clear();
            world.network.seen.clear();
            (void)world.run_killed_at(poll, put_of("/f", "k"));
            world.next_process();
        }
        REQUIRE(world.store.uploads.open.size() == 1);
        world.network.weather = {};
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.store.uploads.open.empty());
        CHECK(world.rows() == 0);
    }

    TEST_CASE("the name of a file may have lines of its own") {
        for (const std::string path : {"/f", "/two\nlines", "/f\n12x"}) {
            CAPTURE(path);
            BigWorld world;
            world.files.files[path].bytes = text_of(1050);
            CHECK(!world.run_killed_at(12, put_of(path, "k")));
            const auto known = engine::known_uploads(world.state, world.processes, world.clock.wall());
            REQUIRE(known.size() == 1);
            CHECK(known[0].source == path);
        }
    }
}

}  // namespace s3tug::sim
