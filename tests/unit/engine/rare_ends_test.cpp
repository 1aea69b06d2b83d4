#include <doctest/doctest.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "support/big_world.h"

/// Answers and moments that are seldom met by one request, each with the end that it must come to.
namespace s3tug::sim {
namespace {

struct PutWorld : World {
    explicit PutWorld(std::size_t size = 90) { files.files["/f"].bytes = text_of(size); }
    void stand() {
        REQUIRE(run(put_of("/f", "k")).ok());
        network.seen.clear();
    }
};

}  // namespace

TEST_SUITE("engine/rare ends of a put") {
    TEST_CASE("a checksum that the store echoes otherwise: sent once more, and then an integrity error") {
        for (const bool once : {true, false}) {
            CAPTURE(once);
            PutWorld world;
            world.network.weather = [&](std::size_t n, const SeenRequest&) {
                if (once && n > 1) return Fate{};
                Fate out = with_body("");
                out.answer.headers.add("etag", "\"not-an-md5\"");
                out.answer.headers.add("x-amz-checksum-sha1", "2jmj7l5rSw0yVb/vlWAYkK/YBwk=");
                out.answer.headers.add("x-amz-checksum-crc64nvme", "AAAAAAAAAAA=");
                return out;
            };
            const engine::Outcome outcome = world.run(put_of("/f", "k"));
            CHECK(outcome.ok() == once);
            CHECK(world.network.seen.size() == 2);
            if (once) continue;
            CHECK(outcome.error->kind == ErrorKind::integrity);
            CHECK(says(outcome, "the store has AAAAAAAAAAA="));
        }
    }

    TEST_CASE("an answer that proves nothing is a success without a checksum to tell") {
        PutWorld world;
        world.network.weather = [](std::size_t, const SeenRequest&) {
            Fate out = with_body("");
            out.answer.headers.add("etag", "\"not-an-md5\"");
            out.answer.headers.add("x-amz-checksum-sha1", "2jmj7l5rSw0yVb/vlWAYkK/YBwk=");
            return out;
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        CHECK(outcome.ok());
        CHECK(outcome.checksum.empty());
    }

    TEST_CASE(
        "a store that says the bytes came damaged gets them again, unless the source is no longer what was read") {
        for (const bool changes : {false, true}) {
            CAPTURE(changes);
            PutWorld world;
            world.network.weather = [&](std::size_t n, const SeenRequest&) {
                if (n == 1 && changes) ++world.files.files["/f"].version;
                return n == 1 ? status(400, "BadDigest") : Fate{};
            };
            const engine::Outcome outcome = world.run(put_of("/f", "k"));
            CHECK(outcome.ok() == !changes);
            CHECK(world.network.seen.size() == (changes ? 1 : 2));
        }
    }

    TEST_CASE("what was refused as damaged is not sent again once the source is another, with or without a checksum") {
        for (const bool changes : {false, true}) {
            for (const bool checksum : {false, true}) {
                CAPTURE(changes);
                CAPTURE(checksum);
                PutWorld world;
                engine::Transfer item = put_of("/f", "k");
                if (!checksum) item.checksum.reset();
                world.network.weather = [](std::size_t n, const SeenRequest&) {
                    return n == 1 ? status(400, "BadDigest") : Fate{};
                };
                world.files.on_read = [&](const std::string& path, uint64_t offset) {
                    if (changes && offset >= 84)
                        ++world.files.files.at(path).version;  // its last bytes are on their way
                };
                CHECK(world.run(item).ok() == !changes);
                CHECK(world.network.seen.size() == (changes ? 1 : 2));
            }
        }
    }

    TEST_CASE("a file that shrinks just before its end is sent fails, also where changes are only warned of") {
        PutWorld world;
        std::size_t reads = 0;
        world.files.on_read = [&](const std::string& path, uint64_t) {
            if (++reads == 3) world.files.files.at(path).bytes.resize(85);
        };
        engine::Transfer item = put_of("/f", "k");
        item.source_changed = engine::SourceChanged::warn;
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::source_changed);
        CHECK(says(outcome, "became shorter"));
        CHECK(!world.store.objects.contains("b/k"));
    }

    TEST_CASE("a redirected look at a store of one's own is not followed to another region") {
        PutWorld world;
        bool lost = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::head_object)
                return std::exchange(lost, true) ? Fate{} : fate(Fate::Kind::reset_before);
            Fate moved = with_body("", 301);
            moved.answer.headers.add("x-amz-bucket-region", "eu-west-1");
            return moved;
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::outcome_unknown);
        for (const SeenRequest& seen : world.network.seen)
            CHECK(seen.request.headers.find("authorization")->find("/us-east-1/") != std::string_view::npos);
        CHECK(world.store.effects.empty());
    }

    TEST_CASE("a look that cannot be repeated before the deadline leaves the outcome unknown, never guessed") {
        PutWorld world;
        world.config.deadline = milliseconds(300);
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::head_object ? status(503, "SlowDown") : fate(Fate::Kind::reset_after);
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::outcome_unknown);
        CHECK(world.clock.now() <= Instant(hours(1)) + milliseconds(300));
        CHECK(world.store.effects.size() == 1);
    }

    TEST_CASE("the deadline ends the hashing of a source that takes more than one read") {
        PutWorld world(2 * limits::io_chunk_bytes);
        world.config.deadline = seconds(5);
        world.files.on_read = [&](const std::string&, uint64_t) { world.clock.passed += seconds(6); };
        engine::Transfer item = put_of("/f", "k");
        item.expect_sha256 = std::string(64, 'a');
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::deadline);
        CHECK(world.network.seen.empty());
    }

    TEST_CASE("a stream with a key whose producer fails is not sent") {
        World world;
        world.files.stdin_bytes = "bytes";
        world.files.trouble = [](std::string_view call) -> std::optional<Error> {
            if (call != "read on") return std::nullopt;
            return Error{ErrorKind::cannot_read, "the producer is gone"};
        };
        engine::Transfer item = put_of("-", "k");
        item.idempotency_key = "job";
        const engine::Outcome outcome = world.run(item);
        CHECK(says(outcome, "the producer is gone"));
        CHECK(outcome.error->kind == ErrorKind::cannot_read);
        CHECK(world.network.seen.empty());
    }

    TEST_CASE("a producer that is slow for longer than one wait only delays the upload of a stream") {
        for (const unsigned parts_max : {10'000U, 3U}) {
            CAPTURE(parts_max);
            BigWorld world;
            world.config.multipart.parts_max = parts_max;
            world.files.stdin_bytes = text_of(parts_max == 3 ? 700 : 1234);  // parts double: 100, 200 and 400
            std::size_t reads = 0;
            world.files.trouble = [&](std::string_view call) -> std::optional<Error> {
                if (call != "read on" || ++reads % 3 != 0) return std::nullopt;
                world.clock.passed += milliseconds(20);
                return Error{ErrorKind::deadline, "nothing came"};
            };
            const engine::Outcome outcome = world.run(put_of("-", "k"));
            if (!outcome.ok()) MESSAGE(outcome.error->message);
            CHECK(outcome.ok());
            CHECK(world.stored() == world.files.stdin_bytes);
        }
    }

    TEST_CASE("a checksum of the parts' checksums that the store gives is compared and told") {
        BigWorld world(250);
        engine::Transfer item = put_of("/f", "k");
        item.checksum = ChecksumAlgorithm::sha256;
        std::string digests;
        for (const std::size_t at : {0U, 100U, 200U}) {
            const auto digest = sha256(as_bytes(world.files.files.at("/f").bytes.substr(at, 100)));
            digests.append(reinterpret_cast<const char*>(digest.data()), digest.size());
        }
        const auto whole = sha256(as_bytes(digests));
        const std::string right = to_base64(whole) + "-3";
        for (const bool good : {true, false}) {
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op != wire::Op::complete_multipart_upload) return Fate{};
                const std::string said = good ? right : "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-3";
                return with_body("<CompleteMultipartUploadResult><ETag>\"x-3\"</ETag><ChecksumSHA256>" + said +
                                 "</ChecksumSHA256><ChecksumType>COMPOSITE</ChecksumType>"
                                 "</CompleteMultipartUploadResult>");
            };
            const engine::Outcome outcome = world.run(item);
            CHECK(outcome.ok() == good);
            if (good)
                CHECK(outcome.checksum == "sha256:" + right);
            else
                CHECK(outcome.error->kind == ErrorKind::integrity);
        }
    }
}

