#include <doctest/doctest.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "engine/bodies.h"
#include "engine/body_parts.h"
#include "support/big_world.h"

/// Disks and files that fail underway: the local cause is named, nothing half-made stands anywhere, and the store is
/// not asked again for what is not its fault.
namespace s3tug::sim {
namespace {

/// The n-th such call fails, and all after it.
void break_call(World& world, std::string call, ErrorKind kind, std::size_t n = 1) {
    auto count = std::make_shared<std::size_t>(0);
    world.files.trouble = [=](std::string_view called) -> std::optional<Error> {
        if (called != call || ++*count < n) return std::nullopt;
        return Error{kind, call + ": the disk is broken"};
    };
}

bool names_the_disk(const engine::Outcome& outcome) {
    return !outcome.ok() && outcome.error->message.find("the disk is broken") != std::string::npos;
}

/// An object of 737 bytes in ranges of 100, which wants to come to /out, where an old file stands.
struct GetWorld : World {
    explicit GetWorld(bool in_ranges) {
        config.download.part_bytes = part_bytes;
        config.download.parts_per_request = 1;
        config.download.stream_part_bytes = part_bytes;
        config.multipart.stream_memory = 3 * part_bytes;
        config.download.threshold = in_ranges ? 2 * part_bytes : 1'000'000;
        files.files["/seed"].bytes = text_of(737);
        REQUIRE(run(put_of("/seed", "k")).ok());
        network.seen.clear();
        files.files["/out"].bytes = "old";
    }
    /// So that there are moments between the ranges.
    void one_at_a_time() {
        config.pace.concurrency_max = 2;
        config.pace.concurrency_start = 2;
    }
};

}  // namespace

TEST_SUITE("engine/local troubles") {
    TEST_CASE("a get whose disk fails ends as cannot_write, with the old file in place and the store left in peace") {
        struct Row {
            const char* call;
            bool in_ranges;
            std::size_t requests_max;
        };
        for (const Row& row : {Row{"reserve", false, 1}, Row{"reserve", true, 1}, Row{"write", false, 1},
                               Row{"write", true, 8}, Row{"commit", false, 1}, Row{"commit", true, 8}}) {
            CAPTURE(row.call);
            CAPTURE(row.in_ranges);
            GetWorld world(row.in_ranges);
            break_call(world, row.call, ErrorKind::cannot_write);
            const engine::Outcome outcome = world.run(get_of("k", "/out"));
            REQUIRE(names_the_disk(outcome));
            CHECK(outcome.error->kind == ErrorKind::cannot_write);
            CHECK(world.network.seen.size() <= row.requests_max);
            CHECK(world.files.files.at("/out").bytes == "old");
        }
    }

    TEST_CASE("a part file that cannot be emptied for another object is the disk's fault, not the object's") {
        for (const auto& [in_ranges, ignores_if_match] :
             {std::pair(false, false), std::pair(false, true), std::pair(true, false)}) {
            GetWorld world(in_ranges);
            world.store.honours_get_if_match = !ignores_if_match;
            break_call(world, "truncate", ErrorKind::cannot_write);
            world.network.weather = [&](std::size_t n, const SeenRequest&) {
                if (n == 1) return cut(50);
                world.store.objects.at("b/k").etag = "another";
                world.store.echoes_checksums = false;
                return Fate{};
            };
            const engine::Outcome outcome = world.run(get_of("k", "/out"));
            REQUIRE(names_the_disk(outcome));
            CHECK(outcome.error->kind == ErrorKind::cannot_write);
            CHECK(world.files.files.at("/out").bytes == "old");
        }
    }

    TEST_CASE("what was fetched and cannot be read back is not put in place") {
        for (const bool resumed : {false, true}) {
            CAPTURE(resumed);
            GetWorld world(true);
            world.store.echoes_checksums = false;  // an MD5 is made in order, from the finished file
            if (resumed) {
                world.one_at_a_time();
                CHECK(!world.run_killed_at(6, get_of("k", "/out")));
                world.processes.dead.push_back(world.processes.me.pid++);
            }
            break_call(world, "read back", ErrorKind::cannot_read);
            const engine::Outcome outcome = world.run(get_of("k", "/out"));
            REQUIRE(names_the_disk(outcome));
            CHECK(world.files.files.at("/out").bytes == "old");
            world.files.trouble = nullptr;
            CHECK(world.run(get_of("k", "/out")).ok());
            CHECK(world.files.files.at("/out").bytes == text_of(737));
        }
    }

    TEST_CASE("a kept part file that cannot be emptied is told before anything is sent") {
        GetWorld world(true);
        world.one_at_a_time();
        CHECK(!world.run_killed_at(6, get_of("k", "/out")));
        world.processes.dead.push_back(world.processes.me.pid++);
        world.state.records.clear();  // what lies there is of no use then
        REQUIRE(!world.files.parts.empty());
        world.network.seen.clear();
        break_call(world, "truncate", ErrorKind::cannot_write);
        CHECK(names_the_disk(world.run(get_of("k", "/out"))));
        CHECK(world.network.seen.empty());
    }

    TEST_CASE("a kept part file that is longer than its object and cannot be cut is not taken for the object") {
        GetWorld world(true);
        world.one_at_a_time();
        CHECK(!world.run_killed_at(6, get_of("k", "/out")));
        world.processes.dead.push_back(world.processes.me.pid++);
        world.files.parts.at("/out").bytes.resize(1000, 'x');
        break_call(world, "truncate", ErrorKind::cannot_write);
        CHECK(names_the_disk(world.run(get_of("k", "/out"))));
        CHECK(world.files.files.at("/out").bytes == "old");
        world.files.trouble = nullptr;
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.files.files.at("/out").bytes == text_of(737));
    }

