#include "engine/listed_items.h"

#include <doctest/doctest.h>

#include "unit/engine/tree_world.h"

using namespace s3tug;
using namespace s3tug::sim;

TEST_CASE("a tree is the key and what is below it, a pattern what matches it, over all pages") {
    struct Row {
        engine::KeySelection what;
        Strings left;
    };
    const Strings all = {"log", "log-old/x", "log/a", "log/b/c", "log/d", "log/e", "logs", "other"};
    for (const Row& row :
         {Row{tree("log"), {"log-old/x", "logs", "other"}}, Row{tree("log/"), {"log", "log-old/x", "logs", "other"}},
          Row{pattern("log*"), {"other"}}, Row{pattern("log/?"), {"log", "log-old/x", "log/b/c", "logs", "other"}},
          Row{tree(""), {}}, Row{tree("other"), {"log", "log-old/x", "log/a", "log/b/c", "log/d", "log/e", "logs"}}}) {
        TreeWorld w;
        w.fill(all);
        CAPTURE(row.what.text());
        CHECK(failures(w.remove(row.what)).empty());
        CHECK(w.keys() == row.left);
    }
}

TEST_CASE("a selection without any object is not found, and one of which the filter leaves nothing is done") {
    TreeWorld w;
    w.fill({"log-old/x", "a/1"});
    for (const engine::KeySelection& what : {tree("log"), tree("log/"), pattern("log/*")}) {
        CAPTURE(what.text());
        const Ends ends = w.remove(what);
        REQUIRE(ends.size() == 1);
        CHECK(ends[0].first.kind == engine::TransferKind::list);
        CHECK(ends[0].second.error->kind == ErrorKind::not_found);
        CHECK(engine::item_name(ends[0].first) == "list " + what.text());
    }
    engine::KeySelection filtered = tree("a");
    REQUIRE(filtered.filter.add(engine::PathFilter::Rule::exclude, "*"));
    CHECK(w.remove(filtered).empty());
    CHECK(w.keys() == Strings{"a/1", "log-old/x"});
}

TEST_CASE("filters are held against the name below the base") {
    TreeWorld w;
    w.fill({"a/1.txt", "a/b/2.txt", "a/b/3.log", "a/4.log"});
    engine::KeySelection what = tree("a");
    REQUIRE(what.filter.add(engine::PathFilter::Rule::exclude, "*.log"));
    REQUIRE(what.filter.add(engine::PathFilter::Rule::include, "b/*"));
    CHECK(failures(w.remove(what)).empty());
    CHECK(w.keys() == Strings{"a/4.log"});
}

TEST_CASE("a listing that fails on a later page ends as an item of its own; what was not listed is not touched") {
    TreeWorld w;
    w.fill({"d/1", "d/2", "d/3", "d/4", "d/5"});
    std::size_t pages = 0;
    w.network.weather = [&pages](std::size_t, const SeenRequest& seen) {
        if (seen.op == wire::Op::list_objects_v2 && ++pages == 2) return status(403, "AccessDenied");
        return Fate{};
    };
    const Ends ends = w.remove(tree("d/"));
    CHECK(ends.size() == 4);
    CHECK(failures(ends) == Names{"list s3://b/d/"});
    const engine::Outcome& listing = end_of(ends, "list s3://b/d/");
    CHECK(listing.error->kind == ErrorKind::access_denied);
    CHECK(listing.status == 403);
    CHECK(listing.code == "AccessDenied");
    CHECK(!listing.request_id.empty());
    CHECK(w.keys() == Strings{"d/4", "d/5"});
}

TEST_CASE("a page that is cut or leads nowhere is asked for again and never taken for the last one") {
    TreeWorld w;
    w.fill({"d/1", "d/2", "d/3", "d/4"});
    w.network.weather = [](std::size_t n, const SeenRequest&) {
        Fate out;
        if (n == 1) {
            out.kind = Fate::Kind::answer;
            out.answer.status = 200;
            out.answer.body = "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>";
        }
        if (n == 2) {
            out.kind = Fate::Kind::cut;
            out.cut_at = 150;
        }
        return out;
    };
    CHECK(failures(w.remove(tree("d/"))).empty());
    CHECK(w.keys().empty());
    CHECK(w.network.count(wire::Op::list_objects_v2) == 4);
}

TEST_CASE("the end of a run by a signal ends the listing") {
    TreeWorld w;
    w.fill({"d/1", "d/2", "d/3", "d/4", "d/5", "d/6", "d/7"});
    w.network.on_poll = [&w] {
        if (w.network.count(wire::Op::list_objects_v2) == 2) w.stop = 2;
    };
    const Ends ends = w.remove(tree("d/"));
    CHECK(w.network.count(wire::Op::list_objects_v2) == 2);
    CHECK(w.store.objects.contains("b/d/7"));
}

