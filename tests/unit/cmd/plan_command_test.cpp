#include "cmd/plan_command.h"

#include <doctest/doctest.h>

#include "unit/cmd/plain_files.h"

namespace s3tug::cmd {
namespace {

using engine::Transfer;
using engine::TransferKind;
using Words = std::vector<std::string>;

struct Planned {
    Planned(CommandId id, const Words& operands, const Settings& settings = {}) {
        files.types = {{"f", port::FileType::regular}, {"/dev/null", port::FileType::stream}};
        Result<Plan> made = plan_command(id, operands, settings, files, std::nullopt);
        if (!made) {
            refusal = made.error().message;
            return;
        }
        plan = *std::move(made);
        while (std::optional<Transfer> item = plan.items->next()) {
            plan.items->on_end(*item, {});
            items.push_back(*std::move(item));
        }
    }
    [[nodiscard]] bool refused(std::string_view says) const {
        const bool item = items.size() == 1 && items[0].refused && items[0].refused->kind == ErrorKind::usage;
        return (item ? items[0].refused->message : refusal).find(says) != std::string::npos;
    }
    PlainFiles files;
    Plan plan;
    std::vector<Transfer> items;
    std::string refusal;
};

}  // namespace

TEST_SUITE("cmd/plan_command") {
    TEST_CASE("a move is the transfer that its ends say, and its source goes") {
        struct Row {
            Words operands;
            TransferKind kind;
        };
        for (const Row& row : {Row{{"f", "s3://box/k"}, TransferKind::put}, Row{{"s3://box/k", "g"}, TransferKind::get},
                               Row{{"s3://box/k", "s3://box/l"}, TransferKind::copy}}) {
            const Planned planned(CommandId::move, row.operands);
            REQUIRE(planned.items.size() == 1);
            CHECK(planned.items[0].kind == row.kind);
            CHECK(planned.items[0].then_delete_source);
            CHECK(!planned.items[0].refused);
            CHECK(engine::item_name(planned.items[0]).starts_with("move s3://box/"));
        }
    }

    TEST_CASE("a move that could lose the bytes is refused") {
        CHECK(Planned(CommandId::move, {"f"}).refused("right form: s3tug move SRC... DST"));
        CHECK(Planned(CommandId::move, {"f", "g"}).refused("must be s3://BUCKET/KEY"));
        CHECK(Planned(CommandId::move, {"-", "s3://box/k"}).refused("standard input cannot be removed"));
        CHECK(Planned(CommandId::move, {"s3://box/k", "-"}).refused("whether standard output arrived"));
        CHECK(Planned(CommandId::move, {"s3://box/k", "/dev/null"}).refused("only regular files"));
        CHECK(Planned(CommandId::move, {"s3://box/k", "s3://box/k"}).refused("the same object"));
        CHECK(Planned(CommandId::move, {"s3://box", "g"}).refused("move: "));
    }

    TEST_CASE("cat gives its objects one at a time to standard output, pipe takes standard input") {
        const Planned cat(CommandId::cat, {"s3://box/1", "s3://box/2"});
        REQUIRE(cat.items.size() == 2);
        for (const Transfer& item : cat.items) {
            CHECK(item.kind == TransferKind::get);
            CHECK(item.local.kind == engine::LocalEnd::Kind::stdio);
        }
        CHECK(cat.plan.several);
        PlainFiles files;
        Result<Plan> two = plan_command(CommandId::cat, {"s3://box/1", "s3://box/2"}, {}, files, std::nullopt);
        const std::optional<Transfer> first = two->items->next();
        REQUIRE(first);
        CHECK(!two->items->next());
        engine::Outcome broken;
        broken.error = Error{ErrorKind::broken_pipe, ""};
        two->items->on_end(*first, broken);
        CHECK(two->items->ended());

        const Planned pipe(CommandId::pipe, {"s3://box/k"});
        REQUIRE(pipe.items.size() == 1);
        CHECK(pipe.items[0].kind == TransferKind::put);
        CHECK(pipe.items[0].local.kind == engine::LocalEnd::Kind::stdio);
        CHECK(Planned(CommandId::pipe, {"s3://box/"}).refused("pipe: "));
        CHECK(Planned(CommandId::pipe, {"f", "s3://box/k"}).refused("right form"));
    }

    TEST_CASE("cat takes patterns, each object when the one before has ended") {
        const Planned cat(CommandId::cat, {"s3://box/first", "s3://box/d/*"});
        CHECK(cat.plan.several);
        REQUIRE(cat.items.size() == 1);
        CHECK(cat.items[0].source.key == "first");
        CHECK(!cat.plan.items->ended());
        const std::optional<engine::PlanningRequest> asked = cat.plan.items->request();
        REQUIRE(asked);
        CHECK(asked->about.target == wire::S3Uri{"box", "d/"});
        Settings raw;
        raw.raw_keys = true;
        CHECK(Planned(CommandId::cat, {"s3://box/d/*"}, raw).items.at(0).source.key == "d/*");
        Settings one;
        one.item.expect_size = 3;
        CHECK(Planned(CommandId::cat, {"s3://box/d/*"}, one).refused("about one object"));
        Settings version;
        version.item.version_id = "v";
        CHECK(Planned(CommandId::cat, {"s3://box/d/*"}, version).refused("about one object"));
    }

    TEST_CASE("stat takes objects by name") {
        const Planned stat(CommandId::stat, {"s3://box/k"});
        REQUIRE(stat.items.size() == 1);
        CHECK(stat.items[0].kind == TransferKind::stat);
        CHECK(stat.items[0].target.key == "k");
        CHECK(Planned(CommandId::stat, {"s3://box"}).refused("no key given"));
        CHECK(Planned(CommandId::stat, {"s3://box/*"}).refused("wildcards are for list"));
        CHECK(Planned(CommandId::stat, {"f"}).refused("it takes objects"));
        Settings versioned;
        versioned.item.version_id = "v";
        CHECK(Planned(CommandId::stat, {"s3://box/1", "s3://box/2"}, versioned).refused("--version-id"));
        Settings json;
        json.output.json = true;
        CHECK(Planned(CommandId::cat, {"s3://box/k"}, json).refused("standard output"));
    }
}

}  // namespace s3tug::cmd
