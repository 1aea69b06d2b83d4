#include <doctest/doctest.h>

#include <set>

#include "engine/stream_window.h"
#include "support/big_world.h"

namespace s3tug::sim {
namespace {

constexpr std::size_t part = 100;
const std::string text = text_of(737);

struct StreamWorld : World {
    StreamWorld() {
        config.download.threshold = 2 * part;
        config.download.stream_part_bytes = part;
        config.multipart.stream_memory = 3 * part;
        files.files["/seed"].bytes = text;
        REQUIRE(run(put_of("/seed", "k")).ok());
        network.seen.clear();
    }
    [[nodiscard]] std::vector<std::string> ranges() const {
        std::vector<std::string> out;
        for (const SeenRequest& seen : network.seen)
            out.emplace_back(seen.request.headers.find("range").value_or("whole"));
        return out;
    }
};

ByteSpan span(std::string_view words) { return as_bytes(words); }

}  // namespace

TEST_SUITE("engine/stream_get") {
    TEST_CASE("a large object comes to a stream in ranges, as many at once as the window has room for") {
        StreamWorld world;
        const engine::Outcome outcome = world.run(get_of("k", "-"));
        REQUIRE(outcome.ok());
        CHECK(world.files.stdout_bytes == text);
        CHECK(outcome.size == text.size());
        CHECK(outcome.checksum.starts_with("crc64nvme:"));
        REQUIRE(world.network.seen.size() > 2);
        CHECK(world.ranges().at(0) == "whole");
        CHECK(world.ranges().at(1) == "bytes=100-199");
        for (std::size_t i = 1; i < world.network.seen.size(); ++i)
            CHECK(world.network.seen[i].request.headers.find("if-match") == "\"" + outcome.etag + "\"");
    }

    TEST_CASE("whatever happens to one answer, a stream gets each byte once") {
        struct Row {
            const char* what;
            Fate fate_of_one;
        };
        Fate trickle = cut(30);
        trickle.pieces = 3;
        Fate late;
        late.delay = seconds(3);
        const Row rows[] = {
            {"reset", fate(Fate::Kind::reset_before)},
            {"answer lost", fate(Fate::Kind::reset_after)},
            {"hangs", fate(Fate::Kind::hang)},
            {"503", status(503, "SlowDown")},
            {"cut", cut(30)},
            {"cut in pieces", trickle},
            {"comes last", late},
        };
        for (const Row& row : rows) {
            for (std::size_t victim = 1; victim <= 8; ++victim) {
                CAPTURE(row.what);
                CAPTURE(victim);
                StreamWorld world;
                world.network.weather = [&](std::size_t n, const SeenRequest&) {
                    return n == victim ? row.fate_of_one : Fate{};
                };
                const engine::Outcome outcome = world.run(get_of("k", "-"));
                REQUIRE_MESSAGE(outcome.ok(), (outcome.ok() ? "" : outcome.error->message));
                CHECK(world.files.stdout_bytes == text);
            }
        }
    }

    TEST_CASE("a range that comes late is not asked for a second time, since a stream takes each byte once") {
        StreamWorld world;
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            Fate late;
            if (n == 5) late.delay = seconds(20);
            return late;
        };
        CHECK(world.run(get_of("k", "-")).ok());
        CHECK(world.files.stdout_bytes == text);
        const std::vector<std::string> asked = world.ranges();
        CHECK(std::set<std::string>(asked.begin(), asked.end()).size() == asked.size());
    }

    TEST_CASE("a proof that needs all bytes in order is made as they leave") {
        StreamWorld world;
        engine::Transfer get = get_of("k", "-");
        get.expect_sha256 = to_hex(sha256(as_bytes(text)));
        CHECK(world.run(get).ok());
        world.store.objects["b/k"].crc64.clear();
        world.store.echoes_checksums = false;
        const engine::Outcome by_md5 = world.run(get);
        CHECK(by_md5.ok());
        CHECK(by_md5.checksum.starts_with("md5:"));
        get.expect_sha256 = std::string(64, '0');
        const engine::Outcome wrong = world.run(get);
        REQUIRE(!wrong.ok());
        CHECK(wrong.error->kind == ErrorKind::integrity);
    }

