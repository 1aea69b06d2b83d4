#include <doctest/doctest.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "engine/stream_parts.h"
#include "support/big_world.h"

namespace s3tug::sim {
namespace {

bool stored_is(const BigWorld& world, const std::string& bytes) { return world.stored() == bytes; }

}  // namespace

TEST_SUITE("engine/multipart_stream") {
    TEST_CASE("a stream within the threshold is a plain put, one byte more is a multipart upload") {
        for (const std::size_t size : {std::size_t{0}, std::size_t{1}, part_bytes, part_bytes + 1, 3 * part_bytes,
                                       3 * part_bytes + 1, 20 * part_bytes}) {
            CAPTURE(size);
            BigWorld world;
            world.files.stdin_bytes = text_of(size);
            const engine::Outcome outcome = world.run(put_of("-", "k"));
            CHECK(outcome.ok());
            CHECK(outcome.size == size);
            CHECK(stored_is(world, world.files.stdin_bytes));
            CHECK((world.network.count(wire::Op::create_multipart_upload) == 1) == (size > part_bytes));
            CHECK(world.store.uploads.open.empty());
            CHECK(world.rows() == 0);
        }
    }

    TEST_CASE("parts of a stream grow on the schedule and end with the store's limit") {
        BigWorld world;
        world.config.multipart.parts_max = 80;
        world.config.multipart.stream_memory = 800;
        world.files.stdin_bytes = text_of(5000);
        CHECK(world.run(put_of("-", "k")).ok());
        CHECK(stored_is(world, world.files.stdin_bytes));
        // Two parts of each size: 2 * (100 + 200 + 400 + 800) = 3000, then 1600 and 400.
        CHECK(world.network.count(wire::Op::upload_part) == 10);

        const engine::MultipartConfig aws;
        CHECK(engine::stream_part_size(1, aws) == 16ULL << 20);
        CHECK(engine::stream_part_size(250, aws) == 16ULL << 20);
        CHECK(engine::stream_part_size(251, aws) == 32ULL << 20);
        CHECK(engine::stream_part_size(10'000, aws) == limits::part_max_bytes);
        uint64_t all = 0;
        for (unsigned n = 1; n <= 10'000; ++n) all += engine::stream_part_size(n, aws);
        CHECK((all >> 40) == 39);
    }

    TEST_CASE("what parts of streams hold stays within the run's budget, by one part each for who holds nothing") {
        BigWorld world;
        world.config.multipart.stream_memory = 3 * part_bytes;
        world.files.stdin_bytes = text_of(20 * part_bytes);
        engine::Ports ports{world.clock, world.processes,   world.network, world.files,
                            world.state, world.credentials, world.observer};
        engine::Services services(ports, world.config, Rng(1));
        const auto supply = [&] {
            return engine::stream_parts(services, {std::move(world.files.open_stdin().value()), nullptr}, {}, {});
        };
        const auto all_that_fit = [](engine::PartSupply& from) {
            std::vector<std::unique_ptr<engine::Part>> held;
            for (;;) {
                auto part = from.next(false);
                REQUIRE(part.ok());
                if (*part == nullptr) return held;
                held.push_back(std::move(*part));
            }
        };
        const auto one = supply();
        const auto other = supply();
        auto first = all_that_fit(*one);
        CHECK(first.size() == 3);
        CHECK(services.buffers.held() == services.buffers.limit());
        auto second = all_that_fit(*other);
        CHECK(second.size() == 1);
        CHECK(services.buffers.held() == 4 * part_bytes);
        first.clear();
        CHECK(services.buffers.held() == part_bytes);
        CHECK(all_that_fit(*one).size() == 2);
        CHECK(services.buffers.held() == part_bytes);
        CHECK(services.buffers.peak() == 4 * part_bytes);
    }

    TEST_CASE("a stream that is longer than all parts hold is refused, and its upload aborted; just fitting is fine") {
        for (const std::size_t more : {std::size_t{0}, std::size_t{1}}) {
            BigWorld world;
            world.config.multipart.parts_max = 5;
            world.files.stdin_bytes = text_of(100 * (1 + 2 + 4 + 8 + 16) + more);
            const engine::Outcome outcome = world.run(put_of("-", "k"));
            CHECK(outcome.ok() == (more == 0));
            if (more == 0) continue;
            CHECK(outcome.error->kind == ErrorKind::unsupported);
            CHECK(world.stored() == "(absent)");
            CHECK(world.store.uploads.open.empty());
        }
    }

    TEST_CASE("what is read and not yet sent stays within the memory bound, or two spooled parts") {
        for (const std::size_t memory : {std::size_t{300}, std::size_t{100}}) {
            CAPTURE(memory);
            BigWorld world;
            world.config.multipart.stream_memory = memory;
            world.files.stdin_bytes = text_of(4000);
            std::size_t most = 0;
            world.network.on_poll = [&] {
                const std::size_t sent = world.store.uploads.part_bytes_stored;
                most = std::max(most, world.files.stdin_read - std::min(world.files.stdin_read, sent));
            };
            CHECK(world.run(put_of("-", "k")).ok());
            CHECK(stored_is(world, world.files.stdin_bytes));
            const std::size_t bound = memory == 300 ? 300 : 2 * part_bytes;
            CHECK(most <= bound + 1);
            CHECK(most > part_bytes);
        }
    }

    TEST_CASE("whatever the first requests of an operation meet, the stream arrives right and once") {
        for (const wire::Op op :
             {wire::Op::create_multipart_upload, wire::Op::upload_part, wire::Op::complete_multipart_upload}) {
            for (const Fate& trouble : {status(503, "SlowDown"), status(500, "InternalError"),
                                        fate(Fate::Kind::reset_before), fate(Fate::Kind::reset_after)}) {
                BigWorld world;
                world.files.stdin_bytes = text_of(1234);
                std::size_t n = 0;
                world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                    return seen.op == op && n++ < 2 ? trouble : Fate{};
                };
                CHECK(world.run(put_of("-", "k")).ok());
                CHECK(stored_is(world, world.files.stdin_bytes));
                CHECK(world.store.effects.size() == 1);
                CHECK(world.store.uploads.open.empty());
            }
        }
    }

    TEST_CASE("a producer that failed must not become a verified backup, and its upload is aborted") {
        BigWorld world;
        world.files.stdin_bytes = text_of(1234);
        engine::Transfer item = put_of("-", "k");
        item.expect_size = 2000;
        CHECK(world.run(item).error->kind == ErrorKind::integrity);
        item.expect_size.reset();
        item.expect_sha256 = std::string(64, '0');
        CHECK(world.run(item).error->kind == ErrorKind::integrity);
        CHECK(world.stored() == "(absent)");
        CHECK(world.store.uploads.open.empty());
        item.expect_sha256 = to_hex(sha256(as_bytes(world.files.stdin_bytes)));
        item.expect_size = 1234;
        CHECK(world.run(item).ok());
    }

    TEST_CASE("an outage ends the stream's upload for good: aborted when the store can be reached") {
        BigWorld world;
        world.files.stdin_bytes = text_of(1234);
        std::size_t parts = 0;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::upload_part && ++parts > 4 ? status(503, "SlowDown") : Fate{};
        };
        const engine::Outcome outcome = world.run(put_of("-", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::gave_up);
        CHECK(world.store.uploads.open.empty());
    }

    TEST_CASE("a signal ends a stream's upload with an Abort, within the grace") {
        BigWorld world;
        world.files.stdin_bytes = text_of(5000);
        std::size_t turns = 0;
        world.network.on_poll = [&] {
            if (++turns == 12) world.stop = 15;
        };
        const engine::Outcome outcome = world.run(put_of("-", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::interrupted);
        CHECK(world.store.uploads.open.empty());
        CHECK(world.stored() == "(absent)");
    }

    TEST_CASE("a stream with an idempotency key is read whole first, and the repeat sends nothing") {
        BigWorld world;
        world.files.stdin_bytes = text_of(1234);
        engine::Transfer item = put_of("-", "k");
        item.idempotency_key = "job-1";
        CHECK(world.run(item).ok());
        CHECK(stored_is(world, world.files.stdin_bytes));
        const std::size_t seen = world.network.seen.size();
        CHECK(world.run(item).cached);
        CHECK(world.network.seen.size() == seen);
    }
}

TEST_SUITE("engine/multipart_copy") {
    struct CopyWorld : BigWorld {
        CopyWorld() {
            config.multipart.copy_threshold = 500;
            files.files["/f"].bytes = text_of(1050);
            REQUIRE(run(put_of("/f", "from")).ok());
            store.objects.at("b/from").metadata.add("x-amz-meta-color", "red");
            store.objects.at("b/from").content_type = "text/plain";
            store.effects.clear();
        }
    };

    TEST_CASE("a large object is copied in parts, each pinned, with its metadata, verified by the source's checksum") {
        CopyWorld world;
        const engine::Outcome outcome = world.run(copy_of("from", "k"));
        CHECK(outcome.ok());
        CHECK(world.right());
        CHECK(world.network.count(wire::Op::upload_part_copy) == 11);
        for (const SeenRequest& seen : world.network.seen) {
            if (seen.op == wire::Op::upload_part_copy) CHECK(seen.request.headers.find("x-amz-copy-source-if-match"));
        }
        CHECK(world.store.objects.at("b/k").metadata.find("x-amz-meta-color") == "red");
        CHECK(outcome.checksum == "crc64nvme:" + world.store.objects.at("b/from").crc64);
        CHECK(world.store.effects.size() == 1);
    }

    TEST_CASE("a source that is overwritten while it is copied fails, also where the store ignores the pin") {
        for (const bool pinned : {true, false}) {
            CopyWorld world;
            world.store.honours_pin = pinned;
            std::size_t parts = 0;
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op == wire::Op::upload_part_copy && ++parts == 6) {
                    world.store.objects.at("b/from").etag = "other";
                    world.store.objects.at("b/from").bytes[900] ^= 1;
                }
                return Fate{};
            };
            const engine::Outcome outcome = world.run(copy_of("from", "k"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->message.find("source changed") != std::string::npos);
            CHECK(world.stored() == "(absent)");
            CHECK(world.store.uploads.open.empty());
        }
    }

    TEST_CASE("faults on each operation of a copy in parts end well, and what is hopeless leaves nothing") {
        for (const wire::Op op :
             {wire::Op::create_multipart_upload, wire::Op::upload_part_copy, wire::Op::complete_multipart_upload}) {
            for (const Fate& trouble : {status(503, "SlowDown"), status(200, "InternalError"),
                                        fate(Fate::Kind::reset_before), fate(Fate::Kind::reset_after)}) {
                CopyWorld world;
                std::size_t n = 0;
                world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                    return seen.op == op && n++ < 2 ? trouble : Fate{};
                };
                CHECK(world.run(copy_of("from", "k")).ok());
                CHECK(world.right());
                CHECK(world.store.effects.size() == 1);
                CHECK(world.store.uploads.open.empty());
            }
        }
        CopyWorld world;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::upload_part_copy ? status(403, "AccessDenied") : Fate{};
        };
        CHECK(world.run(copy_of("from", "k")).error->kind == ErrorKind::access_denied);
        CHECK(world.store.uploads.open.empty());
    }

    TEST_CASE("a stream's beginning that was spooled and cannot be read again ends the upload with that error") {
        BigWorld world;
        world.config.multipart.threshold = limits::spool_memory_bytes + 1000;
        world.config.multipart.part_size = limits::part_min_bytes;
        world.config.multipart.stream_memory = limits::stream_memory_bytes;
        world.files.stdin_bytes.assign(limits::spool_memory_bytes + 2000, 'x');
        world.files.trouble = [](std::string_view call) -> std::optional<Error> {
            if (call != "read spool") return std::nullopt;
            return Error{ErrorKind::cannot_read, "the spool is torn"};
        };
        const engine::Outcome outcome = world.run(put_of("-", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::cannot_read);
        CHECK(world.network.count(wire::Op::complete_multipart_upload) == 0);
        CHECK(world.store.uploads.open.empty());
    }

    TEST_CASE("a part that is larger than one turn's reading is read in several, and signals are heard between") {
        BigWorld world;
        const std::size_t size = limits::turn_bytes + (1U << 20);
        world.config.multipart.part_size = 2 * limits::turn_bytes;
        world.files.stdin_bytes.assign(size, 'x');
        std::size_t seen_read = 0;
        world.network.on_poll = [&] {
            const std::size_t read = world.files.stdin_read;
            if (read <= part_bytes + 1 || read >= size) return;
            seen_read = read;
            world.stop = 15;
        };
        const engine::Outcome outcome = world.run(put_of("-", "k"));
        CHECK(seen_read >= limits::turn_bytes);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::interrupted);
        CHECK(world.network.count(wire::Op::upload_part) == 0);
        CHECK(world.files.stdin_read < size);
    }
}

}  // namespace s3tug::sim
