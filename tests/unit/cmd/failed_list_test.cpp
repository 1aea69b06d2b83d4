#include "cmd/failed_list.h"

#include <doctest/doctest.h>

namespace s3tug::cmd {

namespace {

using engine::LocalEnd;
using engine::Transfer;
using engine::TransferKind;

Transfer item(TransferKind kind, std::string path, std::string key) {
    Transfer t;
    t.kind = kind;
    t.local = {LocalEnd::Kind::path, std::move(path)};
    t.source = {"from", key};
    t.target = {"to", key};
    return t;
}

struct Kept {
    std::string text;
    FailedList::Write write() {
        return [this](std::string_view more) {
            text += more;
            return Status();
        };
    }
};

}  // namespace

TEST_SUITE("cmd/failed_list") {
    TEST_CASE("an item is named so that --files-from finds it again") {
        Kept kept;
        FailedList list(kept.write(), false);
        REQUIRE(list.add(item(TransferKind::put, "dir/a b", "k")));
        REQUIRE(list.add(item(TransferKind::get, "out", "x/%41*\xff")));
        REQUIRE(list.add(item(TransferKind::copy, "", "y")));
        REQUIRE(list.add(item(TransferKind::remove, "", "z")));
        CHECK(kept.text == "dir/a b\ns3://from/x/%41*\xff\ns3://from/y\ns3://to/z\n");
    }

    TEST_CASE("what has no name of its own is written so that a rerun refuses it") {
        Kept kept;
        FailedList list(kept.write(), false);
        Transfer refused = item(TransferKind::remove, "", "logs");
        refused.listed_as = "s3://elsewhere/x";
        REQUIRE(list.add(refused));
        REQUIRE(list.add(item(TransferKind::list, "", "logs/")));
        CHECK(kept.text == "s3://elsewhere/x\ns3://to\n");
    }

    TEST_CASE("a key that ends in a carriage return would be taken for a line of another system; a file would not") {
        Kept kept;
        FailedList list(kept.write(), false);
        REQUIRE_FALSE(list.add(item(TransferKind::get, "out", "k\r")));
        REQUIRE(list.add(item(TransferKind::put, "f\r", "k")));
        Transfer refused = item(TransferKind::remove, "", "logs");
        refused.listed_as = "x\r";  // a line that was refused for it
        REQUIRE(list.add(refused));
        CHECK(kept.text == "f\r\nx\r\n");
        REQUIRE(FailedList(kept.write(), true).add(item(TransferKind::get, "out", "k\r")));
    }

    TEST_CASE("a name with a line break is refused in lines, and stands between zero bytes") {
        Kept lines;
        const Status refused = FailedList(lines.write(), false).add(item(TransferKind::put, "a\nb", "k"));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().message.find("--from0") != std::string::npos);
        CHECK(lines.text.empty());
        Kept zeros;
        FailedList list(zeros.write(), true);
        REQUIRE(list.add(item(TransferKind::put, "a\nb", "k")));
        REQUIRE(list.add(item(TransferKind::put, "c", "k")));
        CHECK(zeros.text == std::string("a\nb\0c\0", 6));
    }

    TEST_CASE("a file that takes no more is told") {
        FailedList list(
            [](std::string_view) {
                return Status(Error{ErrorKind::cannot_write, "no space left"});
            },
            false);
        CHECK(list.add(item(TransferKind::put, "a", "k")).error().message == "no space left");
    }
}

}  // namespace s3tug::cmd
