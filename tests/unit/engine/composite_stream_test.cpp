#include <doctest/doctest.h>

#include <functional>

#include "support/composite_world.h"

namespace s3tug::sim {
namespace {

// SHA-256: python's hashlib.
const Cut halves{{20, 10}, "Uqxi/g==-2"};
const Cut late{{8, 9, 7, 6}, "x/al9w==-4"};  // first, last and number let presume 8, 8, 8 and 6
const Cut uniform_sha{{12, 12, 6}, "EzUpq2D0UBOBGS6Mj74Y1UpjyF/sFXq8GqpxxRt8eAA=-3", "sha256"};
const Cut uneven_sha{{5, 20, 5}, "Ad0OMew+K5L5Qdl/GYU81K5Cndhe3X26Uqlbqdlup90=-3", "sha256"};

struct Row {
    const Cut* cut;
    unsigned looks;
    unsigned looks_damaged;
};
const Row rows[] = {
    {&uniform, 2, 3}, {&uneven, 3, 3},      {&deceptive, 3, 3},  {&single, 0, 0},
    {&halves, 1, 2},  {&uniform_sha, 2, 3}, {&uneven_sha, 3, 3},
};

std::string verified_by(const Cut& cut) { return std::string(cut.algorithm) + ":" + cut.value; }

}  // namespace

TEST_SUITE("engine/composite_stream") {
    TEST_CASE("no byte leaves by a stream before it is known where its parts end, and all are held against them") {
        for (const Row& row : rows) {
            for (const bool ranged : {false, true}) {
                CAPTURE(row.cut->value);
                CAPTURE(ranged);
                CompositeWorld world(*row.cut, ranged);
                world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                    Fate slow;
                    if (!asks_part(seen)) return slow;
                    CHECK(world.files.stdout_bytes.empty());
                    CHECK(seen.request.headers.find("if-match").has_value());
                    slow.delay = seconds(3);
                    return slow;
                };
                const engine::Outcome outcome = world.run(get_of("k", "-"));
                REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? "" : outcome.error->message));
                CHECK(world.files.stdout_bytes == text);
                CHECK(outcome.checksum == verified_by(*row.cut));
                CHECK(outcome.size == text.size());
                CHECK(world.network.count(wire::Op::head_object) == row.looks);
                CHECK(!world.noted("not compared"));
            }
        }
    }

    TEST_CASE("a small object comes by one answer, as it would without such a checksum") {
        CompositeWorld world(uniform, false);
        world.config.multipart.stream_memory = 100;
        REQUIRE(world.run(get_of("k", "-")).ok());
        CHECK(world.network.count(wire::Op::get_object) == 1);
    }

    TEST_CASE("a bit that is another one when every size is told: exit 65, and what has left is not to be trusted") {
        for (const Row& row : rows) {
            for (const bool in_store : {false, true}) {
                CAPTURE(row.cut->value);
                CAPTURE(in_store);
                CompositeWorld world(*row.cut, in_store);
                if (in_store) world.store.objects["b/k"].bytes[13] ^= 1;
                world.network.weather = [&](std::size_t n, const SeenRequest&) {
                    return n == 1 && !in_store ? fate(Fate::Kind::flip) : Fate{};
                };
                const engine::Outcome outcome = world.run(get_of("k", "-"));
                REQUIRE(!outcome.ok());
                CHECK(outcome.error->kind == ErrorKind::integrity);
                CHECK(outcome.error->message.starts_with("bytes did not match (checksum of the parts is "));
                CHECK(outcome.error->message.find("the store says " + verified_by(*row.cut)) != std::string::npos);
                CHECK(outcome.error->message.ends_with("cannot be taken back: do not trust them"));
                CHECK(world.files.stdout_bytes.size() == text.size());
                CHECK(world.network.count(wire::Op::head_object) == row.looks_damaged);
            }
        }
    }

    TEST_CASE("whatever happens to one answer, a stream that waits gets each byte once and is compared") {
        Fate trickle = cut(5);
        trickle.pieces = 3;
        Fate slow;
        slow.delay = seconds(3);
        const Fate fates[] = {fate(Fate::Kind::reset_before),
                              fate(Fate::Kind::reset_after),
                              fate(Fate::Kind::hang),
                              headed(503),
                              trickle,
                              slow};
        for (const Cut* cut : {&uniform, &uneven}) {
            for (const bool ranged : {false, true}) {
                for (const Fate& one : fates) {
                    for (std::size_t victim = 1; victim <= 7; ++victim) {
                        CAPTURE(cut->value);
                        CAPTURE(ranged);
                        CAPTURE(static_cast<int>(one.kind));
                        CAPTURE(victim);
                        CompositeWorld world(*cut, ranged);
                        world.network.weather = [&](std::size_t n, const SeenRequest&) {
                            return n == victim ? one : Fate{};
                        };
                        const engine::Outcome outcome = world.run(get_of("k", "-"));
                        REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? "" : outcome.error->message));
                        CHECK(world.files.stdout_bytes == text);
                        CHECK(outcome.checksum == verified_by(*cut));
                    }
                }
            }
        }
    }

    TEST_CASE("an object that is replaced while its first bytes wait is begun anew") {
        CompositeWorld world(uneven, true);
        world.network.weather = [&](std::size_t n, const SeenRequest& seen) {
            Fate out;
            if (asks_part(seen)) out.delay = seconds(3);
            if (n == 3) world.store.objects["b/k"].etag = "f-3";
            return out;
        };
        const engine::Outcome outcome = world.run(get_of("k", "-"));
        REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? "" : outcome.error->message));
        CHECK(outcome.etag == "f-3");
        CHECK(world.files.stdout_bytes == text);
    }

    TEST_CASE("a store that does not tell where the parts end takes the comparison, not the stream") {
        const auto refusing = [](int status) {
            return [status](CompositeWorld& w) {
                w.network.weather = [status](std::size_t, const SeenRequest& s) {
                    return asks_part(s) ? headed(status) : Fate{};
                };
            };
        };
        struct Trouble {
            const char* what;
            std::function<void(CompositeWorld&)> make;
        };
        const Trouble troubles[] = {
            {"answers for the whole", [](CompositeWorld& w) { w.store.knows_part_number = false; }},
            {"has no ranges", [](CompositeWorld& w) { w.store.says_ranges = false; }},
            {"denied", refusing(403)},
            {"not implemented", refusing(501)},
            {"refuses what has no condition", refusing(412)},
        };
        for (const Trouble& trouble : troubles) {
            for (const bool ranged : {false, true}) {
                CAPTURE(trouble.what);
                CAPTURE(ranged);
                CompositeWorld world(uniform, ranged);
                trouble.make(world);
                const engine::Outcome outcome = world.run(get_of("k", "-"));
                REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? "" : outcome.error->message));
                CHECK(world.files.stdout_bytes == text);
                CHECK(outcome.checksum.empty());
                CHECK(world.noted("not compared: only a checksum of parts is there"));
            }
        }
    }

    TEST_CASE(
        "parts of several sizes that are told only when bytes have left prove nothing, and are not told damaged") {
        CompositeWorld world(late, true);
        const engine::Outcome outcome = world.run(get_of("k", "-"));
        REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? "" : outcome.error->message));
        CHECK(world.files.stdout_bytes == text);
        CHECK(outcome.checksum.empty());
        CHECK(world.noted("its parts turned out to be of uneven size too late"));

        CompositeWorld down(late, true);
        down.network.weather = [](std::size_t, const SeenRequest& seen) {
            const bool middle = seen.request.url.find("partNumber=3") != std::string::npos ||
                                seen.request.url.find("partNumber=2") != std::string::npos;
            return middle ? headed(503) : Fate{};
        };
        const engine::Outcome doubtful = down.run(get_of("k", "-"));
        REQUIRE(!doubtful.ok());
        CHECK(doubtful.error->kind == ErrorKind::gave_up);
    }

    TEST_CASE("while the sizes cannot be had for now no byte leaves, and the get ends as one to be run again") {
        for (const bool ranged : {false, true}) {
            CompositeWorld world(uniform, ranged);
            world.network.weather = [](std::size_t, const SeenRequest& seen) {
                return asks_part(seen) ? headed(503) : Fate{};
            };
            const engine::Outcome outcome = world.run(get_of("k", "-"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::gave_up);
            CHECK(world.files.stdout_bytes.empty());
        }
    }

    TEST_CASE("an object that is replaced when its bytes have left and are in doubt: they are not to be trusted") {
        CompositeWorld world(uniform, false);
        world.network.weather = [&](std::size_t n, const SeenRequest& seen) {
            if (seen.request.url.find("partNumber=2") != std::string::npos) world.store.objects["b/k"].etag = "f-3";
            return n == 1 ? fate(Fate::Kind::flip) : Fate{};
        };
        const engine::Outcome outcome = world.run(get_of("k", "-"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::integrity);
        CHECK(outcome.error->message.ends_with("cannot be taken back: do not trust them"));
    }

    TEST_CASE("where parts have ETags of their own, a look at the whole goes before the first byte") {
        for (const bool good : {true, false}) {
            CAPTURE(good);
            CompositeWorld world(uneven, true);
            world.store.parts_have_etags = true;
            if (!good) world.store.objects["b/k"].bytes[13] ^= 1;
            const engine::Outcome outcome = world.run(get_of("k", "-"));
            REQUIRE(outcome.ok() == good);
            CHECK(world.network.count(wire::Op::head_object) == 5);  // one is refused
            if (good) CHECK(outcome.checksum == verified_by(uneven));
            if (!good) CHECK(outcome.error->kind == ErrorKind::integrity);
        }
    }

    TEST_CASE("a signal while the stream waits ends it before a byte has left, and so does a reader that went away") {
        CompositeWorld world(uniform, true);
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (!asks_part(seen)) return Fate{};
            world.stop = 15;
            return fate(Fate::Kind::hang);
        };
        const engine::Outcome stopped = world.run(get_of("k", "-"));
        REQUIRE(!stopped.ok());
        CHECK(stopped.error->kind == ErrorKind::interrupted);
        CHECK(world.files.stdout_bytes.empty());

        CompositeWorld broken(uniform, true);
        broken.files.stdout_breaks = true;
        const engine::Outcome gone = broken.run(get_of("k", "-"));
        REQUIRE(!gone.ok());
        CHECK(gone.error->kind == ErrorKind::broken_pipe);
    }

    TEST_CASE("nothing is asked for with --checksum none") {
        CompositeWorld world(uniform, false);
        engine::Transfer item = get_of("k", "-");
        item.checksum.reset();
        CHECK(world.run(item).ok());
        CHECK(world.files.stdout_bytes == text);
        CHECK(world.network.count(wire::Op::head_object) == 0);
        CHECK(!world.noted("not compared"));
    }
}

