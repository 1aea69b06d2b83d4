#include <doctest/doctest.h>

#include "base/hash.h"
#include "engine/upload_record.h"
#include "unit/engine/upload_world.h"

/// What an upload in parts meets seldom: damage that only the end shows, stops at awkward moments, stores that lose or
/// garble what they said.
namespace s3tug::sim {
namespace {

std::size_t completes(const World& world) {
    return static_cast<std::size_t>(
        std::count(world.store.effects.begin(), world.store.effects.end(), std::string("COMPLETE b/k")));
}

}  // namespace

TEST_SUITE("engine/multipart troubles") {
    TEST_CASE(
        "a store that put together other bytes than the parts is an integrity error; what stands is not aborted") {
        BigWorld world;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::complete_multipart_upload) return Fate{};
            return with_body(
                "<CompleteMultipartUploadResult><ETag>\"x-11\"</ETag><ChecksumCRC64NVME>AAAAAAAAAAA=</"
                "ChecksumCRC64NVME>"
                "<ChecksumType>FULL_OBJECT</ChecksumType></CompleteMultipartUploadResult>");
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::integrity);
        CHECK(says(outcome, "the store put together AAAAAAAAAAA="));
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 0);
    }

    TEST_CASE("what does not fit the expectation is told before anything is sent") {
        for (const bool by_size : {true, false}) {
            BigWorld world;
            engine::Transfer item = put_of("/f", "k");
            if (by_size)
                item.expect_size = 1049;
            else
                item.expect_sha256 = std::string(64, 'a');
            const engine::Outcome outcome = world.run(item);
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::integrity);
            CHECK(says(outcome, "nothing was sent"));
            CHECK(world.network.seen.empty());
            item.expect_size = 1050;
            item.expect_sha256 = to_hex(sha256(as_bytes(world.files.files.at("/f").bytes)));
            CHECK(world.run(item).ok());
        }
    }

    TEST_CASE("an upload that vanishes twice ends with the advice to run again, and leaves no record") {
        BigWorld world;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::complete_multipart_upload) world.store.uploads.open.clear();
            return Fate{};
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::gave_up);
        CHECK(says(outcome, "the upload is gone from the store (NoSuchUpload); running again begins anew"));
        CHECK(world.network.count(wire::Op::create_multipart_upload) == 1 + limits::upload_restarts_max);
        CHECK(world.rows() == 0);
    }

    TEST_CASE("a stop while the upload of an earlier source is aborted leaves it to the next run") {
        Begun world;
        ++world.files.files["/f"].version;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::abort_multipart_upload) return Fate{};
            world.stop = 15;
            return fate(Fate::Kind::hang);
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::interrupted);
        CHECK(world.network.count(wire::Op::create_multipart_upload) == 0);
        CHECK(world.rows() > 0);
        world.stop = 0;
        check_next_run(world);
    }

    TEST_CASE("parts that show after every abort are told, and the upload stays recorded to be aborted") {
        BigWorld world;
        world.config.multipart.abort_on_interrupt = true;
        std::size_t parts = 0;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::upload_part && ++parts == 4) return status(403, "AccessDenied");
            if (seen.op == wire::Op::abort_multipart_upload) return with_body("", 204);  // said, not done
            return Fate{};
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::access_denied);
        CHECK(says(outcome, "could not abort upload"));
        CHECK(says(outcome, "parts still show after 3 aborts"));
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == limits::upload_aborts_max);
        CHECK(world.rows() > 0);
        check_next_run(world);
    }

    TEST_CASE("a list of parts that cannot be read: an abort is believed, a resume fails without sending parts twice") {
        {
            BigWorld world;
            std::size_t parts = 0;
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op == wire::Op::upload_part && ++parts == 4) return status(403, "AccessDenied");
                if (seen.op == wire::Op::list_parts) return with_body("<ListPartsResult></ListPartsResult>");
                return Fate{};
            };
            CHECK(world.run(put_of("/f", "k")).error->kind == ErrorKind::access_denied);
            CHECK(world.network.count(wire::Op::abort_multipart_upload) == 1);
            CHECK(world.store.uploads.open.empty());
        }
        Begun world;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::list_parts) return Fate{};
            return with_body("<ListPartsResult><Part><PartNumber>x</PartNumber></Part></ListPartsResult>");
        };
        CHECK(!world.run(put_of("/f", "k")).ok());
        CHECK(world.network.count(wire::Op::upload_part) == 0);
        world.network.weather = nullptr;
        world.next_process();
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
    }

    TEST_CASE("a deadline while what was sent before is hashed keeps the parts for the next run") {
        Begun world;
        world.config.deadline = seconds(1);
        world.network.on_poll = [&] {
            if (world.network.count(wire::Op::list_parts) == 1 && world.network.in_flight() == 0)
                world.clock.passed += seconds(2);
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::deadline);
        CHECK(world.store.uploads.open.size() == 1);
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 0);
        world.network.on_poll = nullptr;
        world.config.deadline.reset();
        world.next_process();
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(completes(world) == 1);
    }

    TEST_CASE("a key whose object stands is done; the page of another run at the same file is not touched for it") {
        for (const bool theirs : {true, false}) {
            CAPTURE(theirs);
            std::size_t met = 0;
            for (std::size_t poll = 1; poll < 60 && met == 0; ++poll) {
                BigWorld world;
                engine::Transfer item = put_of("/f", "k");
                item.idempotency_key = "job";
                world.network.weather = [](std::size_t, const SeenRequest& seen) {
                    return seen.op == wire::Op::complete_multipart_upload ? fate(Fate::Kind::reset_after) : Fate{};
                };
                if (world.run_killed_at(poll, item)) break;
                const auto page = std::find_if(world.state.records.begin(), world.state.records.end(),
                                               [](const auto& row) { return row.first.first == port::Table::upload; });
                if (!world.store.objects.contains("b/k") || page == world.state.records.end()) continue;
                ++met;
                world.next_process();
                engine::UploadRecord record = engine::decode_upload(page->second).value();
                record.completing = false;
                record.create_lost = !theirs;
                record.upload_id = theirs ? "theirs" : "";
                if (theirs) record.write_token = "theirs";
                page->second = engine::encode(record);
                world.store.uploads.open["theirs"] =
                    SimUpload{.name = "b/k", .initiated = world.clock.wall() - hours(1)};
                world.network.weather = nullptr;
                CHECK(world.run(item).ok());
                CHECK(completes(world) == 1);
                CHECK(world.store.uploads.open.contains("theirs"));
                CHECK((world.state.list(port::Table::upload).size() == 1) == theirs);
            }
            CHECK(met == 1);
        }
    }

    TEST_CASE("somebody else's upload to this key, begun before ours was lost, is not what a sweep aborts") {
        BigWorld world;
        bool lost = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::create_multipart_upload || std::exchange(lost, true)) return Fate{};
            world.store.uploads.open["theirs"] = SimUpload{.name = "b/k", .initiated = world.clock.wall() - hours(1)};
            world.store.uploads.open["longer key"] = SimUpload{.name = "b/k2", .initiated = world.clock.wall()};
            return fate(Fate::Kind::reset_after);
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.store.uploads.open.size() == 2);
        CHECK(world.store.uploads.open.contains("theirs"));
        CHECK(world.store.uploads.open.contains("longer key"));
    }

    TEST_CASE("a part that a store echoes with another checksum's name is judged by what it says of ours") {
        BigWorld world;
        world.store.echoes_checksums = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::upload_part) return Fate{};
            Fate out = with_body("");
            out.answer.headers.add("etag", "\"not-an-md5\"");
            out.answer.headers.add("x-amz-checksum-sha1", "2jmj7l5rSw0yVb/vlWAYkK/YBwk=");
            return out;
        };
        // The parts are not stored, so Complete fails; that none was called damaged is what is looked at.
        (void)world.run(put_of("/f", "k"));
        for (const port::TraceEvent& event : world.observer.events) CHECK(event.code != "ChecksumMismatch");
    }
}

