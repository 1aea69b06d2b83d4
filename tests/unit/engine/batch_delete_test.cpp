#include <doctest/doctest.h>

#include "engine/batched_deletes.h"
#include "engine/named_items.h"
#include "unit/cmd/plain_files.h"
#include "unit/engine/tree_world.h"

using namespace s3tug;
using namespace s3tug::sim;

namespace {

Strings numbered(std::size_t count) {
    Strings out;
    for (std::size_t n = 0; n < count; ++n) out.push_back("d/" + std::to_string(10000 + n));
    return out;
}

}  // namespace

TEST_CASE("deletes go by the thousand, each key as an item of its own") {
    TreeWorld w;
    w.store.list_page = 1000;
    w.fill(numbered(2001));
    const Ends ends = w.remove(tree("d/"));
    CHECK(ends.size() == 2001);
    CHECK(failures(ends).empty());
    CHECK(w.keys().empty());
    CHECK(w.network.count(wire::Op::delete_objects) == 2);
    CHECK(w.network.count(wire::Op::delete_object) == 1);  // the last one is alone
    CHECK(ends.front().first.batch.empty());
    CHECK(ends.front().second.attempts == 1);
}

TEST_CASE("each key ends by its own answer; only those that can pass are sent again") {
    TreeWorld w;
    w.fill({"d/denied", "d/fine", "d/gone", "d/slow"});
    std::size_t slow = 2;
    w.store.refuses_delete = [&slow](const std::string& key) -> std::string {
        if (key == "d/denied") return "AccessDenied";
        if (key == "d/gone") return "NoSuchKey";
        if (key == "d/slow" && slow > 0) return --slow, "SlowDown";
        return {};
    };
    const Ends ends = w.remove(tree("d/"));
    CHECK(ends.size() == 4);
    CHECK(failures(ends) == Names{"delete s3://b/d/denied"});
    const engine::Outcome& denied = end_of(ends, "delete s3://b/d/denied");
    CHECK(denied.error->kind == ErrorKind::access_denied);
    CHECK(denied.code == "AccessDenied");
    CHECK(end_of(ends, "delete s3://b/d/slow").attempts == 3);
    CHECK(w.network.count(wire::Op::delete_objects) == 3);
    CHECK(w.network.count(wire::Op::delete_object) == 0);
    CHECK(w.deletes_of("d/fine") == 1);
    CHECK(w.clock.passed > milliseconds(500));  // the repeats waited
}

TEST_CASE("a key that stays throttled fails alone when retries are used up") {
    TreeWorld w;
    w.fill({"d/1", "d/2"});
    w.config.retry.retries = 2;
    w.store.refuses_delete = [](const std::string& key) { return key == "d/2" ? "SlowDown" : ""; };
    const Ends ends = w.remove(tree("d/"));
    CHECK(failures(ends) == Names{"delete s3://b/d/2"});
    CHECK(end_of(ends, "delete s3://b/d/2").error->kind == ErrorKind::gave_up);
    CHECK(w.network.count(wire::Op::delete_objects) == 3);
}

TEST_CASE("after a lost answer each key is looked at before it is deleted again: no key gets a second marker") {
    for (const Fate::Kind kind : {Fate::Kind::reset_after, Fate::Kind::reset_before}) {
        TreeWorld w;
        w.fill({"d/1", "d/2", "d/3"});
        w.network.weather = [&w, kind](std::size_t n, const SeenRequest& seen) {
            if (n > 100) w.stop = 15;  // it would go on for ever
            return seen.op == wire::Op::delete_objects ? fate(kind) : Fate{};
        };
        const Ends ends = w.remove(tree("d/"));
        CAPTURE(static_cast<int>(kind));
        CHECK(ends.size() == 3);
        CHECK(failures(ends).empty());
        CHECK(w.keys().empty());
        for (const char* key : {"d/1", "d/2", "d/3"}) CHECK(w.deletes_of(key) == 1);
        CHECK(w.network.count(wire::Op::delete_objects) == 1);
    }
}