TEST_SUITE("engine/rare ends of a get") {
    TEST_CASE(
        "another object in the rest of a download, where the store ignores If-Match, is not joined to the first") {
        for (const bool to_file : {true, false}) {
            CAPTURE(to_file);
            PutWorld world;
            world.stand();
            world.store.honours_get_if_match = false;
            world.network.weather = [&](std::size_t n, const SeenRequest&) {
                if (n == 1) return cut(40);
                world.store.objects.at("b/k").bytes = std::string(90, 'x');
                world.store.objects.at("b/k").etag = "another";
                world.store.echoes_checksums = false;
                return Fate{};
            };
            const engine::Outcome outcome = world.run(get_of("k", to_file ? "/out" : "-"));
            CHECK(outcome.ok() == to_file);
            if (to_file) {
                CHECK(world.files.files.at("/out").bytes == std::string(90, 'x'));
            } else {
                CHECK(outcome.error->kind == ErrorKind::integrity);
                CHECK(world.files.stdout_bytes == text_of(90).substr(0, 40));
            }
        }
    }

    TEST_CASE("--expect-size is held against the bytes of an answer that tells no size") {
        PutWorld world;
        world.stand();
        world.network.weather = [&](std::size_t, const SeenRequest&) {
            Fate out = with_body(text_of(90));
            out.answer.headers.add("etag", "\"e\"");
            return out;
        };
        engine::Transfer item = get_of("k", "/out");
        item.expect_size = 91;
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::integrity);
        CHECK(says(outcome, "--expect-size"));
        CHECK(!world.files.files.contains("/out"));
        item.expect_size = 90;
        CHECK(world.run(item).ok());
    }

    TEST_CASE(
        "a large object whose checksum does not combine from ranges is proven by the finished file or as it leaves") {
        for (const char* target : {"/out", "-"}) {
            for (const bool right : {true, false}) {
                CAPTURE(target);
                CAPTURE(right);
                PutWorld world(737);
                world.config.download.part_bytes = part_bytes;
                world.config.download.stream_part_bytes = part_bytes;
                world.config.download.threshold = 2 * part_bytes;
                world.stand();
                world.store.echoes_checksums = false;
                const auto digest = sha256(as_bytes(text_of(right ? 737 : 736)));
                world.store.objects.at("b/k").etag = "not-an-md5";
                world.store.objects.at("b/k").metadata.add("x-amz-checksum-sha256", to_base64(digest));
                const engine::Outcome outcome = world.run(get_of("k", target));
                CHECK(outcome.ok() == right);
                if (right)
                    CHECK(outcome.checksum == "sha256:" + to_base64(digest));
                else
                    CHECK(outcome.error->kind == ErrorKind::integrity);
                engine::Transfer unchecked = get_of("k", target);
                unchecked.checksum.reset();
                CHECK(world.run(unchecked).ok());
            }
        }
    }
}

