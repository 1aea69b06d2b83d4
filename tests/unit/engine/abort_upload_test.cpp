#include <doctest/doctest.h>

#include "engine/upload_book.h"
#include "unit/engine/upload_world.h"

namespace s3tug::sim {
namespace {

/// A put that was interrupted while its parts were on their way.
struct Left : BigWorld {
    explicit Left(bool abort_on_interrupt = false) {
        config.multipart.parts_in_flight = 2;
        config.multipart.abort_on_interrupt = abort_on_interrupt;
        network.weather = [this](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::upload_part && ++parts == 4) stop = 15;
            return Fate{};
        };
        put = run(put_of("/f", "k"));
        stop = 0;
        network.weather = nullptr;
        network.seen.clear();
    }
    [[nodiscard]] engine::Transfer abort_item() const {
        engine::Transfer item;
        item.kind = engine::TransferKind::abort_upload;
        item.target = {"b", "k"};
        item.upload_id = store.uploads.open.empty() ? "gone" : store.uploads.open.begin()->first;
        return item;
    }
    engine::Outcome put;
    int parts = 0;
};

}  // namespace

TEST_SUITE("engine/abort upload") {
    TEST_CASE("an interrupted put keeps its parts and says so, or aborts them where that was asked for") {
        Left kept;
        CHECK(kept.put.error->kind == ErrorKind::interrupted);
        CHECK(kept.put.error->message.find("kept") != std::string::npos);
        CHECK(kept.store.uploads.open.size() == 1);
        CHECK(kept.rows() > 0);
        Left aborted(true);
        CHECK(aborted.put.error->kind == ErrorKind::interrupted);
        CHECK(aborted.put.error->message.find("kept") == std::string::npos);
        CHECK(aborted.store.uploads.open.empty());
        CHECK(aborted.rows() == 0);
    }

    TEST_CASE("an upload whose Complete may still land is not aborted, also where nobody can go on with it") {
        for (const bool stream : {true, false}) {
            CAPTURE(stream);
            BigWorld world;
            world.files.stdin_bytes = text_of(1050);
            world.config.multipart.resume = stream;
            world.config.retry.retries = 1;
            world.network.weather = [](std::size_t, const SeenRequest& seen) {
                if (seen.op == wire::Op::head_object) return status(403, "");
                return seen.op == wire::Op::complete_multipart_upload ? fate(Fate::Kind::reset_before) : Fate{};
            };
            const engine::Outcome outcome = world.run(put_of(stream ? "-" : "/f", "k"));
            REQUIRE(!outcome.ok());
            CHECK(world.network.count(wire::Op::abort_multipart_upload) == 0);
            CHECK(world.store.uploads.open.size() == 1);
            CHECK(outcome.error->message.find("upload-1 was not aborted") != std::string::npos);
        }
    }

    TEST_CASE("an upload that could not be aborted is named, stays recorded, and the next run aborts it") {
        for (const wire::Op failing : {wire::Op::upload_part, wire::Op::complete_multipart_upload}) {
            CAPTURE(to_string(failing));
            BigWorld world;
            world.network.weather = [failing](std::size_t, const SeenRequest& seen) {
                const bool denied = seen.op == failing || seen.op == wire::Op::abort_multipart_upload;
                return denied ? status(403, "AccessDenied") : Fate{};
            };
            const engine::Outcome outcome = world.run(put_of("/f", "k"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->message.find("could not abort upload upload-1") != std::string::npos);
            CHECK(world.state.list(port::Table::upload).size() == 1);
            check_next_run(world);
        }
    }

    TEST_CASE("an equal object of somebody else's does not make it safe to abort an upload whose Complete may land") {
        BigWorld world;
        world.config.write_token = engine::TokenMode::off;
        REQUIRE(world.run(put_of("/f", "k")).ok());
        SimObject theirs = world.store.objects.at("b/k");
        world.store.objects.clear();
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::complete_multipart_upload) return Fate{};
            theirs.modified = world.clock.wall() + seconds(1);
            world.store.objects["b/k"] = theirs;
            Fate late = fate(Fate::Kind::late);
            late.delay = minutes(30);
            return late;
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.store.uploads.open.size() == 1);
        CHECK(world.rows() == 1);
        world.network.weather = nullptr;
        world.next_process();
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 0);
        CHECK(world.store.uploads.open.size() == 1);
    }

    TEST_CASE("the book tells what was left: from where, how much, and whether somebody is at work") {
        Left world;
        const auto known = [&world] { return engine::known_uploads(world.state, world.processes, world.clock.wall()); };
        REQUIRE(known().size() == 1);
        CHECK(known()[0].source == "/f");
        CHECK(known()[0].bytes > 0);
        CHECK(known()[0].bytes % part_bytes == 0);
        CHECK(!known()[0].at_work);
        engine::UploadRecord record = known()[0].record;
        record.owner = ProcessId{777, 1, "boot-a", 1};
        record.touched = world.clock.wall();
        world.state.update(port::Table::upload, engine::upload_key(record),
                           [&record](const std::optional<std::string>&) { return engine::encode(record); });
        CHECK(known()[0].at_work);
        world.processes.dead.push_back(777);
        CHECK(!known()[0].at_work);
    }

    TEST_CASE("an abort is made sure of, and its records go") {
        Left world;
        CHECK(world.run(world.abort_item()).ok());
        CHECK(world.store.uploads.open.empty());
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 1);
        CHECK(world.network.count(wire::Op::list_parts) == 1);
        CHECK(world.rows() == 0);
        CHECK(world.run(world.abort_item()).ok());  // gone is gone
    }

    TEST_CASE("parts that show after an abort are aborted again, and not for ever") {
        Left world;
        const engine::Transfer item = world.abort_item();
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            Fate parts = status(seen.op == wire::Op::list_parts ? 200 : 204, "");
            parts.answer.body.clear();
            if (seen.op != wire::Op::list_parts) return parts;
            parts.answer.body =
                "<ListPartsResult><Part><PartNumber>1</PartNumber><Size>1</Size><ETag>e</ETag></Part></"
                "ListPartsResult>";
            return parts;
        };
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::gave_up);
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 3);
        CHECK(world.rows() > 0);
    }

    TEST_CASE("an abort that is denied fails and keeps the records; where listing is denied its answer has to do") {
        Left world;
        world.network.weather = [](std::size_t, const SeenRequest&) { return status(403, "AccessDenied"); };
        CHECK(world.run(world.abort_item()).error->kind == ErrorKind::access_denied);
        CHECK(world.rows() > 0);
        world.network.weather = nullptr;
        world.store.uploads.lists_allowed = false;
        CHECK(world.run(world.abort_item()).ok());
        CHECK(world.rows() == 0);
    }
}

}  // namespace s3tug::sim