TEST_CASE("a batch whose answer was lost is sent again only where each key is of one version") {
    for (const bool all : {true, false}) {
        CAPTURE(all);
        TreeWorld w;
        w.fill({"d/1", "d/2"});
        w.network.weather = [](std::size_t n, const SeenRequest&) {
            return n == 1 ? fate(Fate::Kind::reset_after) : Fate{};
        };
        engine::Transfer item = delete_of("");
        item.batch = {{"d/1", "v1"}, {"d/2", all ? "v2" : ""}};
        CHECK(w.run(item).ok());
        CHECK(w.network.count(wire::Op::delete_objects) == (all ? 2 : 1));
        CHECK(w.deletes_of("d/2") == (all ? 2 : 1));
    }
}

TEST_CASE("keys of two buckets are deleted each from its own") {
    TreeWorld w;
    w.fill({"1", "2", "other"});
    for (const char* name : {"c/1", "c/2", "c/3"}) w.store.objects[name] = {.bytes = "c", .etag = "e", .modified = {}};
    std::vector<engine::Transfer> items;
    for (const wire::S3Uri& target : {wire::S3Uri{"b", "1"}, wire::S3Uri{"b", "2"}, wire::S3Uri{"c", "3"}}) {
        items.push_back(delete_of(""));
        items.back().target = target;
    }
    engine::BatchedDeletes batches(std::make_unique<engine::KnownItems>(std::move(items)));
    CHECK(failures(w.run(batches)).empty());
    Names left;
    for (const auto& [name, object] : w.store.objects) left.insert(name);
    CHECK(left == Names{"b/other", "c/1", "c/2"});
}

TEST_CASE("a key that the answer does not mention is looked at too") {
    TreeWorld w;
    w.fill({"d/1", "d/2"});
    w.store.refuses_delete = [](const std::string& key) { return key == "d/2" ? "-" : ""; };
    CHECK(failures(w.remove(tree("d/"))).empty());
    CHECK(w.network.count(wire::Op::head_object) > 0);
    CHECK(w.deletes_of("d/1") == 1);
    CHECK(w.deletes_of("d/2") == 1);
}

TEST_CASE("a key that failed inside the store is looked at, and deleted by itself when it is still there") {
    for (const bool done_all_the_same : {false, true}) {
        CAPTURE(done_all_the_same);
        TreeWorld w;
        w.fill({"d/1", "d/2"});
        w.store.refuses_delete = [&](const std::string& key) {
            if (key == "d/2" && done_all_the_same) w.store.objects.erase("b/d/2");
            return key == "d/2" ? "InternalError" : "";
        };
        CHECK(failures(w.remove(tree("d/"))).empty());
        CHECK(w.keys().empty());
        CHECK(w.network.count(wire::Op::delete_objects) == 1);
        CHECK(w.deletes_of("d/2") == (done_all_the_same ? 0 : 1));
    }
}

TEST_CASE("a store without DeleteObjects gets single deletes") {
    TreeWorld w;
    w.fill({"d/1", "d/2", "d/3"});
    w.store.knows_batch_delete = false;
    CHECK(failures(w.remove(tree("d/"))).empty());
    CHECK(w.keys().empty());
    CHECK(w.network.count(wire::Op::delete_objects) == 1);
    CHECK(w.network.count(wire::Op::delete_object) == 3);
    CHECK(w.network.count(wire::Op::head_object) == 0);
}

TEST_CASE("a batch that is refused as a whole fails each of its keys for that reason") {
    TreeWorld w;
    w.fill({"d/1", "d/2"});
    w.network.weather = [](std::size_t, const SeenRequest& seen) {
        return seen.op == wire::Op::delete_objects ? status(403, "AccessDenied") : Fate{};
    };
    const Ends ends = w.remove(tree("d/"));
    CHECK(failures(ends) == Names{"delete s3://b/d/1", "delete s3://b/d/2"});
    CHECK(end_of(ends, "delete s3://b/d/2").error->kind == ErrorKind::access_denied);
    CHECK(w.keys().size() == 2);
}

