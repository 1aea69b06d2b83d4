#include <doctest/doctest.h>

#include "engine/named_items.h"
#include "engine/upload_book.h"
#include "engine/upload_record.h"
#include "support/big_world.h"
#include "unit/engine/tree_world.h"

using namespace s3tug;
using namespace s3tug::sim;

namespace {

engine::NamedItems named(TreeWorld& world, std::string text) {
    world.files.stdin_bytes = std::move(text);
    return {{world.files.open_stdin().value(), "-", '\n', std::nullopt}, delete_of(""), [](const std::string& name) {
                return std::optional(delete_of(name));
            }};
}

}  // namespace

TEST_CASE("a list that comes slowly holds nobody up: what was named is done while the next name is waited for") {
    TreeWorld w;
    w.fill({"a", "b"});
    std::size_t reads = 0;
    w.files.trouble = [&](std::string_view call) -> std::optional<Error> {
        if (call != "read on") return std::nullopt;
        ++reads;
        if (reads == 1 || w.store.effects.size() == 2) return std::nullopt;  // the others are done meanwhile
        return Error{ErrorKind::deadline, "nothing came"};
    };
    engine::NamedItems items = named(w, "a\nb\nc");
    const Ends ends = w.run(items);
    CHECK(ends.size() == 3);
    CHECK(failures(ends).empty());
    CHECK(reads > 2);
}

TEST_CASE("a list that breaks off is an item that failed: what it did not name must not look like all") {
    TreeWorld w;
    w.fill({"a"});
    std::size_t reads = 0;
    w.files.trouble = [&](std::string_view call) -> std::optional<Error> {
        if (call != "read on" || ++reads == 1) return std::nullopt;
        return Error{ErrorKind::cannot_read, "the pipe broke"};
    };
    engine::NamedItems items = named(w, "a\nb");
    const Ends ends = w.run(items);
    REQUIRE(ends.size() == 2);
    CHECK(failures(ends) == Names{"delete s3://b/"});
    CHECK(end_of(ends, "delete s3://b/").error->message.find("--files-from") != std::string::npos);
    CHECK(w.keys().empty());
}

TEST_CASE("a folder that cannot be read to its end is an item that failed, and a signal ends the walk there") {
    for (const bool signal : {false, true}) {
        CAPTURE(signal);
        TreeWorld w;
        w.files.files = {{"/s/a", {"1", 1}}, {"/s/x/b", {"2", 1}}, {"/s/x/c", {"3", 1}}, {"/s/z", {"4", 1}}};
        std::size_t reads = 0;
        w.files.trouble = [&](std::string_view call) -> std::optional<Error> {
            if (call != "read folder" || ++reads != 4) return std::nullopt;  // a, x, x/b, and then
            return Error{signal ? ErrorKind::interrupted : ErrorKind::cannot_read, "no more of it"};
        };
        const Ends ends = w.put("/s");
        CHECK(failures(ends) == Names{"put s3://b/p/x"});
        CHECK(w.keys() == (signal ? Strings{"p/a", "p/x/b"} : Strings{"p/a", "p/x/b", "p/z"}));
        CHECK(w.files.open_folders == 0);
    }
}

TEST_CASE("a folder that cannot be read is no failure when nothing of it was wanted") {
    TreeWorld w;
    w.files.files = {{"/s/a", {"1", 1}}, {"/s/closed/b", {"2", 1}}};
    w.files.unreadable = {"/s/closed"};
    engine::PathFilter filter;
    REQUIRE(filter.add(engine::PathFilter::Rule::exclude, "closed/").ok());
    CHECK(failures(w.put("/s", filter)).empty());
    CHECK(w.keys() == Strings{"p/a"});
}

