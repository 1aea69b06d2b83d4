#include <doctest/doctest.h>

#include "base/hash.h"
#include "support/big_world.h"

/// A part whose bytes are compared with an ETag needs a second pass over the source, which may fail by itself.
namespace s3tug::sim {
namespace {

constexpr unsigned last_part = 11;
constexpr uint64_t last_offset = 1000;

/// The store keeps the last part damaged and says so by its ETag alone; the source fails once, when it is read again.
struct DamagedLastPart : BigWorld {
    bool fail_read = true;
    bool is_damaged = false;

    DamagedLastPart() {
        store.echoes_checksums = false;
        network.weather = [this](std::size_t, const SeenRequest& seen) {
            const bool is_last = query_value(seen.request.url, "partNumber") == std::to_string(last_part);
            if (seen.op != wire::Op::upload_part || !is_last || std::exchange(is_damaged, true)) return Fate{};
            SimPart& stored = store.uploads.open.begin()->second.parts[last_part];
            stored.bytes = std::string(files.files.at("/f").bytes.size() - last_offset, '?');
            stored.etag = to_hex(md5(as_bytes(stored.bytes)));
            Fate told = status(200, "");
            told.answer.body.clear();
            told.answer.headers.add("etag", "\"" + stored.etag + "\"");
            return told;
        };
        files.on_read = [this](const std::string&, uint64_t offset) {
            offset_ = offset;
            is_sent_ |= is_damaged && offset > last_offset;  // the network reads it in small pieces
        };
        files.trouble = [this](std::string_view call) -> std::optional<Error> {
            const bool compares = is_sent_ && offset_ == last_offset;
            if (call != "read" || !compares || !std::exchange(fail_read, false)) return std::nullopt;
            return Error{ErrorKind::cannot_read, "/f: the disk is tired"};
        };
    }

  private:
    uint64_t offset_ = 0;
    bool is_sent_ = false;
};

}  // namespace

TEST_SUITE("engine/multipart, source read again") {
    TEST_CASE("a part that cannot be read again to be compared is not taken for whole, and the source is to blame") {
        DamagedLastPart world;
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        CHECK(world.is_damaged);
        CHECK(!world.fail_read);
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::cannot_read);
        CHECK(outcome.error->message.find("the disk is tired") != std::string::npos);
        CHECK(world.network.count(wire::Op::complete_multipart_upload) == 0);
        CHECK(world.stored() == "(absent)");

        world.next_process();  // the damaged part is listed, and sent again
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
    }

    TEST_CASE("a part that can be read again and is another is sent again") {
        DamagedLastPart world;
        world.fail_read = false;
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
        CHECK(world.network.count(wire::Op::upload_part) == last_part + 1);
    }

    TEST_CASE("a listed part that cannot be compared ends the upload by the source's own error, and is not sent") {
        BigWorld world;
        world.store.uploads.lists_checksums = false;
        CHECK(!world.run_killed_at(6, put_of("/f", "k")));
        world.next_process();
        world.network.seen.clear();
        REQUIRE(world.store.uploads.open.begin()->second.parts.contains(1));
        std::size_t reads = 0;
        world.files.trouble = [&](std::string_view call) -> std::optional<Error> {
            if (call != "read" || ++reads != 2) return std::nullopt;  // the first one is for the checksum
            return Error{ErrorKind::cannot_read, "/f: the disk is tired"};
        };
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::cannot_read);
        CHECK(world.network.count(wire::Op::list_parts) == 1);
        CHECK(world.network.count(wire::Op::upload_part) == 0);
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 0);

        world.files.trouble = nullptr;
        world.next_process();
        CHECK(world.run(put_of("/f", "k")).ok());
        CHECK(world.right());
    }
}

}  // namespace s3tug::sim