    TEST_CASE("a kept part file for whose rest there is no room any more is kept, and told before anything is sent") {
        GetWorld world(true);
        world.one_at_a_time();
        CHECK(!world.run_killed_at(6, get_of("k", "/out")));
        world.processes.dead.push_back(world.processes.me.pid++);
        world.network.seen.clear();
        break_call(world, "reserve", ErrorKind::disk_full);
        const engine::Outcome outcome = world.run(get_of("k", "/out"));
        REQUIRE(names_the_disk(outcome));
        CHECK(outcome.error->kind == ErrorKind::disk_full);
        CHECK(world.network.seen.empty());
        CHECK(world.files.files.at("/out").bytes == "old");
    }

    TEST_CASE("a stream that refuses bytes which had waited for their turn ends the get") {
        GetWorld world(true);
        // The first range is slow, so those behind it wait in the window.
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            Fate out;
            out.delay = n == 1 ? milliseconds(5) : milliseconds(6);
            if (n == 1) {
                out.pieces = 8;
                out.piece_every = milliseconds(50);
            }
            return out;
        };
        break_call(world, "write", ErrorKind::cannot_write, 16);
        const engine::Outcome outcome = world.run(get_of("k", "-"));
        REQUIRE(names_the_disk(outcome));
        CHECK(outcome.error->kind == ErrorKind::cannot_write);
        CHECK(text_of(737).starts_with(world.files.stdout_bytes));
    }

    TEST_CASE("a source in parts that cannot be read for --expect-sha256 is told before anything is sent") {
        BigWorld world;
        break_call(world, "read", ErrorKind::cannot_read);
        engine::Transfer item = put_of("/f", "k");
        item.expect_sha256 = std::string(64, 'a');
        const engine::Outcome outcome = world.run(item);
        REQUIRE(names_the_disk(outcome));
        CHECK(outcome.error->kind == ErrorKind::cannot_read);
        CHECK(world.network.seen.empty());
    }

    TEST_CASE("a source that can no longer be read fails the put, and no object and no upload is left") {
        struct Row {
            const char* call;
            std::size_t size;
            std::size_t n;
        };
        for (const Row& row : {Row{"stat", 50, 1}, Row{"read", 50, 1}, Row{"stat", 1050, 1}, Row{"read", 1050, 1},
                               Row{"read", 1050, 5}}) {
            CAPTURE(row.call);
            CAPTURE(row.size);
            CAPTURE(row.n);
            BigWorld world(row.size);
            world.config.multipart.abort_on_interrupt = true;
            break_call(world, row.call, ErrorKind::cannot_read, row.n);
            engine::Transfer item = put_of("/f", "k");
            const engine::Outcome outcome = world.run(item);
            REQUIRE(names_the_disk(outcome));
            CHECK(outcome.error->kind == ErrorKind::cannot_read);
            CHECK(world.stored() == "(absent)");
        }
    }

    TEST_CASE("a file that shrinks fails whatever --source-changed says, in one request and in parts") {
        for (const std::size_t size : {std::size_t{90}, std::size_t{1050}}) {
            for (const engine::SourceChanged policy : {engine::SourceChanged::warn, engine::SourceChanged::snapshot}) {
                CAPTURE(size);
                BigWorld world(size);
                world.files.on_read = [&](const std::string& path, uint64_t) {
                    world.files.files.at(path).bytes.resize(40);
                };
                engine::Transfer item = put_of("/f", "k");
                item.source_changed = policy;
                const engine::Outcome outcome = world.run(item);
                REQUIRE(!outcome.ok());
                CHECK(outcome.error->kind == ErrorKind::source_changed);
                CHECK(outcome.error->message.find("became shorter") != std::string::npos);
                CHECK(world.stored() == "(absent)");
                CHECK(world.store.uploads.open.empty());
            }
        }
    }

    TEST_CASE("a stream whose producer or spool fails leaves no object and no upload") {
        struct Row {
            const char* call;
            ErrorKind kind;
            std::size_t n;
            bool spooled;  ///< parts too large for memory
        };
        for (const Row& row :
             {Row{"read on", ErrorKind::cannot_read, 1, false}, Row{"read on", ErrorKind::cannot_read, 4, false},
              Row{"open spool", ErrorKind::cannot_write, 1, true}, Row{"spool", ErrorKind::cannot_write, 2, true},
              Row{"read spool", ErrorKind::cannot_read, 1, true}, Row{"read spool", ErrorKind::cannot_read, 3, true}}) {
            CAPTURE(row.call);
            CAPTURE(row.n);
            BigWorld world;
            world.files.stdin_bytes = text_of(1234);
            if (row.spooled) world.config.multipart.stream_memory = part_bytes;
            break_call(world, row.call, row.kind, row.n);
            const engine::Outcome outcome = world.run(put_of("-", "k"));
            REQUIRE(names_the_disk(outcome));
            CHECK(outcome.error->kind == row.kind);
            CHECK(world.stored() == "(absent)");
            CHECK(world.store.uploads.open.empty());
        }
    }

    TEST_CASE("a producer that fails at any moment, the one after the last part included, leaves no object") {
        std::size_t n = 1;
        for (;; ++n) {
            CAPTURE(n);
            BigWorld world;
            world.config.multipart.parts_max = 3;
            world.files.stdin_bytes = text_of(700);  // what three parts hold: 100, 200 and 400
            break_call(world, "read on", ErrorKind::cannot_read, n);
            const engine::Outcome outcome = world.run(put_of("-", "k"));
            CHECK(world.store.uploads.open.empty());
            if (outcome.ok()) break;
            CHECK(names_the_disk(outcome));
            CHECK(world.stored() == "(absent)");
        }
        CHECK(n > 3);
    }

    TEST_CASE("a producer that is silent until the deadline ends the upload of its stream, which is aborted") {
        BigWorld world;
        world.config.deadline = seconds(5);
        world.files.stdin_bytes = text_of(1234);
        std::size_t reads = 0;
        world.files.trouble = [&](std::string_view call) -> std::optional<Error> {
            if (call != "read on" || ++reads < 4) return std::nullopt;
            world.clock.passed += seconds(1);
            return Error{ErrorKind::deadline, "nothing came"};
        };
        const engine::Outcome outcome = world.run(put_of("-", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::deadline);
        CHECK(world.stored() == "(absent)");
        CHECK(world.store.uploads.open.empty());
    }
}

