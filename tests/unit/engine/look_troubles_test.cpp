#include <doctest/doctest.h>

#include "base/bytes.h"
#include "support/big_world.h"

/// Troubles of looking, and of many requests that meet one trouble together: found by the simulator.
namespace s3tug::sim {
namespace {

/// The first process dies with its request on its way; the next one takes the key over.
std::optional<engine::Outcome> killed_with_request_sent(World& world, const engine::Transfer& item) {
    world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::hang); };
    std::optional<engine::Outcome> outcome = world.run_killed_at(2, item);
    world.network.weather = {};
    world.processes.dead.push_back(world.processes.me.pid++);
    return outcome;
}

Fate wrong_region(const SeenRequest& seen) {
    const auto auth = seen.request.headers.find("authorization").value_or("");
    if (auth.find("/eu-south-7/s3/") != std::string_view::npos) return {};
    Fate fate = status(400, "AuthorizationHeaderMalformed");
    fate.answer.body = "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-south-7</Region></Error>";
    fate.answer.headers.add("x-amz-bucket-region", "eu-south-7");
    if (seen.op == wire::Op::head_object) fate.answer.body.clear();
    return fate;
}

}  // namespace

TEST_SUITE("engine/troubles of looking") {
    TEST_CASE("an earlier process may have done it, and HEAD is denied: what may be repeated is sent") {
        for (const engine::Transfer& item : {keyed(put_of("/f", "k")), keyed(delete_of("k"))}) {
            World world;
            world.files.files["/f"].bytes = "bytes";
            CHECK(!killed_with_request_sent(world, item));
            world.network.weather = [](std::size_t, const SeenRequest& seen) {
                return seen.op == wire::Op::head_object ? status(403, "") : Fate{};
            };
            const engine::Outcome outcome = world.run(item);
            CHECK(outcome.ok());
            CHECK(world.store.effects.size() == 1);
        }
    }

    TEST_CASE("an earlier process may have done it, and nothing is to be seen of it after three looks: it is sent") {
        for (const bool conditional : {false, true}) {
            World world;
            world.files.files["/f"].bytes = "bytes";
            engine::Transfer item = keyed(put_of("/f", "k"));
            item.conditions.if_none_match_any = conditional;
            CHECK(!killed_with_request_sent(world, item));
            CHECK(world.run(item).ok());
            CHECK(world.network.count(wire::Op::head_object) == 3);
            CHECK(world.store.effects.size() == 1);
        }
    }

    TEST_CASE("a clock that is set while the answer is lost does not hide what the attempt left") {
        for (const Duration step : {-minutes(30), minutes(30)}) {
            World world;
            world.files.files["/f"].bytes = "bytes";
            world.config.write_token = engine::TokenMode::off;
            world.network.weather = [&](std::size_t n, const SeenRequest&) {
                if (n == 2) world.clock.wall_step = step;
                return n == 1 ? fate(Fate::Kind::reset_after) : Fate{};
            };
            world.store.clock_ahead = Duration{};
            CHECK(world.run(put_of("/f", "k")).ok());
            CHECK(world.store.effects.size() == 1);
        }
    }

    TEST_CASE("looks that failed for an earlier attempt do not leave a later one without a look") {
        World world;
        world.files.files["/f"].bytes = "bytes";
        world.config.retry.retries = 3;
        std::size_t puts = 0;
        bool failed = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::put_object)
                return ++puts == 1 ? fate(Fate::Kind::reset_before) : fate(Fate::Kind::reset_after);
            if (puts == 1 || !std::exchange(failed, true)) return status(502, "");
            return Fate{};
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(puts == 2);
        CHECK(world.store.effects.size() == 1);
    }

    TEST_CASE("the waits between looks grow with those that fail one after the other, not with all that ever failed") {
        World world;
        world.files.files["/f"].bytes = "bytes";
        std::size_t looks = 0;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            if (seen.op == wire::Op::put_object) return looks == 0 ? fate(Fate::Kind::reset_before) : Fate{};
            return ++looks % 3 != 0 ? status(502, "") : Fate{};  // two fail, one finds nothing
        };
        const Instant began = world.clock.now();
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(looks >= 6);
        CHECK(world.clock.now() - began < seconds(12));
    }

    TEST_CASE("a key taken over stays in doubt when not even the look came through") {
        BigWorld world;
        world.config.retry.retries = 0;
        const engine::Transfer item = keyed(put_of("/f", "k"));
        bool landed = false;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            landed |= seen.op == wire::Op::complete_multipart_upload;
            return landed ? fate(Fate::Kind::reset_after) : Fate{};
        };
        CHECK(!world.run(item).ok());
        world.next_process();
        world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::refuse); };
        CHECK(!world.run(item).ok());
        world.network.weather = {};
        world.next_process();
        CHECK(world.run(item).ok());
        CHECK(std::count(world.store.effects.begin(), world.store.effects.end(), "COMPLETE b/k") == 1);
    }

    TEST_CASE("an upload that is gone on with under a key is known by its own token to the run after a crash") {
        BigWorld world;
        world.config.retry.retries = 0;
        const engine::Transfer item = keyed(put_of("/f", "k"));
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::upload_part ? fate(Fate::Kind::refuse) : Fate{};
        };
        CHECK(!world.run(item).ok());
        CHECK(world.store.uploads.open.size() == 1);
        world.network.weather = {};
        world.next_process();
        CHECK(world.run(item).ok());
        CHECK(world.network.count(wire::Op::create_multipart_upload) == 1);
        // It died before it could keep the result.
        std::string& kept = world.state.records.at({port::Table::idempotency, "job"});
        policy::KeyRecord record = policy::decode_key_record(kept).value();
        record.done = false;
        kept = policy::encode(record);
        world.next_process();
        CHECK(world.run(item).ok());
        CHECK(std::count(world.store.effects.begin(), world.store.effects.end(), "COMPLETE b/k") == 1);
    }

    TEST_CASE("a run that fails leaves a key alone which another process has taken over meanwhile") {
        World world;
        world.files.files["/f"].bytes = "bytes";
        const std::pair at(port::Table::idempotency, std::string("job"));
        const ProcessId other{7, 7, "boot-a", 2};
        world.network.weather = [&](std::size_t, const SeenRequest&) {
            // As a process of another container does, which cannot see that this one lives.
            policy::KeyRecord record = policy::decode_key_record(world.state.records.at(at)).value();
            record.owner = other;
            world.state.records[at] = policy::encode(record);
            return status(403, "AccessDenied");
        };
        CHECK(world.run(keyed(put_of("/f", "k"))).error->kind == ErrorKind::access_denied);
        REQUIRE(world.state.records.contains(at));
        CHECK(policy::decode_key_record(world.state.records.at(at))->owner == other);
    }

    TEST_CASE("the same under a condition ends with an unknown outcome: never a guess") {
        World world;
        world.files.files["/f"].bytes = "bytes";
        engine::Transfer item = keyed(put_of("/f", "k"));
        item.conditions.if_none_match_any = true;
        CHECK(!killed_with_request_sent(world, item));
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::head_object ? status(403, "") : Fate{};
        };
        CHECK(world.run(item).error->kind == ErrorKind::outcome_unknown);
        CHECK(world.store.effects.empty());
    }

    TEST_CASE("without a token the age of what stands there is judged on the server's clock, whatever ours says") {
        for (const Duration ahead : {Duration(-hours(2)), Duration::zero(), Duration(hours(2))}) {
            CAPTURE(ahead.count());
            World world;
            world.config.write_token = engine::TokenMode::off;
            world.store.clock_ahead = ahead;
            world.files.files["/f"].bytes = "bytes";
            world.network.weather = [](std::size_t n, const SeenRequest&) {
                return n == 1 ? fate(Fate::Kind::reset_after) : Fate{};
            };
            CHECK(world.run(put_of("/f", "k")).ok());
            CHECK(world.store.effects.size() == 1);

            // The same content of an hour ago is not this write.
            world.clock.passed += hours(1);
            world.network.seen.clear();
            world.network.weather = [](std::size_t n, const SeenRequest&) {
                return n == 1 ? fate(Fate::Kind::reset_before) : Fate{};
            };
            CHECK(world.run(put_of("/f", "k")).ok());
            CHECK(world.store.effects.size() == 2);
        }
    }

    TEST_CASE("looks that fail for now do not turn looking off for the attempts after them") {
        World world;
        world.files.files["/f"].bytes = "bytes";
        world.config.retry.retries = 2;
        // Lost before it took effect; all looks fail; the repeat takes effect and its answer is lost.
        world.network.weather = [](std::size_t n, const SeenRequest& seen) {
            if (n == 1) return fate(Fate::Kind::reset_before);
            if (n <= 4) return status(500, "InternalError");
            return seen.op == wire::Op::put_object && n == 5 ? fate(Fate::Kind::reset_after) : Fate{};
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.seen.at(4).op == wire::Op::put_object);
        CHECK(world.network.count(wire::Op::put_object) == 2);
        CHECK(world.store.effects.size() == 1);
    }

    TEST_CASE("a look that was denied is not asked for again after the next lost answer") {
        World world;
        world.files.files["/f"].bytes = "bytes";
        world.config.retry.retries = 3;
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return seen.op == wire::Op::head_object ? status(403, "") : fate(Fate::Kind::reset_before);
        };
        CHECK(!world.run(put_of("/f", "k")).ok());
        CHECK(world.network.count(wire::Op::put_object) == 4);
        CHECK(world.network.count(wire::Op::head_object) == 1);
    }

    TEST_CASE("a look that decides nothing on behalf of an earlier process does not turn looking off") {
        World world;
        world.files.files["/f"].bytes = "bytes";
        world.config.write_token = engine::TokenMode::off;
        const engine::Transfer item = keyed(put_of("/f", "k"));
        world.store.objects["b/k"].bytes = "older";
        CHECK(!killed_with_request_sent(world, item));
        std::size_t puts = 0;
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            const bool first = seen.op == wire::Op::put_object && ++puts == 1;
            return first ? fate(Fate::Kind::reset_after) : Fate{};
        };
        CHECK(world.run(item).ok());
        CHECK(puts == 1);
        CHECK(world.store.effects.size() == 1);
    }

    TEST_CASE("a look refused for the clock once more is no denial: what may be there is not sent again") {
        World world;
        world.files.files["/f"].bytes = "bytes";
        world.network.weather = [](std::size_t n, const SeenRequest& seen) {
            if (seen.op != wire::Op::head_object) return fate(Fate::Kind::reset_after);
            // The clock is set between the two looks, so mending it once does not do.
            Fate skewed = status(403, "");
            skewed.answer.body.clear();
            skewed.answer.headers.set("date",
                                      n == 2 ? "Sun, 29 Nov 2026 18:00:00 GMT" : "Sun, 29 Nov 2026 02:00:00 GMT");
            return skewed;
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        CHECK(outcome.error->kind == ErrorKind::outcome_unknown);
        CHECK(world.network.count(wire::Op::head_object) == 2);
        CHECK(world.network.count(wire::Op::put_object) == 1);
    }

    TEST_CASE("a look in the wrong region is signed again for the right one") {
        World world;
        world.files.files["/f"].bytes = "bytes";
        world.network.weather = [](std::size_t n, const SeenRequest& seen) {
            return n == 1 ? fate(Fate::Kind::reset_after) : wrong_region(seen);
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.count(wire::Op::put_object) == 1);
        CHECK(world.network.count(wire::Op::head_object) == 2);
        CHECK(world.store.effects.size() == 1);
    }

    TEST_CASE("a look with expired credentials is made again with fresh ones") {
        World world;
        world.files.files["/f"].bytes = "bytes";
        world.credentials.keys = {"AKOLD", "AKNEW"};
        world.network.weather = [&](std::size_t n, const SeenRequest&) {
            if (n == 1) return fate(Fate::Kind::reset_after);
            world.store.valid_access_key = "AKNEW";
            return Fate{};
        };
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.network.count(wire::Op::put_object) == 1);
        CHECK(world.store.effects.size() == 1);
    }

    TEST_CASE("many requests at once in the wrong region: each is signed again, though the first has learned it") {
        BigWorld world;
        world.store.objects["b/k"].bytes = text_of(1050);
        world.store.objects["b/k"].etag = "e";
        Checksummer crc(ChecksumAlgorithm::crc64nvme);
        crc.update(as_bytes(world.store.objects["b/k"].bytes));
        world.store.objects["b/k"].crc64 = crc.finish().base64;
        world.config.download.part_bytes = 100;
        world.config.download.threshold = 200;
        CHECK(!world.run_killed_at(3, get_of("k", "/d")));
        world.next_process();
        world.network.weather = [](std::size_t, const SeenRequest& seen) { return wrong_region(seen); };
        const engine::Outcome outcome = world.run(get_of("k", "/d"));
        CHECK(outcome.ok());
        CHECK(world.files.files.at("/d").bytes == text_of(1050));
    }
}

}  // namespace s3tug::sim