TEST_SUITE("engine/multipart copy troubles") {
    struct CopyWorld : BigWorld {
        CopyWorld() {
            config.multipart.copy_threshold = 500;
            REQUIRE(run(put_of("/f", "from")).ok());
            store.effects.clear();
            network.seen.clear();
        }
    };

    TEST_CASE("--expect-size is held against the source of a copy before anything is copied") {
        for (const uint64_t threshold : {uint64_t{500}, uint64_t{5000}}) {
            CopyWorld world;
            world.config.multipart.copy_threshold = threshold;
            engine::Transfer item = copy_of("from", "k");
            item.expect_size = 1049;
            const engine::Outcome outcome = world.run(item);
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::integrity);
            CHECK(says(outcome, "nothing was copied"));
            CHECK(world.network.seen.size() == 1);
            item.expect_size = 1050;
            CHECK(world.run(item).ok());
        }
    }

    TEST_CASE("parts copied that do not give the source's checksum are no copy, and their upload is aborted") {
        CopyWorld world;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::upload_part_copy) return Fate{};
            return with_body(
                "<CopyPartResult><ETag>\"e\"</ETag><ChecksumCRC64NVME>AAAAAAAAAAA=</ChecksumCRC64NVME></"
                "CopyPartResult>");
        };
        const engine::Outcome outcome = world.run(copy_of("from", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::integrity);
        CHECK(says(outcome, "the parts copied give"));
        CHECK(!world.store.objects.contains("b/k"));
        CHECK(world.store.uploads.open.empty());
    }

    TEST_CASE("a part of a copy that the store lost is copied again after InvalidPart") {
        CopyWorld world;
        bool lost = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::complete_multipart_upload && !std::exchange(lost, true))
                world.store.uploads.open.begin()->second.parts.erase(3);
            return Fate{};
        };
        CHECK(world.run(copy_of("from", "k")).ok());
        CHECK(world.right());
        CHECK(world.network.count(wire::Op::upload_part_copy) == 11 + 1);
    }

    TEST_CASE("a copy of another size than its source is no copy") {
        CopyWorld world;
        world.config.multipart.copy_threshold = 5000;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            const bool confirms = seen.op == wire::Op::head_object && world.store.objects.contains("b/k");
            if (confirms) world.store.objects.at("b/k").bytes.resize(1000);
            return Fate{};
        };
        const engine::Outcome outcome = world.run(copy_of("from", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::integrity);
        CHECK(says(outcome, "the copy has 1000 bytes, the source 1050"));
    }

    TEST_CASE("headers of the source that no field holds go along to a copy in parts") {
        CopyWorld world;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::head_object || seen.request.url.find("/from") == std::string::npos) return Fate{};
            Fate out = with_body("");
            const SimObject& object = world.store.objects.at("b/from");
            out.answer.headers.add("etag", "\"" + object.etag + "\"");
            out.answer.headers.add("content-length", "1050");
            out.answer.headers.add("content-language", "de");
            out.answer.headers.add("expires", "Thu, 01 Dec 2033 16:00:00 GMT");
            out.answer.headers.add("x-amz-checksum-sha256", "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=");
            return out;
        };
        CHECK(world.run(copy_of("from", "k")).ok());
        CHECK(world.right());
        const auto create = std::find_if(world.network.seen.begin(), world.network.seen.end(),
                                         [](const auto& seen) { return seen.op == wire::Op::create_multipart_upload; });
        REQUIRE(create != world.network.seen.end());
        CHECK(create->request.headers.find("content-language") == "de");
        CHECK(create->request.headers.find("expires") == "Thu, 01 Dec 2033 16:00:00 GMT");
    }

    TEST_CASE("a source that is larger than S3 can put together is refused before an upload is begun") {
        CopyWorld world;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            Fate out = with_body("");
            out.answer.headers.add("etag", "\"e\"");
            out.answer.headers.add("content-length", "999999999999999999");
            return seen.op == wire::Op::head_object ? out : Fate{};
        };
        const engine::Outcome outcome = world.run(copy_of("from", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::unsupported);
        CHECK(world.network.seen.size() == 1);
    }

    TEST_CASE("a condition that a store is known to ignore in a put is not sent with the Complete of a copy") {
        CopyWorld world;
        world.config.endpoint.host = "objectstorage.eu-frankfurt-1.oraclecloud.com";
        engine::Transfer item = copy_of("from", "k");
        item.conditions.if_match = "e";
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::unsupported);
        CHECK(world.network.count(wire::Op::create_multipart_upload) == 0);
    }

    TEST_CASE("a stop while a copy waits for its turn aborts its upload") {
        CopyWorld world;
        world.config.pace.concurrency_max = 2;
        world.config.pace.concurrency_start = 2;
        world.config.multipart.parts_in_flight = 1;
        // The get is throttled, which leaves one slot for both, and takes it when its retry is due.
        std::size_t gets = 0;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::get_object) return ++gets == 1 ? status(503, "SlowDown") : fate(Fate::Kind::hang);
            Fate slow;
            slow.delay = milliseconds(200);
            return slow;
        };
        world.network.on_poll = [&] {
            if (gets == 2 && world.network.in_flight() == 1) world.stop = 15;
        };
        const std::vector<engine::Outcome> outcomes =
            world.run(std::vector{copy_of("from", "k"), get_of("from", "/down")});
        REQUIRE(!outcomes.at(0).ok());
        CHECK(outcomes.at(0).error->kind == ErrorKind::interrupted);
        CHECK(world.network.count(wire::Op::upload_part_copy) > 0);
        CHECK(world.store.uploads.open.empty());
        CHECK(!world.store.objects.contains("b/k"));
    }

    TEST_CASE("a store that takes the checksum with Create and refuses it with a part is sent the parts without") {
        BigWorld world;
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            const bool has = seen.request.headers.find("x-amz-checksum-crc64nvme").has_value();
            return seen.op == wire::Op::upload_part && has ? status(501, "NotImplemented") : Fate{};
        };
        engine::Transfer item = put_of("/f", "k");
        item.checksum = ChecksumAlgorithm::crc64nvme;
        CHECK(world.run(item).ok());
        CHECK(world.right());
        item.checksum_by_user = true;  // who asked for it is not sent on without
        CHECK(!world.run(item).ok());
    }

    TEST_CASE("a Create that is refused as if it had a body to mend is not sent again") {
        BigWorld world;
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::create_multipart_upload ? status(400, "BadDigest") : Fate{};
        };
        CHECK(world.run(put_of("/f", "k")).code == "BadDigest");
        CHECK(world.network.seen.size() == 1);
    }
}

}  // namespace s3tug::sim
