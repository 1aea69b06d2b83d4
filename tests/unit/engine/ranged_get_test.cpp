#include <doctest/doctest.h>

#include <algorithm>

#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

constexpr std::size_t part = 100;
constexpr std::size_t parts = 8;

/// No two parts alike, and the last one shorter.
std::string make_text(char salt = 'a') {
    std::string text;
    for (std::size_t i = 0; text.size() < part * (parts - 1) + 37; ++i)
        text += std::to_string(i * 7919) + static_cast<char>(static_cast<std::size_t>(salt) + i % 13);
    text.resize(part * (parts - 1) + 37);
    return text;
}

const std::string text = make_text();

struct RangedWorld : World {
    RangedWorld() {
        in_ranges_of(part);
        files.files["/seed"].bytes = text;
        REQUIRE(run(put_of("/seed", "k")).ok());
        network.seen.clear();
        files.files["/out"].bytes = "old";
    }
    void change_object() {
        SimObject& object = store.objects["b/k"];
        if (object.etag == "another") return;
        files.files["/seed2"].bytes = make_text('A');
        object.bytes = files.files["/seed2"].bytes;
        object.etag = "another";
        object.crc64.clear();
        store.echoes_checksums = false;
    }
    void answer_after(Duration delay) {
        network.weather = [delay](std::size_t, const SeenRequest&) {
            Fate served;
            served.delay = delay;
            return served;
        };
    }
    [[nodiscard]] std::vector<std::string> ranges() const {
        std::vector<std::string> out;
        for (const SeenRequest& seen : network.seen)
            out.emplace_back(seen.request.headers.find("range").value_or("whole"));
        return out;
    }
    /// The bytes were not what they should be, and the old file stands as it did.
    void check_refused(const engine::Outcome& outcome) const {
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::integrity);
        CHECK(files.files.at("/out").bytes == "old");
        CHECK(clean());
    }
    [[nodiscard]] bool clean() const { return files.parts.empty() && download_records() == 0; }
    [[nodiscard]] std::size_t download_records() const {
        return static_cast<std::size_t>(std::count_if(state.records.begin(), state.records.end(), [](const auto& r) {
            return r.first.first == port::Table::download;
        }));
    }
};

bool is_range(const SeenRequest& seen) { return seen.request.headers.find("range").has_value(); }

}  // namespace

