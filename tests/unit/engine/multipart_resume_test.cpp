#include <doctest/doctest.h>

#include <set>

#include "engine/upload_record.h"
#include "support/big_world.h"

namespace s3tug::sim {
namespace {

struct Killed {};

/// Runs until the n-th turn of the loop and dies there: nothing is tidied up, and what was on its way may arrive or
/// not.
/// @return false when the run ended before
bool run_and_kill(BigWorld& world, const engine::Transfer& item, std::size_t n) {
    std::size_t turns = 0;
    world.network.on_poll = [&] {
        if (++turns != n) return;
        world.network.abandon();
        throw Killed{};
    };
    bool killed = false;
    try {
        (void)world.run(item);
    } catch (const Killed&) { killed = true; }
    world.network.on_poll = nullptr;
    world.network.abandon();
    world.next_process();
    return killed;
}

}  // namespace

TEST_SUITE("engine/multipart_resume") {
    TEST_CASE(
        "killed at any moment, the next run brings the right object, leaves no upload, sends only what is missing") {
        for (std::size_t n = 1;; ++n) {
            CAPTURE(n);
            BigWorld world(3050);
            world.config.multipart.parts_in_flight = 4;
            std::size_t served = 0;
            world.network.weather = [&](std::size_t, const SeenRequest&) {
                Fate out;
                out.delay = milliseconds(3 + (++served * 7) % 5);
                return out;
            };
            if (!run_and_kill(world, put_of("/f", "k"), n)) {
                CHECK(n > 20);
                break;
            }
            const engine::Outcome outcome = world.run(put_of("/f", "k"));
            if (!outcome.ok()) MESSAGE(outcome.error->message);
            REQUIRE(outcome.ok());
            CHECK(world.right());
            CHECK(world.store.uploads.open.empty());
            CHECK(world.store.uploads.part_bytes_stored <= 3050 + 4 * part_bytes);
            CHECK(world.rows() == 0);
        }
    }

    TEST_CASE("without the right to list parts the own records say what is there, as of the last second") {
        BigWorld world(3050);
        world.store.uploads.lists_allowed = false;
        world.config.multipart.parts_in_flight = 1;
        world.network.weather = [&](std::size_t, const SeenRequest&) {
            Fate out;
            out.delay = milliseconds(300);
            return out;
        };
        CHECK(run_and_kill(world, put_of("/f", "k"), 25));
        const uint64_t before = world.store.uploads.part_bytes_stored;
        CHECK(before > 1000);
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.store.uploads.part_bytes_stored <= 3050 + 6 * part_bytes);
    }

    TEST_CASE("a listed part that is not the local one is sent again, by checksum or by MD5 where there is none") {
        for (const bool listed_checksums : {true, false}) {
            BigWorld world(3050);
            world.config.multipart.parts_in_flight = 2;
            world.store.uploads.lists_checksums = listed_checksums;
            CHECK(run_and_kill(world, put_of("/f", "k"), 20));
            REQUIRE(world.store.uploads.open.size() == 1);
            auto& parts = world.store.uploads.open.begin()->second.parts;
            REQUIRE(parts.contains(2));
            parts.at(2).bytes[0] ^= 1;
            parts.at(2).crc64 = "AAAAAAAAAAA=";
            parts.at(2).etag = std::string(32, '1');
            const uint64_t before = world.store.uploads.part_bytes_stored;
            const std::size_t there = parts.size();
            CHECK(world.run(put_of("/f", "k")).ok());
            CHECK(world.right());
            CHECK(world.store.uploads.part_bytes_stored - before == 3050 - (there - 1) * part_bytes);
        }
    }