TEST_SUITE("engine/bodies") {
    TEST_CASE("a stream beyond the memory of one goes to a spool file, and both are read as one") {
        World world;
        const std::size_t more = 1000;
        world.files.stdin_bytes = text_of(limits::spool_memory_bytes + more);
        const auto source = world.files.open_stdin().value();
        const uint64_t most = 2 * limits::spool_memory_bytes;
        Result<std::unique_ptr<engine::UploadBody>> body =
            engine::spool_stream(*source, world.files, "/spool", most, std::nullopt);
        REQUIRE(body.ok());
        CHECK((*body)->size() == world.files.stdin_bytes.size());
        const Result<engine::BodyDigests> digests = engine::digest_body(**body, {.sha256 = true, .checksum = {}});
        REQUIRE(digests.ok());
        CHECK(digests->sha256_hex == to_hex(sha256(as_bytes(world.files.stdin_bytes))));
        std::array<std::byte, 8> end{};
        CHECK((*body)->read((*body)->size(), end).value() == 0);
        CHECK((*body)->read((*body)->size() - 3, end).value() == 3);

        break_call(world, "read spool", ErrorKind::cannot_read);
        CHECK(!(*body)->read(limits::spool_memory_bytes + 1, end).ok());
        REQUIRE((*body)->error().has_value());
        CHECK((*body)->error()->kind == ErrorKind::cannot_read);
    }

    TEST_CASE("a stream that cannot be spooled is told, by the file or by its length") {
        for (const char* call : {"open spool", "spool", "read on"}) {
            CAPTURE(call);
            World world;
            world.files.stdin_bytes = text_of(limits::spool_memory_bytes + 1000);
            const auto source = world.files.open_stdin().value();
            break_call(world, call, ErrorKind::cannot_write);
            const auto body =
                engine::spool_stream(*source, world.files, "/spool", 2 * limits::spool_memory_bytes, std::nullopt);
            REQUIRE(!body.ok());
            CHECK(body.error().kind == ErrorKind::cannot_write);
        }
        World world;
        world.files.stdin_bytes = text_of(2001);
        const auto source = world.files.open_stdin().value();
        const auto body = engine::spool_stream(*source, world.files, "/spool", 2000, std::nullopt);
        REQUIRE(!body.ok());
        CHECK(body.error().kind == ErrorKind::unsupported);
        CHECK(body.error().message.find("longer than") != std::string::npos);
    }

    TEST_CASE("a body gives nothing at its end and beyond it, whatever it is made of") {
        World world;
        world.files.files["/f"].bytes = world.files.stdin_bytes = text_of(250);
        const auto stream = world.files.open_stdin().value();
        const auto file = [&world] {
            return engine::file_body(world.files.open_source("/f").value(), "/f", engine::SourceChanged::fail);
        };
        const std::shared_ptr<engine::UploadBody> whole = file();
        const auto window =
            engine::body_parts(whole, engine::PartPlan{250, 100}, engine::PartStyle{})->next(false).value();
        struct Row {
            const char* what;
            port::BodySource& body;
            uint64_t size;
        };
        const auto spooled = engine::spool_stream(*stream, world.files, "/spool", 1000, std::nullopt).value();
        for (const Row& row :
             {Row{"file", *whole, 250}, Row{"stream", *spooled, 250}, Row{"part", *window->body, 100}}) {
            CAPTURE(row.what);
            std::array<std::byte, 8> out{};
            CHECK(row.body.read(row.size - 3, out).value() == 3);
            CHECK(row.body.read(row.size, out).value() == 0);
            CHECK(row.body.read(row.size + 1, out).value() == 0);
            CHECK(to_hex(md5(as_bytes(text_of(250).substr(0, row.size)))) ==
                  engine::md5_of(row.body, row.size).value());
            CHECK(engine::md5_of(row.body, row.size + 1).error().kind == ErrorKind::bug);
        }
    }
}

}  // namespace s3tug::sim