TEST_SUITE("engine/rare ends of copies and aborts") {
    TEST_CASE("a copy into a bucket whose versions are suspended is confirmed without the version that has no name") {
        PutWorld world;
        world.stand();
        world.store.objects.at("b/k").etag = "9b2cf535f27731c974343645a3985328-2";
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op != wire::Op::copy_object) return Fate{};
            world.store.objects["b/to"] = world.store.objects.at("b/k");
            Fate out = with_body("<CopyObjectResult><ETag>\"another\"</ETag></CopyObjectResult>");
            out.answer.headers.add("x-amz-version-id", "null");
            return out;
        };
        CHECK(world.run(copy_of("k", "to")).ok());
        CHECK(world.network.seen.back().op == wire::Op::head_object);
        CHECK(world.network.seen.back().request.url.find("versionId") == std::string::npos);
    }

    TEST_CASE("a part of a copy that the store calls damaged is not ours to mend: the upload is aborted") {
        BigWorld world;
        world.config.multipart.copy_threshold = 500;
        REQUIRE(world.run(put_of("/f", "from")).ok());
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::upload_part_copy ? status(400, "BadDigest") : Fate{};
        };
        const engine::Outcome outcome = world.run(copy_of("from", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::integrity);
        CHECK(!world.store.objects.contains("b/k"));
        CHECK(world.store.uploads.open.empty());
    }

    TEST_CASE("an upload that is gone is aborted, whatever the store calls that; a bucket that is gone is a failure") {
        struct Row {
            int status;
            const char* code;
            bool done;
        };
        for (const Row& row : {Row{404, "NoSuchUpload", true}, Row{404, "NoSuchKey", true}, Row{404, "", true},
                               Row{404, "UploadNotFound", true}, Row{404, "NoSuchBucket", false}}) {
            CAPTURE(row.code);
            World world;
            world.network.weather = [&](std::size_t, const SeenRequest&) {
                return *row.code == '\0' ? with_body("", row.status) : status(row.status, row.code);
            };
            engine::Transfer item;
            item.kind = engine::TransferKind::abort_upload;
            item.target = {"b", "k"};
            item.upload_id = "u";
            CHECK(world.run(item).ok() == row.done);
        }
        World world;
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::list_parts ? with_body("<ListPartsResult></ListPartsResult>")
                                                   : with_body("", 204);
        };
        engine::Transfer item;
        item.kind = engine::TransferKind::abort_upload;
        item.target = {"b", "k"};
        item.upload_id = "u";
        CHECK(world.run(item).ok());
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 1);
    }
}

}  // namespace s3tug::sim