TEST_SUITE("engine/ranged_get") {
    TEST_CASE("a large object comes in ranges side by side, pinned and verified as a whole") {
        RangedWorld world;
        const engine::Outcome outcome = world.run(get_of("k", "/out"));
        REQUIRE(outcome.ok());
        CHECK(world.files.files["/out"].bytes == text);
        CHECK(outcome.size == text.size());
        CHECK(outcome.checksum.starts_with("crc64nvme:"));
        CHECK(world.ranges() == std::vector<std::string>{"whole", "bytes=100-199", "bytes=200-299", "bytes=300-399",
                                                         "bytes=400-499", "bytes=500-599", "bytes=600-699",
                                                         "bytes=700-736"});
        for (std::size_t i = 1; i < world.network.seen.size(); ++i)
            CHECK(world.network.seen[i].request.headers.find("if-match") == "\"" + outcome.etag + "\"");
        CHECK(world.clean());
    }

    TEST_CASE("a store that answers at once gets four ranges to begin with, a far one as many as there is room for") {
        struct Row {
            int64_t delay_ms;
            bool pinned;
            std::size_t in_flight;
        };
        for (const Row& row : {Row{5, false, 4}, Row{50, false, parts}, Row{5, true, parts}}) {
            CAPTURE(row.delay_ms);
            CAPTURE(row.pinned);
            RangedWorld world;
            world.config.pace.pinned = row.pinned;
            world.answer_after(milliseconds(row.delay_ms));
            std::size_t most = 0;
            world.network.on_poll = [&] { most = std::max(most, world.network.in_flight()); };
            CHECK(world.run(get_of("k", "/out")).ok());
            CHECK(most == row.in_flight);
        }
    }

    TEST_CASE("one request brings several parts, so that each connection has its share of a large object") {
        struct Row {
            int64_t delay_ms;
            unsigned parts_per_request;
            std::vector<std::string> ranges;
        };
        for (const Row& row : {
                 Row{5, 4, {"whole", "bytes=200-399", "bytes=400-599", "bytes=600-736"}},
                 Row{5, 2, {"whole", "bytes=200-399", "bytes=400-599", "bytes=600-736"}},
                 Row{50, 4,
                     std::vector<std::string>{"whole", "bytes=100-199", "bytes=200-299", "bytes=300-399",
                                              "bytes=400-499", "bytes=500-599", "bytes=600-699", "bytes=700-736"}},
             }) {
            CAPTURE(row.delay_ms);
            CAPTURE(row.parts_per_request);
            RangedWorld world;
            world.config.download.parts_per_request = row.parts_per_request;
            world.answer_after(milliseconds(row.delay_ms));
            REQUIRE(world.run(get_of("k", "/out")).ok());
            CHECK(world.files.files["/out"].bytes == text);
            CHECK(world.ranges() == row.ranges);
        }
    }

    TEST_CASE("a request for several parts that breaks in the second goes on at the byte reached, to the last") {
        RangedWorld world;
        world.config.download.parts_per_request = 4;
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            if (seen.request.headers.find("range") == "bytes=200-399") return cut(150);
            return Fate{};
        };
        REQUIRE(world.run(get_of("k", "/out")).ok());
        CHECK(world.files.files["/out"].bytes == text);
        CHECK(world.ranges().back() == "bytes=350-399");
    }

    TEST_CASE("with one request at a time the first answer goes on to its end") {
        RangedWorld world;
        world.config.pace.concurrency_start = 1;
        world.config.pace.concurrency_max = 1;
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.ranges() == std::vector<std::string>{"whole"});
        CHECK(world.files.files["/out"].bytes == text);
    }

    TEST_CASE("up to the threshold, and to a stream where the store tells of no ranges, one request is enough") {
        RangedWorld world;
        world.config.download.threshold = text.size();
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.network.seen.size() == 1);
        world.config.download.threshold = part;
        world.store.says_ranges = false;
        CHECK(world.run(get_of("k", "-")).ok());
        CHECK(world.files.stdout_bytes == text);
        CHECK(world.network.seen.size() == 2);
    }

    TEST_CASE("a fault on one range costs that range alone") {
        struct Row {
            const char* what;
            Fate fate_of_one;
            std::size_t requests;
        };
        Fate trickle = cut(30);
        trickle.pieces = 3;
        const Row rows[] = {
            {"reset", fate(Fate::Kind::reset_before), 9},
            {"answer lost", fate(Fate::Kind::reset_after), 9},
            {"refused", fate(Fate::Kind::refuse), 9},
            {"hangs", fate(Fate::Kind::hang), 9},
            {"503", status(503, "SlowDown"), 9},
            {"500", status(500, "InternalError"), 9},
            {"cut", cut(30), 9},
            {"cut in pieces", trickle, 9},
        };
        for (const Row& row : rows) {
            for (const std::size_t victim : {std::size_t{1}, std::size_t{2}, parts}) {
                CAPTURE(row.what);
                CAPTURE(victim);
                RangedWorld world;
                world.network.weather = [&](std::size_t n, const SeenRequest&) {
                    return n == victim ? row.fate_of_one : Fate{};
                };
                const engine::Outcome outcome = world.run(get_of("k", "/out"));
                REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? "" : outcome.error->message));
                CHECK(world.files.files["/out"].bytes == text);
                CHECK(world.network.seen.size() == row.requests);
                CHECK(world.clean());
            }
        }
    }

    TEST_CASE("a cut range is continued at the byte reached") {
        RangedWorld world;
        world.network.weather = [](std::size_t n, const SeenRequest&) { return n <= 2 ? cut(60) : Fate{}; };
        CHECK(world.run(get_of("k", "/out")).ok());
        const std::vector<std::string> seen = world.ranges();
        CHECK(std::count(seen.begin(), seen.end(), "bytes=60-99") == 1);
        CHECK(std::count(seen.begin(), seen.end(), "bytes=160-199") == 1);
        CHECK(world.files.files["/out"].bytes == text);
    }

    TEST_CASE("a range other than the one asked for is not taken, and asked for once more") {
        for (const bool provable : {true, false}) {
            CAPTURE(provable);
            RangedWorld world;
            world.store.echoes_checksums = provable;
            if (!provable) world.store.objects["b/k"].etag = "opaque";
            const auto other = [&] {
                Fate out = fate(Fate::Kind::answer);
                out.answer.status = 206;
                out.answer.headers.add("content-range", "bytes 0-99/" + std::to_string(text.size()));
                out.answer.headers.add("etag", "\"" + world.store.objects["b/k"].etag + "\"");
                out.answer.body = text.substr(0, 100);
                return out;
            };
            world.network.weather = [&](std::size_t n, const SeenRequest&) { return n == 3 ? other() : Fate{}; };
            CHECK(world.run(get_of("k", "/out")).ok());
            CHECK(world.files.files["/out"].bytes == text);
            CHECK(world.network.seen.size() == parts + 1);

            world.files.files["/out"].bytes = "old";
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                return is_range(seen) ? other() : Fate{};
            };
            world.check_refused(world.run(get_of("k", "/out")));
        }
    }

    TEST_CASE("a whole answer with fewer bytes than its range is a failure like any other, with waits and an end") {
        RangedWorld world;
        world.config.retry.retries = 2;
        world.network.weather = [&](std::size_t n, const SeenRequest& seen) {
            if (n > 200) world.stop = 15;  // it would go on for ever
            const std::string range(seen.request.headers.find("range").value_or(""));
            if (!range.ends_with("-299")) return Fate{};
            Fate out = fate(Fate::Kind::answer);
            out.answer.status = 206;
            out.answer.headers.add("content-range", "bytes " + range.substr(6) + "/" + std::to_string(text.size()));
            out.answer.headers.add("etag", "\"" + world.store.objects["b/k"].etag + "\"");
            out.answer.body = text.substr(static_cast<std::size_t>(std::stoul(range.substr(6))), 1);
            return out;
        };
        const engine::Outcome outcome = world.run(get_of("k", "/out"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::gave_up);
        const std::vector<std::string> seen = world.ranges();
        for (const char* range : {"bytes=200-299", "bytes=201-299", "bytes=202-299"})
            CHECK(std::count(seen.begin(), seen.end(), range) == 1);
        CHECK(std::count(seen.begin(), seen.end(), "bytes=203-299") == 0);
        CHECK(world.files.files["/out"].bytes == "old");
    }

    TEST_CASE("a store that ignores ranges sends one answer from byte 0") {
        RangedWorld world;
        world.store.ignores_ranges = true;
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.files.files["/out"].bytes == text);
        const std::vector<std::string> seen = world.ranges();
        CHECK(std::count(seen.begin(), seen.end(), "whole") == 2);
        CHECK(seen.back() == "whole");
        CHECK(world.clean());
    }

    TEST_CASE("an object that changes underway is fetched anew, once") {
        for (const std::size_t when : {2U, 3U, 5U}) {
            CAPTURE(when);
            RangedWorld world;
            world.network.weather = [&](std::size_t n, const SeenRequest&) {
                if (n >= when) world.change_object();
                return Fate{};
            };
            const engine::Outcome outcome = world.run(get_of("k", "/out"));
            REQUIRE(outcome.ok());
            CHECK(world.files.files["/out"].bytes == make_text('A'));
            CHECK(outcome.etag == "another");
            CHECK(world.clean());
        }
        RangedWorld world;
        world.network.weather = [&](std::size_t n, const SeenRequest& seen) {
            if (is_range(seen)) world.store.objects["b/k"].etag = "change-" + std::to_string(n);
            if (n > 200) world.stop = 15;  // it would go on for ever
            return Fate{};
        };
        world.check_refused(world.run(get_of("k", "/out")));
    }

    TEST_CASE("ranges of two objects are not joined where the store ignores If-Match and has no checksum") {
        for (const std::size_t when : {2U, 3U, 5U}) {
            CAPTURE(when);
            RangedWorld world;
            world.store.honours_get_if_match = false;
            world.store.echoes_checksums = false;
            world.store.objects["b/k"].etag = "one";
            world.network.weather = [&](std::size_t n, const SeenRequest&) {
                if (n >= when) world.change_object();
                return Fate{};
            };
            const engine::Outcome outcome = world.run(get_of("k", "/out"));
            REQUIRE(outcome.ok());
            CHECK(world.files.files["/out"].bytes == make_text('A'));
            CHECK(outcome.etag == "another");
        }
    }

    TEST_CASE("the user's own condition is not loosened when the object changes") {
        RangedWorld world;
        engine::Transfer item = get_of("k", "/out");
        item.conditions.if_match = world.store.objects["b/k"].etag;
        world.network.weather = [&](std::size_t n, const SeenRequest&) {
            if (n == 3) world.change_object();
            return Fate{};
        };
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::precondition);
        CHECK(world.files.files["/out"].bytes == "old");
    }

    TEST_CASE("bytes damaged on the way: all once more, then exit without touching the file") {
        RangedWorld world;
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n == 3 ? fate(Fate::Kind::flip) : Fate{};
        };
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.files.files["/out"].bytes == text);
        CHECK(world.network.count(wire::Op::get_object) == 2 * parts);
        std::string told;
        for (const port::TraceEvent& event : world.observer.events) told += event.why + "\n";
        CHECK(told.find("parts are read again") != std::string::npos);
        CHECK(told.find("it is fetched anew") != std::string::npos);

        world.files.files["/out"].bytes = "old";
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return is_range(seen) ? fate(Fate::Kind::flip) : Fate{};
        };
        world.check_refused(world.run(get_of("k", "/out")));
    }

    TEST_CASE("what can only be hashed in order is hashed from the finished file") {
        RangedWorld world;
        world.store.echoes_checksums = false;  // the ETag is an MD5 then
        const engine::Outcome plain = world.run(get_of("k", "/out"));
        REQUIRE(plain.ok());
        CHECK(plain.checksum == "md5:" + world.store.objects["b/k"].etag);

        // A disk that loses a bit once: only that part is fetched again.
        bool damaged = false;
        world.files.on_write = [&](std::string& bytes, uint64_t offset) {
            if (std::exchange(damaged, damaged || offset == 300)) return;
            if (damaged) bytes[300] ^= 1;
        };
        world.network.seen.clear();
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(damaged);
        CHECK(world.files.files["/out"].bytes == text);
        CHECK(world.network.seen.size() == parts + 1);
        CHECK(world.ranges().back() == "bytes=300-399");

        world.files.on_write = nullptr;
        engine::Transfer item = get_of("k", "/out");
        item.expect_sha256 = std::string(64, 'a');
        CHECK(world.run(item).error->kind == ErrorKind::integrity);
    }

    TEST_CASE("no room on the disk is told before the bytes come") {
        RangedWorld world;
        world.files.room = text.size() - 1;
        const engine::Outcome outcome = world.run(get_of("k", "/out"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::cannot_write);
        CHECK(world.network.seen.size() == 1);
        CHECK(world.files.files["/out"].bytes == "old");
        CHECK(world.clean());
    }

    TEST_CASE("faults on everything, at random, and the bytes are right") {
        for (uint64_t seed = 1; seed <= 40; ++seed) {
            CAPTURE(seed);
            RangedWorld world;
            Rng rng(seed);
            world.seed = seed;
            world.network.weather = [&](std::size_t n, const SeenRequest&) {
                Fate out;
                if (n > 40) return out;
                switch (rng.up_to(9)) {
                    case 0: return fate(Fate::Kind::reset_before);
                    case 1: return status(503, "SlowDown");
                    case 2: return cut(static_cast<std::size_t>(rng.up_to(99)));
                    case 3: out.delay = milliseconds(rng.up_to(2000)); break;
                    default: break;
                }
                out.pieces = static_cast<std::size_t>(1 + rng.up_to(4));
                out.piece_every = milliseconds(rng.up_to(300));
                return out;
            };
            const engine::Outcome outcome = world.run(get_of("k", "/out"));
            REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? "" : outcome.error->message));
            CHECK(world.files.files["/out"].bytes == text);
            CHECK(world.clean());
        }
    }
}

}  // namespace s3tug::sim
