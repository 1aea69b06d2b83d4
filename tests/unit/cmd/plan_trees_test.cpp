#include "cmd/plan_trees.h"

#include <doctest/doctest.h>

#include "support/sim_world.h"

namespace s3tug::cmd {

namespace {

using Words = std::vector<std::string>;

Settings recursive() {
    Settings settings;
    settings.tree.recursive = true;
    return settings;
}

struct PlanWorld {
    sim::SimFiles files;
    PlanWorld() { files.files = {{"/d/b", {"1", 1}}, {"/e/b", {"2", 1}}, {"/e/c", {"3", 1}}, {"/b", {"4", 1}}}; }
    std::string refusal(CommandId id, const Words& operands, const Settings& settings) {
        const Result<Plan> planned = plan(id, operands, settings, files, {});
        REQUIRE_FALSE(planned.ok());
        CHECK(planned.error().kind == ErrorKind::usage);
        return planned.error().message;
    }
    std::vector<engine::Transfer> items(CommandId id, const Words& operands, const Settings& settings) {
        Result<Plan> planned = plan(id, operands, settings, files, {});
        REQUIRE_MESSAGE(planned.ok(), (planned.ok() ? "" : planned.error().message));
        std::vector<engine::Transfer> out;
        while (std::optional<engine::Transfer> item = planned->items->next()) out.push_back(*std::move(item));
        CHECK(planned->items->ended());
        return out;
    }
};

}  // namespace

TEST_SUITE("cmd/plan_trees") {
    TEST_CASE("trees and patterns that cannot be meant are refused with the reason") {
        struct Row {
            CommandId id;
            Words operands;
            std::string_view says;
        };
        for (const Row& row : {
                 Row{CommandId::remove, {"s3://bucket"}, "'s3://bucket/*'"},
                 Row{CommandId::remove, {"/d"}, "delete takes objects"},
                 Row{CommandId::get, {"s3://bucket/a", "-"}, "standard output"},
                 Row{CommandId::get, {"s3://bucket/a", "/b"}, "go to a folder"},
                 Row{CommandId::get, {"s3://bucket/a", "s3://bucket/c", "/t"}, "run get for each"},
                 Row{CommandId::get, {"s3://bucket/a/1*", "s3://other/a/2*", "/t"}, "run get for each"},
                 Row{CommandId::get, {"/d", "/t"}, "to upload use put"},
                 Row{CommandId::get, {"s3://bucket/a"}, "the target is missing"},
                 Row{CommandId::copy, {"s3://bucket/a", "s3://bucket/a/b"}, "lies in the source"},
                 Row{CommandId::copy, {"s3://bucket/*.gz", "s3://bucket/gz/"}, "lies in the source"},
                 Row{CommandId::copy, {"s3://bucket", "s3://bucket/x"}, "lies in the source"},
                 Row{CommandId::copy, {"s3://bucket/a", "/t"}, "to download use get"},
                 Row{CommandId::copy, {"/d", "s3://bucket/a"}, "to upload use put"},
                 Row{CommandId::put, {"/d", "/e", "s3://bucket/x"}, "end it with /"},
                 Row{CommandId::put, {"/b", "/d", "s3://bucket/x/"}, "two sources"},
                 Row{CommandId::put, {"/d", "/b", "s3://bucket/x/"}, "two sources"},
                 Row{CommandId::put, {"/d", "/t"}, "the target comes last"},
             }) {
            CAPTURE(row.says);
            PlanWorld w;
            const std::string message = w.refusal(row.id, row.operands, recursive());
            CAPTURE(message);
            CHECK(message.find(row.says) != std::string::npos);
        }
    }

    TEST_CASE("options about one object are refused where many may be meant") {
        PlanWorld w;
        for (const std::string_view option : {"--version-id", "--if-match", "--expect-size", "--expect-sha256"}) {
            Settings settings;
            if (option == "--version-id") settings.item.version_id = "v";
            if (option == "--if-match") settings.item.conditions.if_match = "e";
            if (option == "--expect-size") settings.item.expect_size = 1;
            if (option == "--expect-sha256") settings.item.expect_sha256 = "00";
            CHECK(w.refusal(CommandId::get, {"s3://bucket/a*", "/t"}, settings).starts_with(option));
        }
    }

    TEST_CASE("copies beside the source, onto itself, or that cannot match again are allowed") {
        for (const Words& operands :
             {Words{"s3://bucket/a", "s3://bucket/ab"}, Words{"s3://bucket/a", "s3://bucket/a"},
              Words{"s3://bucket/a", "s3://other/a/b"}, Words{"s3://bucket/x/a*", "s3://bucket/x/b/"}}) {
            PlanWorld w;
            CAPTURE(operands[1]);
            CHECK(plan(CommandId::copy, operands, recursive(), w.files, {}).ok());
        }
    }

    TEST_CASE(
        "files and folders of one put stand side by side; a name of an earlier folder is refused, not overwritten") {
        PlanWorld w;
        const auto items = w.items(CommandId::put, {"/d", "/e", "s3://bucket/p/"}, recursive());
        REQUIRE(items.size() == 3);
        CHECK(items[0].target.key == "p/b");
        CHECK(items[1].refused->message.find("/e/b") != std::string::npos);
        CHECK(items[2].target.key == "p/c");
        CHECK_FALSE(items[2].refused);
    }

    TEST_CASE("a folder's files go below the target whether it ends in a slash or not, one file to the key") {
        PlanWorld w;
        for (const char* target : {"s3://bucket/p", "s3://bucket/p/"})
            CHECK(w.items(CommandId::put, {"/d", target}, recursive()).at(0).target.key == "p/b");
        CHECK(w.items(CommandId::put, {"/d/", "s3://bucket"}, recursive()).at(0).target.key == "b");
        CHECK(w.items(CommandId::put, {"/d/b", "s3://bucket/p"}, recursive()).at(0).target.key == "p");
    }

    TEST_CASE("each item of a tree has a record of its own under an idempotency key") {
        PlanWorld w;
        Settings settings = recursive();
        settings.item.idempotency_key = "k";
        const auto items = w.items(CommandId::put, {"/e", "s3://bucket/"}, settings);
        CHECK(items.at(0).idempotency_key == "k s3://bucket/b");
        CHECK(items.at(1).idempotency_key == "k s3://bucket/c");
    }

    TEST_CASE("names of a list are below the source, as the walk writes them, or whole addresses") {
        struct Row {
            std::string line;
            std::string path;
            std::string key;
        };
        for (const Row& row : {Row{"sub/f", "/d/sub/f", "p/sub/f"}, Row{"/d/sub/f", "/d/sub/f", "p/sub/f"},
                               Row{"./f", "/d/./f", "p/f"}, Row{"/far/f", "/d//far/f", "p/far/f"}}) {
            PlanWorld w;
            w.files.files["/list"] = {row.line + "\n", 1};
            Settings settings;
            settings.tree.files_from = "/list";
            const auto items = w.items(CommandId::put, {"/d", "s3://bucket/p"}, settings);
            CAPTURE(row.line);
            REQUIRE(items.size() == 1);
            CHECK(items[0].local.path == row.path);
            CHECK(items[0].target.key == row.key);
        }
        PlanWorld w;
        w.files.files["/list"] = {"s3://bucket/t/a\nb\ns3://bucket/other\ns3://else/t/a\n../x\n", 1};
        Settings settings;
        settings.tree.files_from = "/list";
        const auto items = w.items(CommandId::get, {"s3://bucket/t", "/out"}, settings);
        REQUIRE(items.size() == 5);
        CHECK(items[0].source.key == "t/a");
        CHECK(items[1].source.key == "t/b");
        CHECK(items[1].local.path == "/out/b");
        for (const std::size_t bad : {2U, 3U, 4U}) CHECK(items[bad].refused.has_value());
        CHECK(items[3].listed_as == "s3://else/t/a");
    }

    TEST_CASE("a line that ends in a carriage return is a name only where a file has it, or where names end with NUL") {
        PlanWorld w;
        w.files.files["/list"] = {"f\r\nreal\r\n", 1};
        w.files.files["/d/f"] = {"x", 1};
        w.files.files["/d/real\r"] = {"x", 1};
        Settings settings;
        settings.tree.files_from = "/list";
        const auto puts = w.items(CommandId::put, {"/d", "s3://bucket/p"}, settings);
        REQUIRE(puts.size() == 2);
        REQUIRE(puts[0].refused);
        CHECK(puts[0].refused->kind == ErrorKind::not_found);
        CHECK(puts[0].refused->message.find("CRLF") != std::string::npos);
        CHECK(!puts[1].refused);
        CHECK(puts[1].target.key == "p/real\r");
        for (const CommandId id : {CommandId::get, CommandId::copy, CommandId::remove}) {
            std::vector<std::string> operands = {"s3://bucket/t"};
            if (id == CommandId::get) operands.emplace_back("/out");
            if (id == CommandId::copy) operands.emplace_back("s3://other/t");
            for (const auto& item : w.items(id, operands, settings)) {
                REQUIRE(item.refused);
                CHECK(item.refused->kind == ErrorKind::usage);
                CHECK(item.refused->message.find("CRLF") != std::string::npos);
            }
        }
        w.files.files["/list"] = {"s3://bucket/a\r\n", 1};
        CHECK(w.items(CommandId::remove, {}, settings).at(0).refused);
        w.files.files["/list"] = {std::string("s3://bucket/a\r\0", 15), 1};
        settings.bookkeeping.zero_ended = true;
        const auto deletes = w.items(CommandId::remove, {}, settings);
        REQUIRE(deletes.size() == 1);
        CHECK(!deletes[0].refused);
        CHECK(deletes[0].target.key == "a\r");
    }

    TEST_CASE("deletes of a list need no source where they are addresses") {
        PlanWorld w;
        w.files.files["/list"] = {"s3://bucket/a\ns3://bucket/b\nplain\n", 1};
        Settings settings;
        settings.tree.files_from = "/list";
        const auto items = w.items(CommandId::remove, {}, settings);
        REQUIRE(items.size() == 2);
        CHECK(items[0].refused.has_value());
        CHECK(items[1].batch.size() == 2);
    }
}

}  // namespace s3tug::cmd
