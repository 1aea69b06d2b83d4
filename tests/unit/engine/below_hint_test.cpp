#include "engine/below_hint.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/sim_world.h"

/// A key that was typed for a folder: what the store is asked about it, and what is said.
namespace s3tug::sim {
namespace {

constexpr const char* hint = "there are objects below s3://b/tree/, which --recursive means";

engine::Transfer typed(engine::Transfer item) {
    item.hint_below = true;
    item.properties.extra.push_back({"x-amz-request-payer", "requester"});
    return item;
}

bool warned(const World& world) {
    return std::any_of(world.observer.events.begin(), world.observer.events.end(), [](const port::TraceEvent& event) {
        return event.kind == port::EventKind::warning && event.why == hint;
    });
}

/// Answers that leave it open whether there is anything below. Each is given to every listing.
struct NoNews {
    const char* what;
    Fate listing;
};
std::vector<NoNews> no_news() {
    return {{"denied", status(403, "AccessDenied")},
            {"busy", status(503, "SlowDown")},
            {"answer lost", fate(Fate::Kind::reset_before)},
            {"credentials run out", status(400, "ExpiredToken")},
            {"not a listing", with_body("<html></html>")},
            {"a listing of something else", with_body("<ListBucketResult><Name>b</Name><Prefix>other/</Prefix>"
                                                      "<Contents><Key>other/a</Key><Size>1</Size></Contents>"
                                                      "</ListBucketResult>")}};
}

void give_listing(World& world, const Fate& listing) {
    world.credentials.keys = {"AKONE", "AKTWO"};
    world.network.weather = [listing](std::size_t, const SeenRequest& seen) {
        return seen.op == wire::Op::list_objects_v2 ? listing : Fate{};
    };
}

}  // namespace

TEST_SUITE("engine/below_hint") {
    TEST_CASE("a get of a key that is not there says whether objects are below it, and asks for one key to know it") {
        struct Row {
            const char* key;
            const char* stands;
            bool hinted;
        };
        for (const Row& row : {Row{"tree", "tree/a", true}, Row{"tree/", "tree/a/b", true},
                               Row{"tree", "treehouse", false}, Row{"tree", "another", false}}) {
            CAPTURE(row.key);
            CAPTURE(row.stands);
            World world;
            world.store.objects[std::string("b/") + row.stands].bytes = "bytes";
            const engine::Outcome outcome = world.run(typed(get_of(row.key, "/out")));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::not_found);
            CHECK(outcome.code == "NoSuchKey");
            CHECK(says(outcome, hint) == row.hinted);
            CHECK(world.files.files.empty());
            REQUIRE(world.network.seen.size() == 2);
            const SeenRequest& listing = world.network.seen[1];
            CHECK(listing.op == wire::Op::list_objects_v2);
            CHECK(query_value(listing.request.url, "prefix") == "tree/");
            CHECK(query_value(listing.request.url, "max-keys") == "1");
            CHECK(listing.request.headers.find("x-amz-request-payer").has_value());
        }
    }

    TEST_CASE("a listing that tells nothing is not asked for again, and what is missing stays what is said") {
        for (const NoNews& row : no_news()) {
            CAPTURE(row.what);
            World world;
            world.store.objects["b/tree/a"].bytes = "bytes";
            give_listing(world, row.listing);
            const engine::Outcome outcome = world.run(typed(get_of("tree", "/out")));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::not_found);
            CHECK(outcome.code == "NoSuchKey");
            CHECK(!says(outcome, "--recursive"));
            CHECK(world.network.count(wire::Op::list_objects_v2) == 1);
        }
    }

    TEST_CASE("nothing is looked for below what names one object and no folder") {
        struct Row {
            const char* what;
            bool typed;
            const char* version;
            Fate answer;
        };
        for (const Row& row : {Row{"from a list", false, "", Fate{}}, Row{"a version", true, "v1", Fate{}},
                               Row{"no bucket", true, "", status(404, "NoSuchBucket")},
                               Row{"denied", true, "", status(403, "AccessDenied")}}) {
            CAPTURE(row.what);
            World world;
            world.store.objects["b/tree/a"].bytes = "bytes";
            world.network.weather = [&](std::size_t, const SeenRequest&) { return row.answer; };
            engine::Transfer item = typed(get_of("tree", "/out"));
            item.hint_below = row.typed;
            item.version_id = row.version;
            CHECK(!world.run(item).ok());
            CHECK(world.network.seen.size() == 1);
        }
    }

    TEST_CASE("a deadline that comes during the listing does not hide what is missing") {
        World world;
        world.store.objects["b/tree/a"].bytes = "bytes";
        give_listing(world, fate(Fate::Kind::hang));
        world.config.deadline = seconds(5);
        const engine::Outcome outcome = world.run(typed(get_of("tree", "/out")));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::not_found);
        CHECK(world.files.parts.empty());
    }

    TEST_CASE("the delete of a folder's name is done, with a warning where objects are below it") {
        struct Row {
            const char* what;
            const char* key;
            bool below, typed;
            const char* version;
            std::size_t listings;
            bool warns;
        };
        for (const Row& row :
             {Row{"a folder", "tree/", true, true, "", 1, true},
              Row{"an empty one", "tree/", false, true, "", 1, false}, Row{"a key", "tree", true, true, "", 0, false},
              Row{"a version", "tree/", true, true, "v1", 0, false},
              Row{"from a list", "tree/", true, false, "", 0, false}}) {
            CAPTURE(row.what);
            World world;
            if (row.below) world.store.objects["b/tree/a"].bytes = "bytes";
            engine::Transfer item = typed(delete_of(row.key));
            item.hint_below = row.typed;
            item.version_id = row.version;
            CHECK(world.run(item).ok());
            CHECK(world.network.count(wire::Op::delete_object) == 1);
            CHECK(world.network.count(wire::Op::list_objects_v2) == row.listings);
            CHECK(warned(world) == row.warns);
            CHECK(world.store.objects.contains("b/tree/a") == row.below);
        }
    }

    TEST_CASE("a delete that is done stays so when the listing tells nothing, and one that failed asks for none") {
        for (const NoNews& row : no_news()) {
            CAPTURE(row.what);
            World world;
            world.store.objects["b/tree/a"].bytes = "bytes";
            give_listing(world, row.listing);
            CHECK(world.run(typed(delete_of("tree/"))).ok());
            CHECK(!warned(world));
            CHECK(world.network.count(wire::Op::list_objects_v2) == 1);
        }
        World world;
        world.network.weather = [](std::size_t, const SeenRequest&) { return status(403, "AccessDenied"); };
        CHECK(world.run(typed(delete_of("tree/"))).code == "AccessDenied");
        CHECK(world.network.seen.size() == 1);
    }
}

}  // namespace s3tug::sim