TEST_CASE("a signal or a deadline ends each key of a batch, also those that were still to come one by one") {
    for (const bool singles : {false, true}) {
        TreeWorld w;
        w.fill(numbered(5));
        w.store.list_page = 1000;
        w.store.knows_batch_delete = !singles;
        w.config.pace.concurrency_max = 1;
        w.config.pace.concurrency_start = 1;
        w.config.deadline = seconds(5);
        w.network.weather = [singles](std::size_t, const SeenRequest& seen) {
            const wire::Op hung = singles ? wire::Op::delete_object : wire::Op::delete_objects;
            return seen.op == hung ? fate(Fate::Kind::hang) : Fate{};
        };
        const Ends ends = w.remove(tree("d/"));
        CAPTURE(singles);
        CHECK(ends.size() == 5);
        CHECK(failures(ends).size() == 5);
        for (const auto& [item, outcome] : ends) CHECK(outcome.error->kind == ErrorKind::deadline);
    }
}

TEST_CASE("keys that XML cannot carry, and deletes under an idempotency key, go alone") {
    TreeWorld w;
    w.store.list_page = 1000;
    w.fill({"d/1", "d/2", "d/\x01"});
    CHECK(failures(w.remove(tree("d/"))).empty());
    CHECK(w.network.count(wire::Op::delete_objects) == 1);
    CHECK(w.network.count(wire::Op::delete_object) == 1);

    w.fill({"d/1", "d/2"});
    engine::Transfer common = delete_of("");
    common.idempotency_key = "k";
    engine::BatchedDeletes items(std::make_unique<engine::ListedItems>(tree("d/"), std::vector<wire::Header>{},
                                                                       engine::delete_items(common, tree("d/"))));
    CHECK(failures(w.run(items)).empty());
    CHECK(w.network.count(wire::Op::delete_objects) == 1);
    CHECK(w.network.count(wire::Op::delete_object) == 3);
    CHECK(w.state.list(port::Table::idempotency).size() == 2);
}

TEST_CASE("a delete under a condition goes alone, for a batch carries none") {
    std::vector<engine::Transfer> items{delete_of("a"), delete_of("b"), delete_of("c")};
    items[1].conditions.if_match = "etag";
    engine::BatchedDeletes source(std::make_unique<engine::ItemList>(items));
    const std::optional<engine::Transfer> alone = source.next();
    REQUIRE(alone);
    CHECK(alone->target.key == "b");
    CHECK(alone->batch.empty());
    const std::optional<engine::Transfer> together = source.next();
    REQUIRE(together);
    CHECK(together->batch.size() == 2);
    CHECK(!source.next());
    CHECK(source.ended());
}

TEST_CASE("a dry run lists, names each key, and deletes none") {
    TreeWorld w;
    w.fill({"d/1", "d/2"});
    engine::Transfer common = delete_of("");
    common.dry_run = true;
    engine::BatchedDeletes items(std::make_unique<engine::ListedItems>(tree("d/"), std::vector<wire::Header>{},
                                                                       engine::delete_items(common, tree("d/"))));
    const Ends ends = w.run(items);
    CHECK(ends.size() == 2);
    CHECK(ends[0].second.dry_run);
    CHECK(w.keys().size() == 2);
}

TEST_CASE("keys of a slow writer are not kept waiting for a full batch, and gather while one is under way") {
    engine::NamedItems::List list;
    list.file = std::make_unique<cmd::SlowSource>(Strings{"1\n", "", "2\n3\n", "", "", "4\n"});
    engine::BatchedDeletes items(std::make_unique<engine::NamedItems>(
        std::move(list), delete_of(""), [](const std::string& name) { return std::optional(delete_of(name)); }));
    items.under_way(false);
    const std::optional<engine::Transfer> first = items.next();
    REQUIRE(first);
    CHECK(first->target.key == "1");
    items.under_way(true);
    CHECK(!items.next());
    CHECK(!items.ended());
    items.under_way(false);
    const std::optional<engine::Transfer> second = items.next();
    REQUIRE(second);
    CHECK(second->batch.size() == 2);
    const std::optional<engine::Transfer> third = items.next();
    REQUIRE(third);
    CHECK(third->target.key == "4");
    CHECK(!items.next());
    CHECK(items.ended());
}
