#include <doctest/doctest.h>

#include <algorithm>

#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

constexpr std::size_t part = 100;
constexpr std::size_t parts = 8;

std::string make_text(char salt = 'a') {
    std::string text;
    for (std::size_t i = 0; text.size() < part * (parts - 1) + 37; ++i)
        text += std::to_string(i * 6007) + static_cast<char>(static_cast<std::size_t>(salt) + i % 11);
    text.resize(part * (parts - 1) + 37);
    return text;
}

const std::string text = make_text();

struct ResumeWorld : World {
    ResumeWorld() {
        in_ranges_of(part);
        config.retry.retries = 1;
        files.files["/seed"].bytes = text;
        REQUIRE(run(put_of("/seed", "k")).ok());
        forget_requests();
        files.files["/out"].bytes = "old";
    }
    void forget_requests() {
        network.seen.clear();
        network.weather = nullptr;
    }
    /// Fetches the first half and fails.
    engine::Outcome half() {
        network.weather = [](std::size_t n, const SeenRequest&) {
            return n > parts / 2 ? fate(Fate::Kind::reset_before) : Fate{};
        };
        engine::Outcome outcome = run(get_of("k", "/out"));
        REQUIRE(!outcome.ok());
        forget_requests();
        return outcome;
    }
    [[nodiscard]] std::size_t records() const {
        return static_cast<std::size_t>(std::count_if(state.records.begin(), state.records.end(), [](const auto& r) {
            return r.first.first == port::Table::download;
        }));
    }
    [[nodiscard]] bool clean() const { return files.parts.empty() && records() == 0; }
    [[nodiscard]] std::vector<std::string> ranges() const {
        std::vector<std::string> out;
        for (const SeenRequest& seen : network.seen)
            out.emplace_back(seen.request.headers.find("range").value_or("whole"));
        return out;
    }
};

}  // namespace