TEST_CASE("keys become files below the folder; those that cannot are refused and counted") {
    TreeWorld w;
    w.fill({"t/a", "t/a/b", "t/c/d", "t/../up", "t//x", "t/", "t/full/", "t/./y"});
    w.store.objects["b/t/"].bytes.clear();
    const Ends ends = w.get(tree("t"), "/out");
    CHECK(failures(ends) ==
          Names{"get s3://b/t/a/b", "get s3://b/t/../up", "get s3://b/t//x", "get s3://b/t/full/", "get s3://b/t/./y"});
    for (const auto& [item, outcome] : ends) {
        if (!outcome.ok()) CHECK(outcome.error->kind == ErrorKind::cannot_write);
    }
    CHECK(w.files.files.size() == 2);
    CHECK(w.files.files.at("/out/a").bytes == "t/a");
    CHECK(w.files.files.at("/out/c/d").bytes == "t/c/d");
    CHECK(w.network.count(wire::Op::get_object) == 2);
}

TEST_CASE("the key of a tree's own name collides with a file or folder of that name below it") {
    TreeWorld w;
    w.fill({"x/log", "x/log/log", "x/log/log/y", "x/log/z"});
    const Ends ends = w.get(tree("x/log"), "/out/");
    CHECK(failures(ends) == Names{"get s3://b/x/log/log", "get s3://b/x/log/log/y"});
    CHECK(w.files.files.at("/out/log").bytes == "x/log");
    CHECK(w.files.files.at("/out/z").bytes == "x/log/z");
}

TEST_CASE("names below a pattern begin after the last slash before its first wildcard") {
    TreeWorld w;
    w.fill({"y/2025-01/a", "y/2025-02/b", "y/2026/c"});
    CHECK(failures(w.get(pattern("y/2025*"), "/o")).empty());
    CHECK(w.files.files.size() == 2);
    CHECK(w.files.files.contains("/o/2025-01/a"));
    CHECK(w.files.files.contains("/o/2025-02/b"));
}

TEST_CASE("what an earlier operand means is not done twice") {
    TreeWorld w;
    w.fill({"a1", "a2", "b1"});
    std::vector<std::unique_ptr<engine::ItemSource>> sources;
    sources.push_back(std::make_unique<engine::ListedItems>(pattern("a*"), std::vector<wire::Header>{},
                                                            engine::delete_items(delete_of(""), pattern("a*"))));
    sources.push_back(std::make_unique<engine::ListedItems>(
        pattern("*1"), std::vector<wire::Header>{},
        engine::unless_in({pattern("a*")}, engine::delete_items(delete_of(""), pattern("*1")))));
    engine::BatchedDeletes items(std::make_unique<engine::ChainedItems>(std::move(sources)));
    CHECK(w.run(items).size() == 3);
    CHECK(w.store.effects.size() == 3);
}

TEST_CASE("a tree copy keeps the names, takes markers, and refuses keys that would be too long") {
    TreeWorld w;
    const std::string longest(1020, 'k');
    w.fill({"s/1", "s/m/", "s/" + longest});
    engine::ListedItems items(tree("s/"), {}, engine::copy_items(copy_of("", ""), tree("s/"), {"c", "to/the/"}));
    const Ends ends = w.run(items);
    CHECK(ends.size() == 3);
    CHECK(failures(ends).size() == 1);
    CHECK(w.store.objects.contains("c/to/the/1"));
    CHECK(w.store.objects.contains("c/to/the/m/"));
}

TEST_CASE("a tree copied into its parent never replaces an object that is a source itself") {
    for (const bool moved : {false, true}) {
        TreeWorld w;
        w.fill({"o/p/a", "o/p/p/x", "o/p/x"});
        engine::Transfer common = copy_of("", "");
        common.then_delete_source = moved;
        engine::ListedItems items(tree("o/p"), {}, engine::copy_items(common, tree("o/p"), {"b", "o/"}));
        const Ends ends = w.run(items);
        REQUIRE(failures(ends).size() == 1);
        CHECK(w.store.objects.at("b/o/p/p/x").bytes == "o/p/p/x");
        CHECK(w.store.objects.at("b/o/x").bytes == "o/p/x");
        CHECK(w.store.objects.at("b/o/a").bytes == "o/p/a");
        if (!moved) CHECK(w.store.objects.at("b/o/p/x").bytes == "o/p/x");
    }
}
