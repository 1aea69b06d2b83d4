#include <doctest/doctest.h>

#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

const std::string text = "0123456789abcdefghijklmnopqrstuvwxyz";

void stand(World& world) {
    world.files.files["/seed"].bytes = text;
    REQUIRE(world.run(put_of("/seed", "k")).ok());
    world.network.seen.clear();
}

}  // namespace

TEST_SUITE("engine/get") {
    TEST_CASE("a healthy get is one request, verified, and in place") {
        World world;
        stand(world);
        const engine::Outcome outcome = world.run(get_of("k", "/out"));
        CHECK(outcome.ok());
        CHECK(world.files.files["/out"].bytes == text);
        CHECK(world.network.seen.size() == 1);
        CHECK(outcome.checksum.starts_with("crc64nvme:"));
        CHECK(outcome.size == text.size());
    }

    TEST_CASE("an object is not put where a download that is not finished would keep its bytes") {
        for (const char* name : {"/d/.out.s3tug-part", ".out.s3tug-part", "/d/.out.s3tug-part-17-3"}) {
            CAPTURE(name);
            World world;
            stand(world);
            const engine::Outcome outcome = world.run(get_of("k", name));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::cannot_write);
            CHECK(world.network.seen.empty());
        }
    }

    TEST_CASE("a cut download continues at the byte reached, pinned to the same object, also on stdout") {
        for (const std::string target : {"/out", "-"}) {
            CAPTURE(target);
            World world;
            stand(world);
            world.network.weather = [](std::size_t n, const SeenRequest&) { return n <= 2 ? cut(10) : Fate{}; };
            CHECK(world.run(get_of("k", target)).ok());
            CHECK((target == "-" ? world.files.stdout_bytes : world.files.files["/out"].bytes) == text);
            REQUIRE(world.network.seen.size() == 3);
            CHECK(world.network.seen[1].request.headers.find("range") == "bytes=10-");
            CHECK(world.network.seen[2].request.headers.find("range") == "bytes=20-");
            CHECK(world.network.seen[1].request.headers.find("if-match").has_value());
        }
    }

    TEST_CASE("a store that ignores ranges sends the whole object again, and no byte is written twice") {
        for (const std::string target : {"/out", "-"}) {
            CAPTURE(target);
            World world;
            stand(world);
            world.store.ignores_ranges = true;
            world.network.weather = [](std::size_t n, const SeenRequest&) { return n == 1 ? cut(10) : Fate{}; };
            CHECK(world.run(get_of("k", target)).ok());
            CHECK((target == "-" ? world.files.stdout_bytes : world.files.files["/out"].bytes) == text);
            CHECK(world.network.seen.size() == 2);
        }
    }

    TEST_CASE("an object that changes between two attempts is fetched anew to a file and refused on stdout") {
        struct Row {
            bool to_file;
            bool store_pins;  ///< else only its ETag tells
        };
        for (const Row row : {Row{true, true}, Row{false, true}, Row{true, false}, Row{false, false}}) {
            CAPTURE(row.to_file);
            CAPTURE(row.store_pins);
            World world;
            world.store.echoes_checksums = false;
            world.store.honours_get_if_match = row.store_pins;
            stand(world);
            world.store.objects["b/k"].etag = "not-an-md5";
            world.network.weather = [&](std::size_t n, const SeenRequest&) {
                if (n == 1) return cut(10);
                SimObject& object = world.store.objects["b/k"];
                object.bytes = "another object altogether, as long!!";
                object.etag = "nor-is-this";
                return Fate{};
            };
            const engine::Outcome outcome = world.run(get_of("k", row.to_file ? "/out" : "-"));
            if (row.to_file) {
                CHECK(outcome.ok());
                CHECK(world.files.files["/out"].bytes == "another object altogether, as long!!");
            } else {
                REQUIRE(!outcome.ok());
                CHECK(outcome.error->kind == ErrorKind::integrity);
                CHECK(world.files.stdout_bytes == text.substr(0, 10));
            }
        }
    }

    TEST_CASE("damaged bytes are fetched once more; damaged again they are not put in place") {
        for (const char* by : {"crc64nvme:", "md5:"}) {
            CAPTURE(by);
            World world;
            stand(world);
            world.store.echoes_checksums = std::string(by) == "crc64nvme:";
            world.network.weather = [](std::size_t n, const SeenRequest&) {
                return n == 1 ? fate(Fate::Kind::flip) : Fate{};
            };
            CHECK(world.run(get_of("k", "/out")).checksum.starts_with(by));
            CHECK(world.files.files["/out"].bytes == text);

            world.files.files["/out"].bytes = "old";
            world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::flip); };
            const engine::Outcome outcome = world.run(get_of("k", "/out"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::integrity);
            CHECK(world.files.files["/out"].bytes == "old");
        }
    }

    TEST_CASE("how a get ends when it cannot succeed") {
        struct Row {
            const char* what;
            Fate fate_of_all;
            const char* target;
            ErrorKind kind;
            std::size_t requests;
        };
        const Row rows[] = {
            {"absent key", status(404, "NoSuchKey"), "/out", ErrorKind::not_found, 1},
            {"denied", status(403, "AccessDenied"), "/out", ErrorKind::access_denied, 1},
            {"unwritable", Fate{}, "/readonly/out", ErrorKind::cannot_write, 0},
            {"always reset", fate(Fate::Kind::reset_before), "/out", ErrorKind::gave_up, 7},
            {"archived", status(403, "InvalidObjectState"), "/out", ErrorKind::access_denied, 1},
        };
        for (const Row& row : rows) {
            CAPTURE(row.what);
            World world;
            stand(world);
            world.files.files["/out"].bytes = "old";
            world.network.weather = [&](std::size_t, const SeenRequest&) { return row.fate_of_all; };
            const engine::Outcome outcome = world.run(get_of("k", row.target));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == row.kind);
            CHECK(world.network.seen.size() == row.requests);
            CHECK(world.files.files["/out"].bytes == "old");
        }
    }

    TEST_CASE("a 200 that names no object writes nothing, to a file or to stdout") {
        World world;
        stand(world);
        world.files.files["/out"].bytes = "precious";
        world.config.retry.retries = 1;
        world.network.weather = [](std::size_t, const SeenRequest&) {
            Fate portal = status(200, "InternalError");
            portal.answer.headers.add("content-type", "text/html");
            return portal;
        };
        CHECK(!world.run(get_of("k", "/out")).ok());
        CHECK(!world.run(get_of("k", "-")).ok());
        CHECK(world.files.files["/out"].bytes == "precious");
        CHECK(world.files.stdout_bytes.empty());
    }

    TEST_CASE("a reader of stdout that goes away ends the get with broken_pipe and no retry") {
        World world;
        stand(world);
        world.files.stdout_breaks = true;
        const engine::Outcome outcome = world.run(get_of("k", "-"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::broken_pipe);
        CHECK(world.network.seen.size() == 1);
    }

    TEST_CASE("--expect-size and --expect-sha256 are held against the object") {
        World world;
        stand(world);
        engine::Transfer item = get_of("k", "/out");
        item.expect_size = 5;
        CHECK(world.run(item).error->kind == ErrorKind::integrity);
        item.expect_size = text.size();
        item.expect_sha256 = std::string(64, 'a');
        CHECK(world.run(item).error->kind == ErrorKind::integrity);
        // printf 0123456789abcdefghijklmnopqrstuvwxyz | sha256sum
        item.expect_sha256 = "74e7e5bb9d22d6db26bf76946d40fff3ea9f0346b884fd0694920fccfad15e33";
        CHECK(world.run(item).ok());
    }

    TEST_CASE("an unanswered request is ended by the watchdog and tried again") {
        World world;
        stand(world);
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n == 1 ? fate(Fate::Kind::hang) : Fate{};
        };
        std::size_t polls = 0;
        world.network.on_poll = [&] {
            if (++polls > 10'000) world.stop = 15;  // it would go on for ever
        };
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.clock.passed >= limits::answer_timeout);
        CHECK(world.network.seen.size() == 2);
    }
}

}  // namespace s3tug::sim