    TEST_CASE("damage and changes after bytes have left are an integrity error, and nothing is sent twice") {
        StreamWorld world;
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n == 3 ? fate(Fate::Kind::flip) : Fate{};
        };
        const engine::Outcome damaged = world.run(get_of("k", "-"));
        REQUIRE(!damaged.ok());
        CHECK(damaged.error->kind == ErrorKind::integrity);
        CHECK(world.files.stdout_bytes.size() == text.size());

        StreamWorld other;
        other.network.weather = [&](std::size_t n, const SeenRequest&) {
            if (n == 4) other.store.objects["b/k"].etag = "another";
            return Fate{};
        };
        const engine::Outcome changed = other.run(get_of("k", "-"));
        REQUIRE(!changed.ok());
        CHECK(changed.error->kind == ErrorKind::integrity);
        CHECK(text.starts_with(other.files.stdout_bytes));
    }

    TEST_CASE(
        "a store that ignores the ranges that it tells of cannot serve a stream that has begun; one that tells of none "
        "can") {
        StreamWorld world;
        world.store.ignores_ranges = true;
        const engine::Outcome outcome = world.run(get_of("k", "-"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::unsupported);
        CHECK(text.starts_with(world.files.stdout_bytes));
        world.store.says_ranges = false;
        world.files.stdout_bytes.clear();
        CHECK(world.run(get_of("k", "-")).ok());
        CHECK(world.files.stdout_bytes == text);
    }

    TEST_CASE("a reader that goes away ends it") {
        StreamWorld world;
        world.files.stdout_breaks = true;
        const engine::Outcome outcome = world.run(get_of("k", "-"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::broken_pipe);
    }
}

TEST_SUITE("engine/stream_window") {
    TEST_CASE("what comes early waits within the budget, and the part at the front always may come") {
        SimFiles files;
        const auto stream = files.open_stdout();
        engine::BufferBudget budget(20);
        std::string passed;
        {
            engine::StreamWindow window(**stream, budget, std::nullopt, [&](ByteSpan bytes) {
                passed.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            });
            CHECK(window.admit(0, 10));
            CHECK(window.admit(10, 10));
            CHECK_FALSE(window.admit(20, 10));
            CHECK(window.admit(10, 10));
            CHECK(window.write_at(10, span("bbbbb")).ok());
            CHECK(window.write_at(15, span("BBBBB")).ok());
            CHECK(files.stdout_bytes.empty());
            CHECK_FALSE(window.write_at(20, span("c")).ok());
            CHECK(window.write_at(0, span("aaaaa")).ok());
            CHECK(budget.held() == 20);
            CHECK(window.write_at(5, span("AAAAA")).ok());
            CHECK(files.stdout_bytes == "aaaaaAAAAAbbbbbBBBBB");
            CHECK(window.passed() == 20);
            CHECK(budget.held() == 0);
            budget.take(20);  // somebody else
            CHECK(window.admit(20, 10));
            CHECK_FALSE(window.admit(30, 10));
            CHECK(window.write_at(20, span("c")).ok());
        }
        CHECK(budget.held() == 20);
        CHECK(budget.peak() == 30);
        CHECK(passed == "aaaaaAAAAAbbbbbBBBBBc");
    }

    TEST_CASE("while it is held nothing leaves, and the budget counts the part at the front as well") {
        SimFiles files;
        const auto stream = files.open_stdout();
        engine::BufferBudget budget(20);
        engine::StreamWindow window(**stream, budget, std::nullopt, {});
        window.hold();
        CHECK(window.admit(0, 10));
        CHECK(window.admit(10, 10));
        CHECK_FALSE(window.admit(20, 10));
        CHECK(window.write_at(0, span("aaaaa")).ok());
        CHECK(window.write_at(10, span("bbbbbBBBBB")).ok());
        CHECK(files.stdout_bytes.empty());
        CHECK(budget.held() == 20);
        CHECK(window.release().ok());
        CHECK(files.stdout_bytes == "aaaaa");
        CHECK(window.write_at(5, span("AAAAA")).ok());
        CHECK(files.stdout_bytes == "aaaaaAAAAAbbbbbBBBBB");
        CHECK(budget.held() == 0);
        CHECK(budget.peak() == 20);
    }
}

}  // namespace s3tug::sim
