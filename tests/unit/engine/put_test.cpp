#include <doctest/doctest.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

void give(World& world, std::string bytes = "hello, rough water") { world.files.files["/f"].bytes = std::move(bytes); }

std::string stored(World& world) {
    const auto found = world.store.objects.find("b/k");
    return found == world.store.objects.end() ? "(absent)" : found->second.bytes;
}

/// Puts an object into a store that compares the quotes of If-Match; the put that replaces just that one.
engine::Transfer replacing_where_quotes_count(World& world) {
    give(world);
    world.store.compares_quotes = true;
    REQUIRE(world.run(put_of("/f", "k")).ok());
    engine::Transfer item = put_of("/f", "k");
    item.conditions.if_match = world.store.objects["b/k"].etag;
    return item;
}

}  // namespace

TEST_SUITE("engine/put") {
    TEST_CASE("a healthy put is one request, verified by the checksum that the store echoes, and writes no state") {
        World world;
        give(world);
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        CHECK(outcome.ok());
        CHECK(stored(world) == "hello, rough water");
        CHECK(world.network.seen.size() == 1);
        CHECK(outcome.attempts == 1);
        CHECK(outcome.size == 18);
        CHECK(outcome.checksum.starts_with("crc64nvme:"));
        CHECK(world.state.writes == 0);
    }

    TEST_CASE("an empty file and a stream are stored byte for byte") {
        World world;
        give(world, "");
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(stored(world) == "");
        world.files.stdin_bytes = std::string(3'000'000, 'x') + "end";
        CHECK(world.run(put_of("-", "k")).ok());
        CHECK(stored(world) == world.files.stdin_bytes);
    }

    TEST_CASE("what the first attempts meet decides how often the store does the work, and it ends well") {
        struct Row {
            const char* what;
            std::vector<Fate> fates;
            std::size_t puts_sent;
            std::size_t effects;
        };
        const std::vector<Row> rows = {
            {"throttled twice", {status(503, "SlowDown"), status(503, "SlowDown")}, 3, 1},
            {"refused connection", {fate(Fate::Kind::refuse)}, 2, 1},
            {"the answer is lost: the look finds our token", {fate(Fate::Kind::reset_after)}, 1, 1},
            {"lost before the store saw it: looked for, then sent again", {fate(Fate::Kind::reset_before)}, 2, 1},
            {"an InternalError that did nothing", {status(500, "InternalError")}, 2, 1},
        };
        for (const Row& row : rows) {
            CAPTURE(row.what);
            World world;
            give(world);
            std::size_t put = 0;
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op != wire::Op::put_object || put >= row.fates.size()) return Fate{};
                return row.fates[put++];
            };
            const engine::Outcome outcome = world.run(put_of("/f", "k"));
            CHECK(outcome.ok());
            CHECK(stored(world) == "hello, rough water");
            CHECK(world.network.count(wire::Op::put_object) == row.puts_sent);
            CHECK(world.store.effects.size() == row.effects);
        }
    }

    TEST_CASE("a conditional put whose answer was lost is a success, not a failed precondition") {
        World world;
        give(world);
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            return n == 1 ? fate(Fate::Kind::reset_after) : Fate{};
        };
        engine::Transfer item = put_of("/f", "k");
        item.conditions.if_none_match_any = true;
        CHECK(world.run(item).ok());
        CHECK(world.store.effects.size() == 1);
    }

    TEST_CASE("a conditional put that lands late is recognised by its token when the repeat meets it") {
        World world;
        give(world);
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            Fate late = fate(Fate::Kind::late);
            late.delay = milliseconds(700);
            return n == 1 ? late : Fate{};
        };
        engine::Transfer item = put_of("/f", "k");
        item.conditions.if_none_match_any = true;
        CHECK(world.run(item).ok());
        CHECK(stored(world) == "hello, rough water");
    }

    TEST_CASE("without a token two that put the same bytes under --no-overwrite do not both win") {
        World world;
        world.config.write_token = engine::TokenMode::off;
        give(world);
        engine::Transfer item = put_of("/f", "k");
        item.conditions.if_none_match_any = true;
        CHECK(world.run(item).ok());
        world.network.weather = [](std::size_t n, const SeenRequest& seen) {
            return seen.request.method == wire::Method::put && n == 2 ? fate(Fate::Kind::reset_before) : Fate{};
        };
        const engine::Outcome second = world.run(item);
        REQUIRE(!second.ok());
        CHECK(second.error->kind == ErrorKind::outcome_unknown);
        CHECK(world.store.effects.size() == 1);
    }

    TEST_CASE("somebody else's object under --no-overwrite is a failed precondition after one request") {
        World world;
        give(world);
        world.store.objects["b/k"].bytes = "theirs";
        engine::Transfer item = put_of("/f", "k");
        item.conditions.if_none_match_any = true;
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::precondition);
        CHECK(world.network.seen.size() == 1);
        CHECK(stored(world) == "theirs");
    }

    TEST_CASE("errors that no retry can mend end at once with their kind") {
        struct Row {
            int status;
            const char* code;
            ErrorKind kind;
        };
        for (const Row row :
             {Row{403, "AccessDenied", ErrorKind::access_denied}, Row{404, "NoSuchBucket", ErrorKind::not_found},
              Row{400, "EntityTooLarge", ErrorKind::refused}, Row{403, "QuotaExceeded", ErrorKind::quota}}) {
            CAPTURE(row.code);
            World world;
            give(world);
            world.network.weather = [&](std::size_t, const SeenRequest&) { return status(row.status, row.code); };
            const engine::Outcome outcome = world.run(put_of("/f", "k"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == row.kind);
            CHECK(world.network.seen.size() == 1);
            CHECK(outcome.error->message.find(row.code) != std::string::npos);
            CHECK(outcome.code == row.code);
        }
    }

    TEST_CASE("an outage longer than all retries ends with gave_up after seven tries") {
        World world;
        give(world);
        world.network.weather = [](std::size_t, const SeenRequest&) { return status(503, "SlowDown"); };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::gave_up);
        CHECK(world.network.seen.size() == 7);
        CHECK(world.observer.count(port::EventKind::retry) == 6);
        CHECK(world.observer.count(port::EventKind::give_up) == 1);
    }

    TEST_CASE("a clock two hours wrong is corrected from the store's Date, once, and the next process knows it") {
        World world;
        give(world);
        world.store.checks_skew = true;
        world.clock.wall_step = hours(-2);
        world.store.clock_ahead = hours(2);
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.seen.size() == 2);
        CHECK(world.observer.count(port::EventKind::repair) == 1);
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.seen.size() == 3);
        // The clock is set right: now the kept correction is wrong, and is found to be.
        world.clock.wall_step = Duration::zero();
        world.store.clock_ahead = Duration::zero();
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.seen.size() == 5);
    }

    TEST_CASE("expired credentials are read again once; if they are the same it ends with credentials_refused") {
        World world;
        give(world);
        world.store.valid_access_key = "AKNEW";
        world.credentials.keys = {"AKOLD", "AKNEW"};
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.seen.size() == 2);
        world.credentials.keys = {"AKOLD"};
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::credentials_refused);
        CHECK(world.network.seen.size() == 3);
    }

    TEST_CASE("a checksum that the store does not know is left out if it was ours, refused if the user asked for it") {
        World world;
        give(world);
        world.store.refuses_checksums = true;
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.seen.size() == 2);
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.seen.size() == 3);
        engine::Transfer item = put_of("/f", "k");
        item.checksum_by_user = true;
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::unsupported);
    }

    TEST_CASE(
        "a store that compares the quotes of If-Match is sent the bare ETag once it is seen to be the right one") {
        World world;
        engine::Transfer item = replacing_where_quotes_count(world);
        const auto requests_of = [&world, &item](bool ends_well) {
            const std::size_t before = world.network.seen.size();
            CHECK(world.run(item).ok() == ends_well);
            return world.network.seen.size() - before;
        };
        CHECK(requests_of(true) == 3);  // refused, looked, stored
        CHECK(requests_of(true) == 1);  // remembered
        world.store.compares_quotes = false;
        CHECK(requests_of(true) == 1);  // both spellings match there
        item.conditions.if_match = "0123456789abcdef0123456789abcdef";
        world.store.compares_quotes = true;
        world.store.objects["b/k"].bytes = "of somebody else";
        CHECK(requests_of(false) == 2);  // another ETag stands there: no second spelling
        CHECK(stored(world) == "of somebody else");
    }

    TEST_CASE("where the bare ETag was learned and no longer matches, the quoted one is sent") {
        World world;
        engine::Transfer item = replacing_where_quotes_count(world);
        const auto sent = [&world](std::size_t index) {
            return std::string(world.network.seen.at(index).request.headers.find("if-match").value_or("-"));
        };
        REQUIRE(world.run(item).ok());
        CHECK(sent(3) == world.store.objects["b/k"].etag);
        world.store.compares_quotes = false;
        world.network.seen.clear();
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            const auto asked = seen.request.headers.find("if-match");
            return asked && !asked->starts_with('"') ? status(412, "PreconditionFailed") : Fate{};
        };
        CHECK(world.run(item).ok());
        REQUIRE(world.network.seen.size() == 3);
        CHECK(sent(0) == world.store.objects["b/k"].etag);
        CHECK(sent(2) == "\"" + world.store.objects["b/k"].etag + "\"");
    }

    TEST_CASE("the bare ETag is not tried where another object stands, nor after it has failed as well") {
        World world;
        give(world);
        REQUIRE(world.run(put_of("/f", "k")).ok());
        engine::Transfer item = put_of("/f", "k");
        item.conditions.if_match = world.store.objects["b/k"].etag;
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::put_object ? status(412, "PreconditionFailed") : Fate{};
        };
        const std::size_t before = world.network.seen.size();
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::precondition);
        CHECK(world.network.seen.size() - before == 3);
        world.network.weather = nullptr;
        CHECK(world.run(item).ok());
        CHECK(world.network.seen.back().request.headers.find("if-match") == "\"" + item.conditions.if_match + "\"");
    }

    TEST_CASE("a source that changes while it is read fails with source_changed and leaves no new object") {
        World world;
        give(world);
        // The digest pass reads from 0 as the send does; the change comes with the second pass.
        int passes = 0;
        world.files.on_read = [&](const std::string& path, uint64_t offset) {
            if (offset == 0 && ++passes == 2) ++world.files.files[path].version;
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::source_changed);
        CHECK(stored(world) == "(absent)");
    }

    TEST_CASE("bytes that change after they were hashed, without a trace, are not sent a second time") {
        World world;
        give(world);
        int passes = 0;
        world.files.on_read = [&](const std::string& path, uint64_t offset) {
            if (offset == 0 && ++passes == 2) world.files.files[path].bytes[0] = 'H';
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::source_changed);
        CHECK(world.network.count(wire::Op::put_object) == 1);
        CHECK(stored(world) == "(absent)");
    }

    TEST_CASE("a producer that failed must not become a verified backup") {
        World world;
        world.files.stdin_bytes = "short";
        engine::Transfer item = put_of("-", "k");
        item.expect_size = 1000;
        CHECK(world.run(item).error->kind == ErrorKind::integrity);
        item.expect_size.reset();
        item.expect_sha256 = std::string(64, '0');
        CHECK(world.run(item).error->kind == ErrorKind::integrity);
        CHECK(world.network.seen.empty());
    }

    TEST_CASE("a store whose ETag or checksum is not of what was sent is not trusted, after one more try") {
        for (const bool by_checksum : {false, true}) {
            CAPTURE(by_checksum);
            World world;
            give(world);
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                Fate wrong = status(200, "");
                wrong.answer.body.clear();
                wrong.answer.headers.add("etag", by_checksum ? "\"opaque\"" : "\"0123456789abcdef0123456789abcdef\"");
                if (by_checksum) {
                    wrong.answer.headers.add("x-amz-checksum-crc64nvme", "AAAAAAAAAAA=");
                    wrong.answer.headers.add("x-amz-checksum-type", "FULL_OBJECT");
                }
                return seen.op == wire::Op::put_object ? wrong : Fate{};
            };
            const engine::Outcome outcome = world.run(put_of("/f", "k"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::integrity);
            CHECK(world.network.count(wire::Op::put_object) == 2);
        }
    }

    TEST_CASE("our own object with damaged bytes is no success, whether the answer or a look shows it") {
        struct Row {
            const char* what;
            bool conditional;
            bool answer_lost;
            std::size_t puts_sent;
        };
        for (const Row row : {Row{"seen in the answer, and what was sent again was lost", false, false, 3},
                              Row{"the answer is lost: the look sees it", false, true, 2},
                              Row{"under a condition it stands in its own way", true, true, 1},
                              Row{"the same, seen in the answer", true, false, 1}}) {
            CAPTURE(row.what);
            World world;
            give(world);
            world.store.echoes_checksums = false;
            std::size_t puts = 0;
            world.network.weather = [&](std::size_t, const SeenRequest& seen) {
                if (seen.op != wire::Op::put_object || ++puts > 2) return Fate{};
                if (puts == 2) return row.answer_lost ? Fate{} : fate(Fate::Kind::reset_before);
                Fate damaged = status(502, "");  // says nothing of what was done
                wire::HttpAnswer answer = world.store.serve(seen.request, "hello, rough water", world.clock.wall());
                REQUIRE(answer.status == 200);
                SimObject& object = world.store.objects.at("b/k");
                object.bytes[4] = 'O';
                object.etag = to_hex(md5(as_bytes(object.bytes)));
                answer.headers.set("etag", "\"" + object.etag + "\"");
                if (!row.answer_lost) damaged.answer = answer;
                return damaged;
            };
            engine::Transfer item = put_of("/f", "k");
            item.conditions.if_none_match_any = row.conditional;
            const engine::Outcome outcome = world.run(item);
            CHECK(world.network.count(wire::Op::put_object) == row.puts_sent);
            if (row.conditional) {
                REQUIRE(!outcome.ok());
                CHECK(outcome.error->kind == ErrorKind::integrity);
            } else {
                CHECK(outcome.ok());
                CHECK(stored(world) == "hello, rough water");
            }
        }
    }

    TEST_CASE("what could not be compared with the store's ETag, as the source changed first, is no verified put") {
        for (const bool answer_lost : {false, true}) {
            CAPTURE(answer_lost);
            World world;
            give(world);
            world.store.echoes_checksums = false;
            world.files.on_read = [&](const std::string& path, uint64_t offset) {
                if (offset == 14) ++world.files.files[path].version;  // its last bytes are being sent
            };
            world.network.weather = [&](std::size_t n, const SeenRequest&) {
                return answer_lost && n == 1 ? fate(Fate::Kind::reset_after) : Fate{};
            };
            const engine::Outcome outcome = world.run(put_of("/f", "k"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::source_changed);
        }
    }

    TEST_CASE("a 200 without an ETag is not believed: looked at, and sent again when nothing is there") {
        World world;
        give(world);
        world.network.weather = [](std::size_t n, const SeenRequest&) {
            Fate bare = status(200, "");
            bare.answer.body.clear();
            return n == 1 ? bare : Fate{};
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(stored(world) == "hello, rough water");
        CHECK(world.network.count(wire::Op::put_object) == 2);
    }

    TEST_CASE("a signal ends the hashing of a long source") {
        World world;
        give(world, std::string(3'000'000, 'x'));
        world.files.on_read = [&](const std::string&, uint64_t) { world.stop = 15; };
        CHECK(world.run(put_of("/f", "k")).error->kind == ErrorKind::interrupted);
        CHECK(world.network.seen.empty());
    }

    TEST_CASE("a source is read once for its digests, with a write token or without") {
        for (const engine::TokenMode mode : {engine::TokenMode::automatic, engine::TokenMode::off}) {
            World world;
            give(world);
            world.config.write_token = mode;
            std::size_t passes = 0;
            world.files.on_read = [&](const std::string&, uint64_t offset) {
                passes += offset == 0 && world.network.seen.empty() ? 1 : 0;
            };
            CHECK(world.run(put_of("/f", "k")).ok());
            CHECK(passes == 1);
        }
    }

    TEST_CASE("a local file that is not there is told without a request") {
        World world;
        const engine::Outcome outcome = world.run(put_of("/nowhere", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::not_found);
        CHECK(world.network.seen.empty());
    }

    TEST_CASE("--no-clobber looks first and leaves what stands there") {
        World world;
        give(world);
        world.store.objects["b/k"].bytes = "theirs";
        engine::Transfer item = put_of("/f", "k");
        item.no_clobber = true;
        const engine::Outcome outcome = world.run(item);
        CHECK(outcome.ok());
        CHECK(outcome.skipped);
        CHECK(stored(world) == "theirs");
        world.store.objects.clear();
        CHECK(world.run(item).ok());
        CHECK(stored(world) == "hello, rough water");
    }

    TEST_CASE("a dry run sends nothing, reads nothing, and tells a source that is not there") {
        World world;
        give(world);
        world.files.on_read = [](const std::string&, uint64_t) { FAIL("it was read"); };
        engine::Transfer item = put_of("/f", "k");
        item.dry_run = true;
        CHECK(world.run(item).dry_run);
        item = put_of("/nowhere", "k");
        item.dry_run = true;
        CHECK(world.run(item).error->kind == ErrorKind::not_found);
        CHECK(world.network.seen.empty());
    }
}

}  // namespace s3tug::sim