TEST_SUITE("engine/resume_get") {
    TEST_CASE("what a failed get has fetched is kept, said so, and not fetched again") {
        ResumeWorld world;
        const engine::Outcome failed = world.half();
        CHECK(failed.error->kind == ErrorKind::gave_up);
        CHECK(failed.error->message.find(" are kept, a rerun fetches the rest") != std::string::npos);
        CHECK(world.files.files["/out"].bytes == "old");
        CHECK(world.files.parts.size() == 1);
        CHECK(world.records() == 1);

        const engine::Outcome outcome = world.run(get_of("k", "/out"));
        REQUIRE(outcome.ok());
        CHECK(world.files.files["/out"].bytes == text);
        CHECK(world.ranges() ==
              std::vector<std::string>{"bytes=400-499", "bytes=500-599", "bytes=600-699", "bytes=700-736"});
        for (const SeenRequest& seen : world.network.seen)
            CHECK(seen.request.headers.find("if-match") == "\"" + outcome.etag + "\"");
        CHECK(outcome.checksum.starts_with("crc64nvme:"));
        CHECK(outcome.size == text.size());
        CHECK(world.clean());
    }

    TEST_CASE("whether something stays depends on how the get ended") {
        struct Row {
            const char* what;
            Fate last;
            ErrorKind kind;
            bool stays;
        };
        const Row rows[] = {
            {"unreachable", fate(Fate::Kind::refuse), ErrorKind::gave_up, true},
            {"throttled", status(503, "SlowDown"), ErrorKind::gave_up, true},
            {"expired", status(400, "ExpiredToken"), ErrorKind::credentials_refused, true},
            {"denied", status(403, "AccessDenied"), ErrorKind::access_denied, false},
            {"gone", status(404, "NoSuchKey"), ErrorKind::not_found, false},
        };
        for (const Row& row : rows) {
            CAPTURE(row.what);
            ResumeWorld world;
            world.network.weather = [&](std::size_t n, const SeenRequest&) { return n > 4 ? row.last : Fate{}; };
            const engine::Outcome outcome = world.run(get_of("k", "/out"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == row.kind);
            CHECK(world.files.files["/out"].bytes == "old");
            CHECK(world.files.parts.size() == (row.stays ? 1 : 0));
            CHECK(world.records() == (row.stays ? 1 : 0));
            CHECK((outcome.error->message.find("are kept") != std::string::npos) == row.stays);
        }
    }

    TEST_CASE("a signal and a deadline keep what was fetched") {
        for (const bool signal : {true, false}) {
            CAPTURE(signal);
            ResumeWorld world;
            world.network.weather = [](std::size_t n, const SeenRequest&) {
                return n > 4 ? fate(Fate::Kind::hang) : Fate{};
            };
            std::size_t polls = 0;
            world.network.on_poll = [&] { world.stop = signal && ++polls > 6 ? 2 : 0; };
            if (!signal) world.config.deadline = seconds(5);
            const engine::Outcome outcome = world.run(get_of("k", "/out"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == (signal ? ErrorKind::interrupted : ErrorKind::deadline));
            CHECK(outcome.error->message.find("are kept") != std::string::npos);
            world.stop = 0;
            world.network.on_poll = nullptr;
            world.config.deadline.reset();
            world.forget_requests();
            CHECK(world.run(get_of("k", "/out")).ok());
            CHECK(world.network.seen.size() == 4);
            CHECK(world.files.files["/out"].bytes == text);
            CHECK(world.clean());
        }
    }

    TEST_CASE("an unfinished range is continued where it was cut") {
        ResumeWorld world;
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            Fate out = fate(n == 3 ? Fate::Kind::cut : n > 4 ? Fate::Kind::reset_before : Fate::Kind::serve);
            out.cut_at = 60;
            return out;
        };
        CHECK_FALSE(world.run(get_of("k", "/out")).ok());
        world.forget_requests();
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.ranges().front() == "bytes=260-299");
        CHECK(world.files.files["/out"].bytes == text);
    }

    TEST_CASE("what lies on disk is hashed before it is believed") {
        struct Row {
            const char* what;
            std::function<void(std::string&)> tamper;
            std::size_t requests;
        };
        const Row rows[] = {
            {"untouched", [](std::string&) {}, 4},
            {"one bit", [](std::string& bytes) { bytes[150] ^= 4; }, 5},
            {"cut short", [](std::string& bytes) { bytes.resize(250); }, 6},
            {"another file", [](std::string& bytes) { bytes = make_text('A'); }, 8},
            {"longer", [](std::string& bytes) { bytes.resize(5000, 'x'); }, 4},
        };
        for (const Row& row : rows) {
            CAPTURE(row.what);
            ResumeWorld world;
            (void)world.half();
            row.tamper(world.files.parts["/out"].bytes);
            CHECK(world.run(get_of("k", "/out")).ok());
            CHECK(world.files.files["/out"].bytes == text);
            CHECK(world.network.seen.size() == row.requests);
            CHECK(world.clean());
        }
    }

    TEST_CASE("without its record, or with a corrupt one, the download begins anew") {
        for (const char* record : {"", "garbage", "size=5\n"}) {
            CAPTURE(record);
            ResumeWorld world;
            (void)world.half();
            for (auto& [key, value] : world.state.records) {
                if (key.first == port::Table::download) value = record;
            }
            CHECK(world.run(get_of("k", "/out")).ok());
            CHECK(world.ranges().front() == "whole");
            CHECK(world.files.files["/out"].bytes == text);
        }
    }

    TEST_CASE("an object that changed in the meantime is fetched from the start") {
        ResumeWorld world;
        (void)world.half();
        world.files.files["/seed"].bytes = make_text('A');
        REQUIRE(world.run(put_of("/seed", "k")).ok());
        world.forget_requests();
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.files.files["/out"].bytes == make_text('A'));
        CHECK(world.clean());
    }

    TEST_CASE("a smaller object in its place does not inherit the rest of the old bytes") {
        ResumeWorld world;
        (void)world.half();
        world.files.files["/seed"].bytes = "short";
        REQUIRE(world.run(put_of("/seed", "k")).ok());
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.files.files["/out"].bytes == "short");
        CHECK(world.clean());
    }

    TEST_CASE("another object to the same file takes nothing from what is kept") {
        ResumeWorld world;
        (void)world.half();
        world.files.files["/seed"].bytes = "tiny";
        REQUIRE(world.run(put_of("/seed", "other")).ok());
        CHECK(world.run(get_of("other", "/out")).ok());
        CHECK(world.files.files["/out"].bytes == "tiny");
    }

    TEST_CASE("with resume off nothing is kept and nothing is used") {
        ResumeWorld world;
        world.config.download.resume = false;
        CHECK(world.half().error->message.find("kept") == std::string::npos);
        CHECK(world.clean());
        world.config.download.resume = true;
        (void)world.half();
        world.config.download.resume = false;
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.ranges().front() == "whole");
        CHECK(world.files.files["/out"].bytes == text);
    }

    TEST_CASE("a state file that does not work keeps nothing, and the get works all the same") {
        ResumeWorld world;
        world.state.broken = true;
        CHECK(world.half().error->message.find("kept") == std::string::npos);
        CHECK(world.files.parts.empty());
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.files.files["/out"].bytes == text);
    }

    TEST_CASE("a second process does not touch what a living one has open") {
        ResumeWorld world;
        (void)world.half();
        const std::string kept = world.files.parts["/out"].bytes;
        world.files.parts["/out"].locked = true;
        CHECK(world.run(get_of("k", "/out")).ok());
        CHECK(world.ranges().front() == "whole");
        CHECK(world.files.files["/out"].bytes == text);
        CHECK(world.files.parts.size() == 1);
        CHECK(world.files.parts["/out"].bytes == kept);
        CHECK(world.records() == 1);
    }

    TEST_CASE("killed at any moment, a rerun gets the right bytes and repeats no more than was under way") {
        for (const std::size_t concurrency : {std::size_t{1}, std::size_t{3}, std::size_t{16}}) {
            bool ended = false;
            for (std::size_t poll = 1; !ended; ++poll) {
                CAPTURE(concurrency);
                CAPTURE(poll);
                REQUIRE(poll < 500);
                ResumeWorld world;
                world.config.pace.concurrency_start = static_cast<unsigned>(concurrency);
                world.config.pace.concurrency_max = static_cast<unsigned>(concurrency);
                const auto slow = [](std::size_t n, const SeenRequest&) {
                    Fate out;
                    out.delay = milliseconds(300 + 70 * n);
                    out.pieces = 30;
                    out.piece_every = milliseconds(400);
                    return out;
                };
                world.network.weather = slow;
                ended = world.run_killed_at(poll, get_of("k", "/out")).has_value();
                if (ended) break;
                CHECK(world.files.files["/out"].bytes == "old");
                world.forget_requests();
                const engine::Outcome outcome = world.run(get_of("k", "/out"));
                REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? "" : outcome.error->message));
                CHECK(world.files.files["/out"].bytes == text);
                CHECK(world.clean());
                // A record may miss the last second: in it the first answer gets up to 4 pieces of 25 bytes, a range 4
                // of 4 bytes, which is less than the ranges under way have.
                CHECK(world.files.bytes_written - text.size() <= 4 * (25 + 4 * concurrency));
            }
            CHECK(ended);
        }
    }

    TEST_CASE("where bytes come faster than a record a second, a kill costs what comes between two records") {
        bool ended = false;
        for (std::size_t poll = 1; !ended; ++poll) {
            CAPTURE(poll);
            REQUIRE(poll < 500);
            ResumeWorld world;
            world.config.download.record_bytes = part;
            world.config.pace.concurrency_start = 1;
            world.config.pace.concurrency_max = 1;
            world.network.weather = [](std::size_t, const SeenRequest&) {
                Fate out;
                out.pieces = 30;
                out.piece_every = milliseconds(1);
                return out;
            };
            ended = world.run_killed_at(poll, get_of("k", "/out")).has_value();
            if (ended) break;
            world.forget_requests();
            REQUIRE(world.run(get_of("k", "/out")).ok());
            CHECK(world.files.files["/out"].bytes == text);
            CHECK(world.clean());
            // One piece of 25 bytes comes with each turn.
            CHECK(world.files.bytes_written - text.size() <= part + 25);
        }
    }

    TEST_CASE("killed while everything is there and being synced, a rerun asks once whether it is still that object") {
        struct Killed {};
        ResumeWorld world;
        world.files.on_commit = [&] {
            world.files.killed = world.state.killed = true;
            throw Killed{};
        };
        CHECK_THROWS_AS(world.run(get_of("k", "/out")), Killed);
        world.files.on_commit = nullptr;
        world.files.killed = world.state.killed = world.files.parts["/out"].locked = false;
        world.network.drop_all();
        world.forget_requests();
        CHECK(world.files.files["/out"].bytes == "old");
        REQUIRE(world.run(get_of("k", "/out")).ok());
        CHECK(world.files.files["/out"].bytes == text);
        CHECK(world.ranges() == std::vector<std::string>{"bytes=700-736"});
        CHECK(world.clean());
    }

    TEST_CASE("killed again and again, the download gets on, if only by what a second of records may miss") {
        ResumeWorld world;
        world.config.pace.concurrency_start = 2;
        world.config.pace.concurrency_max = 2;
        bool ended = false;
        for (unsigned run = 0; run < 60 && !ended; ++run) {
            world.network.weather = [](std::size_t, const SeenRequest&) {
                Fate out;
                out.delay = milliseconds(400);
                out.pieces = 5;
                out.piece_every = milliseconds(400);
                return out;
            };
            ended = world.run_killed_at(14, get_of("k", "/out")).has_value();
            CHECK(world.files.files["/out"].bytes == (ended ? text : "old"));
        }
        CHECK(ended);
        CHECK(world.clean());
    }

    TEST_CASE("kept parts that cannot be read back to be proven end the get, and nothing is asked of the store") {
        ResumeWorld world;
        (void)world.half();
        world.files.trouble = [](std::string_view call) -> std::optional<Error> {
            if (call != "read back") return std::nullopt;
            return Error{ErrorKind::cannot_read, "the disk is broken"};
        };
        const engine::Outcome outcome = world.run(get_of("k", "/out"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::cannot_read);
        CHECK(world.network.count(wire::Op::get_object) <= 2);
        CHECK(world.files.files["/out"].bytes == "old");
    }
}

}  // namespace s3tug::sim
