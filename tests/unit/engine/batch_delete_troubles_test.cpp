#include <doctest/doctest.h>

#include "engine/batched_deletes.h"
#include "unit/engine/tree_world.h"

using namespace s3tug;
using namespace s3tug::sim;

namespace {

/// One item for two keys, as BatchedDeletes makes it.
engine::Transfer batch_of(const std::vector<std::string>& keys, const std::string& version = "") {
    engine::Transfer item = delete_of("");
    for (const std::string& key : keys) item.batch.push_back({key, version});
    return item;
}

Ends run_batch(TreeWorld& world, engine::Transfer batch) {
    const std::vector<engine::Transfer> items{std::move(batch)};
    engine::ItemList source(items);
    return world.run(source);
}

}  // namespace

TEST_CASE("a key that the store failed on is looked at, then deleted by itself; no key is given up or deleted twice") {
    struct Row {
        const char* code;
        bool done_all_the_same;
    };
    for (const Row& row : {Row{"InternalError", false}, Row{"InternalError", true}, Row{"XMinioBackendDown", false},
                           Row{"OperationAborted", false}, Row{"NeverHeardOf", false}}) {
        CAPTURE(row.code);
        CAPTURE(row.done_all_the_same);
        TreeWorld w;
        w.fill({"d/1", "d/2", "d/3"});
        w.store.refuses_delete = [&](const std::string& key) -> std::string {
            if (key != "d/2") return {};
            if (row.done_all_the_same && w.store.objects.erase("b/d/2") > 0) w.store.effects.push_back("DELETE b/d/2");
            return row.code;
        };
        const Ends ends = w.remove(tree("d/"));
        CHECK(ends.size() == 3);
        CHECK(failures(ends).empty());
        CHECK(w.keys().empty());
        for (const char* key : {"d/1", "d/2", "d/3"}) CHECK(w.deletes_of(key) == 1);
        CHECK(w.network.count(wire::Op::delete_objects) == 1);
    }
}

TEST_CASE("a batch with a key that XML cannot carry sends that one alone") {
    TreeWorld w;
    w.fill({"a", "b\x01"});
    const Ends ends = run_batch(w, batch_of({"a", "b\x01"}));
    CHECK(ends.size() == 2);
    CHECK(failures(ends).empty());
    CHECK(w.keys().empty());
    CHECK(w.network.count(wire::Op::delete_object) == 1);
}

TEST_CASE("a lost answer to a batch of versions is sent again without a look: a version goes once") {
    TreeWorld w;
    w.fill({"a", "b"});
    w.network.weather = [](std::size_t n, const SeenRequest&) {
        return n == 1 ? fate(Fate::Kind::reset_after) : Fate{};
    };
    CHECK(failures(run_batch(w, batch_of({"a", "b"}, "v1"))).empty());
    CHECK(w.network.count(wire::Op::delete_objects) == 2);
    CHECK(w.network.count(wire::Op::head_object) == 0);
}

TEST_CASE("an answer to a batch that cannot be read leaves each key in doubt, to be settled by looking") {
    TreeWorld w;
    w.fill({"a", "b"});
    w.network.weather = [](std::size_t, const SeenRequest& seen) {
        Fate broken = status(200, "");
        broken.answer.body = "<DeleteResult><Deleted><Key>a</Key></Deleted><Error><Key></DeleteResult>";
        return seen.op == wire::Op::delete_objects ? broken : Fate{};
    };
    CHECK(failures(run_batch(w, batch_of({"a", "b"}))).empty());
    CHECK(w.keys().empty());
    CHECK(w.network.count(wire::Op::head_object) > 0);
}

TEST_CASE("a deadline ends all single deletes of a batch, those under way and those to come") {
    TreeWorld w;
    w.fill({"1", "2", "3", "4", "5"});
    w.store.knows_batch_delete = false;
    w.config.pace.concurrency_max = 3;
    w.config.pace.concurrency_start = 3;
    w.config.deadline = seconds(5);
    w.network.weather = [](std::size_t, const SeenRequest& seen) {
        return seen.op == wire::Op::delete_object ? fate(Fate::Kind::hang) : Fate{};
    };
    const Ends ends = run_batch(w, batch_of({"1", "2", "3", "4", "5"}));
    REQUIRE(failures(ends).size() == 5);
    for (const auto& [item, key] : ends) CHECK(key.error->kind == ErrorKind::deadline);
    CHECK(w.network.count(wire::Op::delete_object) == 3);
}

TEST_CASE("what ends a batch before anything is sent ends each of its keys") {
    TreeWorld w;
    engine::Transfer item = batch_of({"a", "b"});
    item.refused = Error{ErrorKind::usage, "not this"};
    const Ends ends = run_batch(w, std::move(item));
    REQUIRE(failures(ends).size() == 2);
    for (const auto& [each, key] : ends) CHECK(key.error->kind == ErrorKind::usage);
    CHECK(w.network.seen.empty());
}

TEST_CASE("a batch holds keys of one bucket") {
    std::vector<engine::Transfer> items{delete_of("a"), delete_of("b"), delete_of("c")};
    items[2].target.bucket = "other";
    engine::BatchedDeletes source(std::make_unique<engine::ItemList>(items));
    const std::optional<engine::Transfer> first = source.next();
    REQUIRE(first);
    CHECK(first->target.bucket == "b");
    CHECK(first->batch.size() == 2);
    const std::optional<engine::Transfer> second = source.next();
    REQUIRE(second);
    CHECK(second->target == wire::S3Uri{"other", "c"});
    CHECK(second->batch.empty());
    CHECK(!source.next());
}

TEST_CASE("removing one version is repeated after a lost answer without a look") {
    TreeWorld w;
    w.fill({"a"});
    engine::Transfer item = delete_of("a");
    item.version_id = "v1";
    w.network.weather = [](std::size_t n, const SeenRequest&) {
        return n == 1 ? fate(Fate::Kind::reset_after) : Fate{};
    };
    CHECK(w.run(item).ok());
    CHECK(w.network.count(wire::Op::delete_object) == 2);
    CHECK(w.network.count(wire::Op::head_object) == 0);
}

TEST_CASE("a condition that the store is known to ignore is refused unsent, since it would delete") {
    TreeWorld w;
    w.fill({"a"});
    w.config.endpoint.host = "storage.googleapis.com";
    engine::Transfer item = delete_of("a");
    item.conditions.if_match = "e";
    const engine::Outcome outcome = w.run(item);
    REQUIRE(!outcome.ok());
    CHECK(outcome.error->kind == ErrorKind::unsupported);
    CHECK(w.network.seen.empty());
    CHECK(w.keys().size() == 1);
}

TEST_CASE("a bucket that is not there is no success of a delete, a key that is not there under a condition neither") {
    TreeWorld w;
    w.network.weather = [](std::size_t, const SeenRequest&) { return status(404, "NoSuchBucket"); };
    CHECK(w.run(delete_of("a")).error->kind == ErrorKind::not_found);
    w.config.endpoint.host = "s3.eu-central-1.amazonaws.com";  // keeps the condition, so there is no look before
    w.network.weather = [](std::size_t, const SeenRequest&) { return status(404, "NoSuchKey"); };
    engine::Transfer item = delete_of("a");
    item.conditions.if_match = "e";
    CHECK(w.run(item).error->kind == ErrorKind::not_found);
}
