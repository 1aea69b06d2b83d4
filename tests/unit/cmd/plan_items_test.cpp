#include "cmd/plan_items.h"

#include <doctest/doctest.h>

#include "unit/cmd/plain_files.h"

namespace s3tug::cmd {

namespace {

using engine::LocalEnd;
using engine::Transfer;
using engine::TransferKind;
using Words = std::vector<std::string>;

PlainFiles path_types() {
    PlainFiles files;
    files.types = {{"a.csv", port::FileType::regular},
                   {"dir", port::FileType::directory},
                   {"dir/b.html", port::FileType::regular},
                   {"/dev/fd/63", port::FileType::stream}};
    return files;
}

Result<std::vector<Transfer>> plan(CommandId id, const Words& operands, const Settings& settings = {}) {
    PlainFiles files = path_types();
    return plan_items(id, operands, settings, files);
}

std::vector<Transfer> good(CommandId id, const Words& operands, const Settings& settings = {}) {
    Result<std::vector<Transfer>> items = plan(id, operands, settings);
    REQUIRE_MESSAGE(items.ok(), items.error().message);
    return *std::move(items);
}

std::string refusal(CommandId id, const Words& operands, const Settings& settings = {}) {
    const Result<std::vector<Transfer>> items = plan(id, operands, settings);
    REQUIRE_FALSE(items.ok());
    CHECK(items.error().kind == ErrorKind::usage);
    return items.error().message;
}

Settings with_key(std::string key) {
    Settings settings;
    settings.item.idempotency_key = std::move(key);
    return settings;
}

}  // namespace

TEST_SUITE("cmd/plan_items") {
    TEST_CASE("a put goes to the key, or into a folder under the file's own name") {
        struct Row {
            std::string source, target, key;
        };
        for (const Row& row : {Row{"a.csv", "s3://bucket/x", "x"}, Row{"a.csv", "s3://bucket/x/", "x/a.csv"},
                               Row{"a.csv", "s3://bucket", "a.csv"}, Row{"a.csv", "s3://bucket/", "a.csv"},
                               Row{"dir/b.html", "s3://bucket/x/", "x/b.html"}, Row{"-", "s3://bucket/x", "x"},
                               Row{"missing", "s3://bucket/x/", "x/missing"}, Row{"/dev/fd/63", "s3://bucket/x", "x"},
                               Row{"a.csv", "s3://bucket/.", "."}, Row{"a.csv", "s3://bucket//x//", "/x//a.csv"}}) {
            CAPTURE(row.source);
            CAPTURE(row.target);
            const Transfer item = good(CommandId::put, {row.source, row.target}).at(0);
            CHECK(item.kind == TransferKind::put);
            CHECK(item.target == wire::S3Uri{"bucket", row.key});
            CHECK(item.local.kind == (row.source == "-" ? LocalEnd::Kind::stdio : LocalEnd::Kind::path));
            CHECK(item.local.path == (row.source == "-" ? "" : row.source));
        }
    }

    TEST_CASE("the content type is what was asked for, else by the file, else by the key") {
        CHECK(good(CommandId::put, {"dir/b.html", "s3://bucket/x"}).at(0).properties.content_type == "text/html");
        CHECK(good(CommandId::put, {"-", "s3://bucket/x.json"}).at(0).properties.content_type == "application/json");
        CHECK(good(CommandId::put, {"missing", "s3://bucket/x.json"}).at(0).properties.content_type ==
              "application/json");
        CHECK(good(CommandId::put, {"-", "s3://bucket/x"}).at(0).properties.content_type == "binary/octet-stream");
        Settings settings;
        settings.item.properties.content_type = "text/x-own";
        CHECK(good(CommandId::put, {"dir/b.html", "s3://bucket/x"}, settings).at(0).properties.content_type ==
              "text/x-own");
    }

    TEST_CASE("a get goes to the file, or into a folder under the key's last part") {
        struct Row {
            std::string source, target, path;
        };
        for (const Row& row : {Row{"s3://bucket/x/k.csv", "out", "out"}, Row{"s3://bucket/x/k.csv", "dir", "dir/k.csv"},
                               Row{"s3://bucket/x/k.csv", "new/", "new/k.csv"}, Row{"s3://bucket/k", ".", "./k"},
                               Row{"s3://bucket/x/", "out", "out"}}) {
            CAPTURE(row.source);
            CAPTURE(row.target);
            PlainFiles files = path_types();
            files.types["."] = port::FileType::directory;
            Result<std::vector<Transfer>> items = plan_items(CommandId::get, {row.source, row.target}, {}, files);
            REQUIRE(items.ok());
            CHECK(items->at(0).kind == TransferKind::get);
            CHECK("s3://bucket/" + items->at(0).source.key == row.source);
            CHECK(items->at(0).local.path == row.path);
        }
        CHECK(good(CommandId::get, {"s3://bucket/k", "-"}).at(0).local.kind == LocalEnd::Kind::stdio);
    }

    TEST_CASE("a folder that is not there yet is made, and no other") {
        CHECK(good(CommandId::get, {"s3://bucket/x/k", "s3://bucket/l", "new/"}).at(1).local.root_bytes == 4);
        CHECK(good(CommandId::get, {"s3://bucket/x/k", "dir"}).at(0).local.root_bytes == 0);
        CHECK(good(CommandId::get, {"s3://bucket/x/k", "new"}).at(0).local.root_bytes == 0);
    }

    TEST_CASE("a name that is not UTF-8 is refused as a key, as in a tree, unless the key was typed") {
        const Transfer into_folder = good(CommandId::put, {"bad\xff", "s3://bucket/x/"}).at(0);
        REQUIRE(into_folder.refused);
        CHECK(into_folder.refused->kind == ErrorKind::unsupported);
        CHECK(into_folder.refused->message.find("not UTF-8") != std::string::npos);
        CHECK(!good(CommandId::put, {"bad\xff", "s3://bucket/x"}).at(0).refused);
        const std::vector<Transfer> two = good(CommandId::put, {"a.csv", "bad\xff", "s3://bucket/x/"});
        CHECK(!two.at(0).refused);
        CHECK(two.at(1).refused);
    }

    TEST_CASE("several sources become one item each, in order") {
        CHECK(good(CommandId::put, {"a.csv", "dir/b.html", "s3://bucket/x/"}).at(1).target.key == "x/b.html");
        CHECK(good(CommandId::get, {"s3://bucket/k", "s3://bucket/l", "dir"}).at(1).local.path == "dir/l");
        CHECK(good(CommandId::copy, {"s3://bucket/k", "s3://bucket/l", "s3://other/"}).at(1).target ==
              wire::S3Uri{"other", "l"});
        CHECK(good(CommandId::remove, {"s3://bucket/k", "s3://bucket/l"}).size() == 2);
    }

    TEST_CASE("deleting the same object twice is deleting it once") {
        CHECK(good(CommandId::remove, {"s3://bucket/k", "s3://bucket/k"}).size() == 1);
    }

    TEST_CASE("a copy onto itself is allowed only when it changes something") {
        const Words same = {"s3://bucket/k", "s3://bucket/k"};
        Settings settings;
        settings.item.replace_metadata = true;
        CHECK(plan(CommandId::copy, same, settings).ok());
        settings = {};
        settings.item.properties.storage_class = "COLD";
        CHECK(plan(CommandId::copy, same, settings).ok());
        settings = {};
        settings.item.version_id = "old";
        CHECK(plan(CommandId::copy, same, settings).ok());
        CHECK(refusal(CommandId::copy, same).find("the same object") != std::string::npos);
        CHECK(refusal(CommandId::copy, {"s3://bucket/x/k", "s3://bucket/x/"}).find("the same object") !=
              std::string::npos);
    }

    TEST_CASE("wildcards in a key are refused where one object is meant, and taken as they are with --raw") {
        Settings raw;
        raw.raw_keys = true;
        for (const CommandId id : {CommandId::get, CommandId::copy, CommandId::remove}) {
            const Words operands = id == CommandId::get    ? Words{"s3://bucket/a*", "out"}
                                   : id == CommandId::copy ? Words{"s3://bucket/a*", "s3://bucket/b"}
                                                           : Words{"s3://bucket/a*"};
            CHECK(refusal(id, operands).find("--raw") != std::string::npos);
            CHECK(plan(id, operands, raw).ok());
        }
        CHECK(good(CommandId::put, {"a.csv", "s3://bucket/a*?[x]"}).at(0).target.key == "a*?[x]");
        CHECK(good(CommandId::get, {"s3://bucket/a[x]", "out"}).at(0).source.key == "a[x]");
        CHECK(good(CommandId::get, {"s3://bucket/a?[x]", "out"}, raw).at(0).source.key == "a?[x]");
    }

    TEST_CASE("what cannot be meant is refused with what to type instead") {
        struct Row {
            CommandId id;
            Words operands;
            std::string_view says;
        };
        const auto put = CommandId::put;
        const auto get = CommandId::get;
        const auto copy = CommandId::copy;
        const auto remove = CommandId::remove;
        for (const Row& row : {
                 Row{put, {}, "right form: s3tug put SRC... s3://BUCKET/KEY"},
                 Row{put, {"a.csv"}, "right form: s3tug put"},
                 Row{put, {"a.csv", "b.csv"}, "the target comes last and is s3://BUCKET/KEY"},
                 Row{put, {"s3://bucket/k", "out"}, "to download use get"},
                 Row{put, {"s3://bucket/k", "s3://bucket/l"}, "use copy between buckets, or get"},
                 Row{put, {"a.csv", "s3://"}, "bucket"},
                 Row{put, {"dir", "s3://bucket/x/"}, "it is a folder; give --recursive"},
                 Row{put, {"-", "s3://bucket/x/"}, "no name to stand in s3://bucket/x/; give the full key"},
                 Row{put, {"/dev/fd/63", "s3://bucket"}, "give the full key"},
                 Row{put, {"x/..", "s3://bucket"}, "give the full key"},
                 Row{put, {"", "s3://bucket/k"}, "an empty file name"},
                 Row{put,
                     {"a.csv", "dir/b.html", "s3://bucket/x"},
                     "2 sources and one target, s3://bucket/x; end it with /"},
                 Row{put, {"a.csv", "dir/a.csv", "s3://bucket/"}, "two sources would become s3://bucket/a.csv"},
                 Row{put, {"a.csv", "s3://bucket/" + std::string(1020, 'k') + "/"}, "longer than 1024 bytes"},
                 Row{get, {}, "right form: s3tug get s3://BUCKET/KEY... DST"},
                 Row{get, {"s3://bucket/k"}, "the target is missing"},
                 Row{get, {"a.csv", "out"}, "to upload use put"},
                 Row{get, {"a.csv", "s3://bucket/k"}, "use copy between buckets, or put"},
                 Row{get, {"s3://bucket/k", "s3://bucket/l"}, "use copy between buckets, or put"},
                 Row{get, {"s3://bucket", "out"}, "no key given"},
                 Row{get, {"s3://bucket/x/", "dir"}, "give the name of the file"},
                 Row{get, {"s3://bucket/x/..", "dir"}, "give the name of the file"},
                 Row{get, {"s3://bucket/k", "s3://bucket/l", "out"}, "2 sources and one target, out"},
                 Row{get, {"s3://bucket/k", "s3://bucket/l", "-"}, "would run together"},
                 Row{get, {"s3://bucket/x/k", "s3://bucket/y/k", "dir"}, "two objects would become dir/k"},
                 Row{get, {"s3://bucket/k", ""}, "an empty file name"},
                 Row{copy, {}, "right form: s3tug copy"},
                 Row{copy, {"s3://bucket/k", "out"}, "copy works between buckets; to download use get"},
                 Row{copy, {"a.csv", "s3://bucket/k"}, "copy works between buckets; to upload use put"},
                 Row{copy, {"s3://bucket", "s3://bucket/k"}, "no key given"},
                 Row{copy, {"s3://bucket/x/", "s3://other/"}, "give the full key"},
                 Row{copy, {"s3://bucket/k", "s3://bucket/l", "s3://other/x"}, "2 sources and one target"},
                 Row{copy,
                     {"s3://bucket/x/k", "s3://bucket/y/k", "s3://other/"},
                     "two sources would become s3://other/k"},
                 Row{remove, {}, "right form: s3tug delete"},
                 Row{remove, {"s3://bucket"}, "delete s3://bucket: no key given"},
                 Row{remove, {"s3://bucket/"}, "no key given"},
                 Row{remove, {"a.csv"}, "delete takes objects: s3://BUCKET/KEY"},
             }) {
            CAPTURE(row.says);
            const std::string message = refusal(row.id, row.operands);
            CAPTURE(message);
            CHECK(message.find(row.says) != std::string::npos);
        }
    }

    TEST_CASE("JSON lines and an object cannot share standard output") {
        Settings settings;
        settings.output.json = true;
        CHECK(refusal(CommandId::get, {"s3://bucket/k", "-"}, settings).find("--json and -") != std::string::npos);
        CHECK(plan(CommandId::get, {"s3://bucket/k", "out"}, settings).ok());
        CHECK(plan(CommandId::put, {"-", "s3://bucket/k"}, settings).ok());
    }

    TEST_CASE("options about one object are refused for several") {
        const Words several = {"a.csv", "dir/b.html", "s3://bucket/"};
        Settings settings;
        settings.item.expect_size = 1;
        CHECK(refusal(CommandId::put, several, settings).find("--expect-size is about one object") !=
              std::string::npos);
        settings = {};
        settings.item.conditions.if_match = "e";
        CHECK(refusal(CommandId::put, several, settings).find("--if-match") != std::string::npos);
        settings = {};
        settings.item.version_id = "v";
        CHECK(refusal(CommandId::remove, {"s3://bucket/k", "s3://bucket/l"}, settings).find("--version-id") !=
              std::string::npos);
    }

    TEST_CASE("one item has the idempotency key as typed, several have one each") {
        CHECK(good(CommandId::put, {"a.csv", "s3://bucket/k"}, with_key("n")).at(0).idempotency_key == "n");
        const auto items = good(CommandId::remove, {"s3://bucket/k", "s3://bucket/l m"}, with_key("n"));
        CHECK(items.at(0).idempotency_key == "n s3://bucket/k");
        CHECK(items.at(1).idempotency_key == "n s3://bucket/l%20m");
        const std::string long_key(1023, 'k');
        const auto alike =
            good(CommandId::remove, {"s3://bucket/" + long_key + "1", "s3://bucket/" + long_key + "2"}, with_key("n"));
        CHECK(alike.at(0).idempotency_key != alike.at(1).idempotency_key);
    }

    TEST_CASE("every item carries what the command was given") {
        Settings settings;
        settings.item.dry_run = true;
        settings.item.properties.storage_class = "COLD";
        for (const Transfer& item : good(CommandId::put, {"a.csv", "dir/b.html", "s3://bucket/"}, settings)) {
            CHECK(item.dry_run);
            CHECK(item.properties.storage_class == "COLD");
        }
    }
}

}  // namespace s3tug::cmd