    TEST_CASE("a list of parts in several pages is read to its end: nothing that is there is sent again") {
        BigWorld world(3050);
        world.config.multipart.parts_in_flight = 2;
        world.store.uploads.page = 2;
        CHECK(run_and_kill(world, put_of("/f", "k"), 20));
        const uint64_t before = world.store.uploads.part_bytes_stored;
        const std::size_t there = world.store.uploads.open.begin()->second.parts.size();
        REQUIRE(there > 4);
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.store.uploads.part_bytes_stored - before == 3050 - there * part_bytes);
    }

    TEST_CASE("a recorded part whose bytes are others now is sent again, also where the file shows no change") {
        BigWorld world(3050);
        world.store.uploads.lists_allowed = false;
        world.config.multipart.parts_in_flight = 2;
        world.network.weather = [](std::size_t, const SeenRequest&) {
            Fate out;
            out.delay = milliseconds(600);  // so that there are records
            return out;
        };
        CHECK(run_and_kill(world, put_of("/f", "k"), 20));
        world.files.files["/f"].bytes[10] ^= 1;
        const uint64_t before = world.store.uploads.part_bytes_stored;
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.store.uploads.part_bytes_stored - before < 3050);
    }

    TEST_CASE("a source, properties or checksum that changed since begin anew, and the old upload is aborted") {
        for (const int what : {0, 1, 2}) {
            CAPTURE(what);
            BigWorld world(3050);
            world.config.multipart.parts_in_flight = 2;
            CHECK(run_and_kill(world, put_of("/f", "k"), 20));
            engine::Transfer item = put_of("/f", "k");
            if (what == 0) ++world.files.files["/f"].version;
            if (what == 1) item.properties.metadata.push_back({"color", "red"});
            if (what == 2) item.checksum = ChecksumAlgorithm::sha256;
            CHECK(world.run(item).ok());
            CHECK(world.right());
            CHECK(world.store.uploads.open.empty());
            CHECK(world.network.count(wire::Op::abort_multipart_upload) == 1);
            CHECK(world.rows() == 0);
        }
    }

    TEST_CASE("the upload of a file that is small by now is aborted too, and other small files stay one request") {
        BigWorld world(3050);
        world.config.multipart.parts_in_flight = 2;
        CHECK(run_and_kill(world, put_of("/f", "k"), 20));
        REQUIRE(world.store.uploads.open.size() == 1);
        world.files.files["/f"].bytes = world.files.files["/small"].bytes = "small by now";
        ++world.files.files["/f"].version;
        CHECK(world.run(put_of("/small", "other")).ok());
        CHECK(world.network.count(wire::Op::put_object) == 1);
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.store.uploads.open.empty());
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 1);
        CHECK(world.rows() == 0);
    }

    TEST_CASE("an upload that a live process holds is left alone, and the second run does its own") {
        BigWorld world(3050);
        world.config.multipart.parts_in_flight = 2;
        CHECK(run_and_kill(world, put_of("/f", "k"), 20));
        world.processes.dead.clear();
        const std::size_t rows = world.rows();
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.store.uploads.open.size() == 1);
        CHECK(world.rows() == rows);
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 0);
    }

    TEST_CASE("an outage in the middle keeps the parts, says so, and the next run goes on") {
        BigWorld world(3050);
        world.config.multipart.parts_in_flight = 2;
        std::size_t parts = 0;
        bool outage = true;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (outage && seen.op == wire::Op::upload_part && ++parts > 12) return status(503, "SlowDown");
            return Fate{};
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::gave_up);
        CHECK(outcome.error->message.find("kept") != std::string::npos);
        CHECK(world.store.uploads.open.size() == 1);
        outage = false;
        world.next_process();
        world.clock.passed += hours(1);
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.store.uploads.part_bytes_stored == 3050);
    }

    TEST_CASE("a signal keeps a file's upload for the next run; with --no-resume it is aborted within the grace") {
        for (const bool resume : {true, false}) {
            CAPTURE(resume);
            BigWorld world(3050);
            world.config.multipart.parts_in_flight = 2;
            world.config.multipart.resume = resume;
            std::size_t turns = 0;
            world.network.on_poll = [&] {
                if (++turns == 20) world.stop = 2;
            };
            const engine::Outcome outcome = world.run(put_of("/f", "k"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::interrupted);
            CHECK(world.store.uploads.open.size() == (resume ? 1 : 0));
            CHECK((world.rows() > 0) == resume);
        }
    }

    TEST_CASE("a stop ends even when the store hangs: the abort has the grace of two seconds") {
        BigWorld world(3050);
        world.config.multipart.parts_in_flight = 2;
        world.config.multipart.resume = false;
        world.config.deadline = seconds(5);
        world.network.weather = [&](std::size_t n, const SeenRequest&) {
            return n > 10 ? fate(Fate::Kind::hang) : Fate{};
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::deadline);
        CHECK(outcome.error->message.find("upload-1") != std::string::npos);
        CHECK(world.clock.passed <= seconds(7) + milliseconds(10));
    }

    TEST_CASE("a Complete whose outcome an earlier process never learned is settled by looking, not by sending again") {
        BigWorld world;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::complete_multipart_upload) world.network.on_poll = [] { throw Killed{}; };
            return Fate{};
        };
        try {
            (void)world.run(put_of("/f", "k"));
        } catch (const Killed&) {}
        world.network.on_poll = nullptr;
        world.network.weather = nullptr;
        // It arrived after all.
        wire::SignedRequest complete = world.network.seen.back().request;
        std::string xml = "<CompleteMultipartUpload>";
        for (const auto& [number, part] : world.store.uploads.open.begin()->second.parts)
            xml += "<Part><PartNumber>" + std::to_string(number) + "</PartNumber><ETag>" + part.etag + "</ETag></Part>";
        CHECK(world.store.serve(complete, xml, world.clock.wall()).status == 200);
        world.next_process();
        const std::size_t seen = world.network.seen.size();
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        CHECK(outcome.ok());
        CHECK(world.network.seen.size() == seen + 2);
        CHECK(world.store.effects.size() == 1);
        CHECK(world.rows() == 0);
    }

    TEST_CASE("a Complete that never arrived, and somebody else's object there: all is sent again") {
        BigWorld world;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::complete_multipart_upload) world.network.on_poll = [] { throw Killed{}; };
            return Fate{};
        };
        CHECK_THROWS_AS((void)world.run(put_of("/f", "k")), Killed);
        world.network.on_poll = nullptr;
        world.network.weather = nullptr;
        world.network.drop_all();
        world.next_process();
        world.store.uploads.open.clear();
        world.store.objects["b/k"] = {.bytes = std::string(1050, 'x'), .etag = "theirs"};
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.rows() == 0);
    }

    TEST_CASE("a healthy upload writes the state at its start, at most once a second, and at its end") {
        BigWorld world(10'000);
        world.network.weather = [&](std::size_t, const SeenRequest&) {
            Fate out;
            out.delay = milliseconds(200);
            return out;
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        const auto elapsed = static_cast<std::size_t>(to_ms(world.clock.passed) / 1000);
        CHECK(world.state.writes <= elapsed + 8);
    }

    TEST_CASE("records survive their text form, and what is malformed is not believed") {
        engine::UploadRecord record;
        record.origin = "https://s:443";
        record.bucket = "b";
        record.key = "a\nkey";
        record.path = "/f";
        record.upload_id = "id";
        record.part_size = 16 << 20;
        record.source.size = 1ULL << 40;
        record.source.mtime = WallTime(Duration(1'700'000'000'123'456'789));
        record.owner = ProcessId{7, 8, "boot", 9};
        record.completing = true;
        const auto again = engine::decode_upload(engine::encode(record));
        REQUIRE(again);
        CHECK(again->key == record.key);
        CHECK(again->source == record.source);
        CHECK(again->owner == record.owner);
        CHECK(again->completing);
        CHECK(!engine::decode_upload("part_size=0\nbucket=b\nkey=k\n"));
        CHECK(!engine::decode_upload("garbage"));
        // Times that no clock shows: their arithmetic would overflow.
        for (const char* time : {"started_s=9223372036854775807", "touched_s=9790000001", "touched_s=-1"}) {
            CHECK(!engine::decode_upload("bucket=b\nkey=k\npart_size=1\n" + std::string(time) + "\n"));
        }
        const std::vector<engine::DonePart> parts = {{3, 10, "e3", Checksum{ChecksumAlgorithm::crc32, "AAAAAA=="}},
                                                     {9, 11, "e9", std::nullopt}};
        CHECK(engine::decode_parts(engine::encode(parts)) == parts);
        CHECK(engine::decode_parts("part=0 5 e\npart=x\npart=10001 5 e\npart=5 5\n").empty());
    }
}

}  // namespace s3tug::sim
