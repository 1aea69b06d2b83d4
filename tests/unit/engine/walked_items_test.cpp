#include "engine/walked_items.h"

#include <doctest/doctest.h>

#include "engine/named_items.h"
#include "unit/engine/tree_world.h"

using namespace s3tug;
using namespace s3tug::sim;

TEST_CASE("a folder's files go up under their names below it, with content types by name") {
    TreeWorld w;
    w.files.files = {{"/s/a.html", {"1", 1}}, {"/s/x/b", {"2", 1}}, {"/s/x/y/c", {"3", 1}}, {"/other", {"4", 1}}};
    for (const char* root : {"/s", "/s/"}) {
        w.store.objects.clear();
        CHECK(failures(w.put(root)).empty());
        CHECK(w.keys() == Strings{"p/a.html", "p/x/b", "p/x/y/c"});
        CHECK(w.store.objects.at("b/p/a.html").content_type == "text/html");
    }
    CHECK(w.files.open_folders == 0);
}

TEST_CASE("an empty folder gives nothing; one that is not there or cannot be read is an item that failed") {
    TreeWorld w;
    w.files.folders = {"/empty", "/closed"};
    w.files.unreadable = {"/closed"};
    CHECK(w.put("/empty").empty());
    CHECK(w.put("/none").at(0).second.error->kind == ErrorKind::not_found);
    CHECK(w.put("/closed").at(0).second.error->kind == ErrorKind::cannot_read);
}

TEST_CASE("what is no file, or cannot be read, is counted and the walk goes on") {
    TreeWorld w;
    w.files.files = {{"/s/a", {"1", 1}},
                     {"/s/closed/b", {"2", 1}},
                     {"/s/locked", {"3", 1}},
                     {"/s/bad\xff", {"4", 1}},
                     {"/s/z", {"5", 1}}};
    w.files.specials = {{"/s/pipe", port::FileType::stream}};
    w.files.links = {{"/s/dangling", "/nowhere"}};
    w.files.unreadable = {"/s/closed", "/s/locked"};
    const Ends ends = w.put("/s");
    CHECK(ends.size() == 7);
    CHECK(failures(ends) == Names{"put s3://b/p/closed", "put s3://b/p/locked", "put s3://b/p/", "put s3://b/p/pipe",
                                  "put s3://b/p/dangling"});
    CHECK(w.keys() == Strings{"p/a", "p/z"});
    CHECK(end_of(ends, "put s3://b/p/").error->kind == ErrorKind::unsupported);
    CHECK(end_of(ends, "put s3://b/p/dangling").error->kind == ErrorKind::not_found);
}

TEST_CASE("what a download has not finished is left out") {
    TreeWorld w;
    w.files.files = {{"/s/.a.s3tug-part", {"1", 1}},    {"/s/.a.s3tug-part-12-3", {"2", 1}},
                     {"/s/x/.b.s3tug-part", {"3", 1}},  {"/s/a.s3tug-part", {"4", 1}},
                     {"/s/.s3tug-part", {"5", 1}},      {"/s/.a.s3tug-part.gz", {"6", 1}},
                     {"/s/.a.s3tug-part-12", {"7", 1}}, {"/s/.a.s3tug-part-12-x", {"8", 1}}};
    CHECK(failures(w.put("/s")).empty());
    CHECK(w.keys() == Strings{"p/.a.s3tug-part-12", "p/.a.s3tug-part-12-x", "p/.a.s3tug-part.gz", "p/.s3tug-part",
                              "p/a.s3tug-part"});
}

TEST_CASE("links are followed, but not round in a circle, or they are left out") {
    TreeWorld w;
    w.files.files = {{"/s/a", {"1", 1}}, {"/s/d/b", {"2", 1}}, {"/far/c", {"3", 1}}};
    w.files.links = {{"/s/to-file", "/far/c"}, {"/s/to-folder", "/far"}, {"/s/d/up", "/s"}};
    const Ends ends = w.put("/s");
    CHECK(failures(ends) == Names{"put s3://b/p/d/up"});
    CHECK(w.keys() == Strings{"p/a", "p/d/b", "p/to-file", "p/to-folder/c"});

    w.store.objects.clear();
    CHECK(failures(w.put("/s", {}, false)).empty());
    CHECK(w.keys() == Strings{"p/a", "p/d/b"});
}

TEST_CASE("a folder of which nothing can be wanted is not read") {
    TreeWorld w;
    w.files.files = {{"/s/.git/x", {"1", 1}}, {"/s/a", {"2", 1}}, {"/s/tmp/keep", {"3", 1}}, {"/s/tmp/no", {"4", 1}}};
    w.files.unreadable = {"/s/.git"};
    engine::PathFilter filter;
    REQUIRE(filter.add(engine::PathFilter::Rule::exclude, "tmp/*"));
    REQUIRE(filter.add(engine::PathFilter::Rule::include, "tmp/keep"));
    REQUIRE(filter.add(engine::PathFilter::Rule::exclude, ".git/*"));
    CHECK(filter.drops_all_below(".git"));
    CHECK_FALSE(filter.drops_all_below("tmp"));
    CHECK(failures(w.put("/s", filter)).empty());
    CHECK(w.keys() == Strings{"p/a", "p/tmp/keep"});
}

TEST_CASE("folders deeper than the limit are refused, so that open files are bounded") {
    TreeWorld w;
    std::string path = "/s";
    for (std::size_t depth = 0; depth < limits::tree_depth_max; ++depth) path += "/d";
    w.files.files = {{path + "/deep", {"1", 1}}, {"/s/top", {"2", 1}}};
    const Ends ends = w.put("/s");
    CHECK(failures(ends).size() == 1);
    CHECK(w.keys() == Strings{"p/top"});
}

TEST_CASE("a list names items as they stand, by lines or by NUL, and one that breaks off is an item that failed") {
    struct Row {
        std::string text;
        char separator;
        Strings names;
    };
    for (const Row& row :
         {Row{"a\nb c\n\n d \nlast", '\n', {"a", "b c", " d ", "last"}},
          Row{std::string("a\nb\0c\0", 6), '\0', {"a\nb", "c"}}, Row{"", '\n', {}}, Row{"\n\n", '\n', {}},
          Row{"x\r\n", '\n', {"x\r"}}, Row{"\xEF\xBB\xBFx\n\xEF\xBB\xBFy\n", '\n', {"x", "\xEF\xBB\xBFy"}},
          Row{"\xEF\xBB\xBF\nx", '\n', {"x"}}, Row{"\xEF\xBB\xBF", '\n', {}},
          Row{std::string("\xEF\xBB\xBFx\0", 5), '\0', {"\xEF\xBB\xBFx"}}}) {
        TreeWorld w;
        w.files.files["/list"] = {row.text, 1};
        Strings seen;
        engine::NamedItems items({w.files.open_source("/list").value(), "list", row.separator, {}}, {},
                                 [&seen](const std::string& name) {
                                     seen.push_back(name);
                                     return std::optional(delete_of(name));
                                 });
        CHECK(w.run(items).size() == row.names.size());
        CHECK(seen == row.names);
    }
    TreeWorld w;
    w.files.files["/list"] = {"ok\n" + std::string(limits::list_line_max_bytes + 1, 'x') + "\n", 1};
    engine::NamedItems items({w.files.open_source("/list").value(), "list", '\n', {}}, delete_of(""),
                             [](const std::string& name) { return std::optional(delete_of(name)); });
    const Ends ends = w.run(items);
    CHECK(ends.size() == 2);
    CHECK(failures(ends) == Names{"delete s3://b/"});
}