TEST_SUITE("engine/uneven_parts") {
    // Bytes and values: 1000 parts of 2, 1, 1, ... bytes, and 1001 of 2, by python's zlib.
    TEST_CASE("no more than 1000 parts of uneven size are asked for, and damage is found in any number of even ones") {
        struct Many {
            const char* what;
            std::vector<std::size_t> sizes;
            const char* value;
            bool damaged;
            std::size_t least;
            std::size_t most;  ///< HEADs; as many as fly at once may be on their way when one tells
        };
        const auto first_larger = [](std::size_t parts) {
            std::vector<std::size_t> sizes(parts, 1);
            sizes.front() = 2;
            return sizes;
        };
        const std::vector<std::size_t> even(1001, 2);
        std::vector<std::size_t> last_differs = even;
        last_differs[999] = 1;
        last_differs[1000] = 3;
        const Many many[] = {
            {"as many as are asked for", first_larger(1000), "p/3+IQ==-1000", false, 1000, 1000},
            {"one more", first_larger(1001), "AAAAAA==-1001", false, 1, 1},
            {"the last one tells", last_differs, "AAAAAA==-1001", false, 2, 17},
            {"even", even, "X8FYKg==-1001", false, 1, 2},
            {"even and damaged", even, "X8FYKg==-1001", true, 1001, 2002},  // a file is fetched twice
        };
        for (const Many& row : many) {
            for (const char* to : {"/out", "-"}) {
                CAPTURE(row.what);
                CAPTURE(to);
                CompositeWorld world({row.sizes, row.value}, false);
                std::string bytes;
                for (const std::size_t size : row.sizes) bytes.append(size, '0');
                for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>('0' + i % 10);
                if (row.damaged) bytes[700] ^= 1;
                world.store.objects["b/k"].bytes = bytes;
                world.config.download.threshold = 5000;
                world.config.download.stream_part_bytes = 5000;
                world.config.multipart.stream_memory = 5000;
                const engine::Outcome outcome = world.run(get_of("k", to));
                CHECK(outcome.ok() == !row.damaged);
                if (row.damaged) CHECK(outcome.error->kind == ErrorKind::integrity);
                const std::size_t looks = world.network.count(wire::Op::head_object);
                CHECK(looks >= row.least);
                CHECK(looks <= row.most);
                const bool compared = row.value[0] != 'A';
                CHECK(world.noted("1001 parts of uneven size") == !compared);
                if (!row.damaged) CHECK(outcome.checksum == (compared ? "crc32:" + std::string(row.value) : ""));
            }
        }
    }
}

}  // namespace s3tug::sim
