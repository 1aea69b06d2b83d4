#include <doctest/doctest.h>

#include <functional>
#include <utility>

#include "support/sim_world.h"

namespace s3tug::sim {

TEST_SUITE("engine/key_guard") {
    TEST_CASE("the same key for anything else than before is refused before anything is sent") {
        const std::pair<const char*, std::function<void(engine::Transfer&)>> changes[] = {
            {"another key", [](auto& item) { item.target.key = "k2"; }},
            {"another bucket", [](auto& item) { item.target.bucket = "c"; }},
            {"if-match", [](auto& item) { item.conditions.if_match = "e"; }},
            {"if-none-match", [](auto& item) { item.conditions.if_none_match_any = true; }},
            {"content type", [](auto& item) { item.properties.content_type = "text/plain"; }},
            {"cache control", [](auto& item) { item.properties.cache_control = "no-store"; }},
            {"storage class", [](auto& item) { item.properties.storage_class = "GLACIER"; }},
            {"metadata",
             [](auto& item) {
                 item.properties.metadata.push_back({"a", "b"});
             }},
            {"another header",
             [](auto& item) {
                 item.properties.extra.push_back({"x-amz-acl", "private"});
             }},
            {"another command", [](auto& item) { item = delete_of("k"); }},
        };
        for (const auto& change : changes) {
            CAPTURE(change.first);
            FileWorld world;
            engine::Transfer item = keyed(put_of("/f", "k"));
            REQUIRE(world.run(item).ok());
            change.second(item);
            item = keyed(std::move(item));
            const engine::Outcome outcome = world.run(item);
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::key_reused);
            CHECK(world.network.seen.size() == 1);
        }
    }

    TEST_CASE("how long a result is kept is said by the run that made it, not by the one that asks") {
        for (const bool first_is_short : {true, false}) {
            CAPTURE(first_is_short);
            FileWorld world;
            engine::Transfer first = keyed(put_of("/f", "k"));
            first.idempotency_keep = first_is_short ? seconds(1) : seconds(3600);
            REQUIRE(world.run(first).ok());
            world.clock.passed += milliseconds(2500);
            engine::Transfer second = keyed(put_of("/f", "k"));
            second.idempotency_keep = first_is_short ? seconds(3600) : seconds(1);
            const engine::Outcome outcome = world.run(second);
            CHECK(outcome.ok());
            CHECK(outcome.cached == !first_is_short);
            CHECK(world.network.count(wire::Op::put_object) == (first_is_short ? 2 : 1));
        }
    }

    TEST_CASE("waiting for the owner of a key ends before the deadline") {
        FileWorld world;
        engine::Transfer item = keyed(put_of("/f", "k"));
        world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::hang); };
        CHECK(!world.run_killed_at(2, item));
        ++world.processes.me.pid;  // and the first one counts as alive
        world.config.deadline = seconds(5);
        const Instant began = world.clock.now();
        const engine::Outcome outcome = world.run(item);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::deadline);
        CHECK(world.clock.now() - began >= seconds(4));
        CHECK(world.clock.now() - began < seconds(5));
        CHECK(world.network.seen.size() == 1);
    }
}

}  // namespace s3tug::sim