TEST_CASE("a tree is not copied onto itself, except to change what its objects say") {
    TreeWorld w;
    w.fill({"s/a"});
    const auto onto_itself = [&w](engine::Transfer common) {
        engine::ListedItems items(tree("s/"), {}, engine::copy_items(std::move(common), tree("s/"), {"b", "s/"}));
        return w.run(items);
    };
    const Ends refused = onto_itself(copy_of("", ""));
    CHECK(failures(refused) == Names{"copy s3://b/s/a"});
    CHECK(refused.at(0).second.error->kind == ErrorKind::usage);
    CHECK(w.network.count(wire::Op::copy_object) == 0);
    engine::Transfer other_class = copy_of("", "");
    other_class.properties.storage_class = "GLACIER";
    CHECK(failures(onto_itself(other_class)).empty());
    engine::Transfer other_metadata = copy_of("", "");
    other_metadata.replace_metadata = true;
    CHECK(failures(onto_itself(other_metadata)).empty());
    CHECK(w.network.count(wire::Op::copy_object) == 2);
}

TEST_CASE("the marker of a tree's own folder has no name below a bucket, and is left out") {
    TreeWorld w;
    w.fill({"s/", "s/a"});
    engine::ListedItems items(tree("s/"), {}, engine::copy_items(copy_of("", ""), tree("s/"), {"c", ""}));
    const Ends ends = w.run(items);
    CHECK(failures(ends).empty());
    CHECK(ends.size() == 1);
    CHECK(w.store.objects.contains("c/a"));
}

TEST_CASE("sources in a chain are stopped together, and say how many items are left") {
    engine::KnownItems known({delete_of("a"), delete_of("b")});
    CHECK(known.left() == 2);
    CHECK(known.next());
    CHECK(known.left() == 1);
    TreeWorld w;
    w.fill({"d/1", "d/2", "e/1"});
    std::vector<std::unique_ptr<engine::ItemSource>> sources;
    for (const char* root : {"d/", "e/"})
        sources.push_back(std::make_unique<engine::ListedItems>(tree(root), std::vector<wire::Header>{},
                                                                engine::delete_items(delete_of(""), tree(root))));
    engine::ChainedItems chain(std::move(sources));
    w.network.weather = [&w](std::size_t, const SeenRequest& seen) {
        if (seen.op == wire::Op::delete_object) w.stop = 15;
        return Fate{};
    };
    (void)w.run(chain);
    CHECK(chain.ended());
    CHECK(w.store.objects.contains("b/e/1"));
}

TEST_CASE("the book of uploads does not believe damaged pages, and forgets only the upload that is meant") {
    BigWorld world;
    world.config.multipart.parts_in_flight = 2;
    CHECK(!world.run_killed_at(12, put_of("/f", "k")));
    world.next_process();
    REQUIRE(world.store.uploads.open.size() == 1);
    const std::string id = world.store.uploads.open.begin()->first;
    world.state.records[{port::Table::upload, "damaged"}] = "no page at all";
    engine::UploadRecord lost = engine::known_uploads(world.state, world.processes, world.clock.wall()).at(0).record;
    lost.upload_id.clear();  // a Create whose answer was lost
    lost.path = "\n" + std::string("77");
    lost.create_lost = true;
    world.state.records[{port::Table::upload, "lost"}] = engine::encode(lost);
    const auto known = engine::known_uploads(world.state, world.processes, world.clock.wall());
    REQUIRE(known.size() == 2);
    for (const engine::KnownUpload& upload : known) {
        if (upload.record.upload_id != id) CHECK(upload.bytes == 0);
        if (upload.record.upload_id != id) CHECK(upload.source.empty());
    }
    engine::forget_upload(world.state, {"b", "k"}, "another id");
    CHECK(engine::known_uploads(world.state, world.processes, world.clock.wall()).size() == 2);
    // Another process has begun a new upload on that page just before it is forgotten.
    std::size_t updates = 0;
    const auto page = std::find_if(world.state.records.begin(), world.state.records.end(), [](const auto& row) {
        return row.first.first == port::Table::upload && row.first.second != "damaged" && row.first.second != "lost";
    });
    REQUIRE(page != world.state.records.end());
    engine::UploadRecord theirs = lost;
    theirs.upload_id = "theirs";
    theirs.path = "/f";
    world.state.on_update = [&, key = page->first] {
        if (++updates == 2) world.state.records[key] = engine::encode(theirs);
    };
    engine::forget_upload(world.state, {"b", "k"}, id);
    world.state.on_update = nullptr;
    bool there = false;
    for (const auto& upload : engine::known_uploads(world.state, world.processes, world.clock.wall()))
        there |= upload.record.upload_id == "theirs";
    CHECK(there);
}
