#include <doctest/doctest.h>

#include "engine/condition_look.h"
#include "support/big_world.h"

namespace s3tug::sim {
namespace {

constexpr const char* gcs = "storage.googleapis.com";      // ignores conditions of writes and deletes
constexpr const char* r2 = "r2.cloudflarestorage.com";     // ignores those of a copy's target
constexpr const char* hetzner = "your-objectstorage.com";  // ignores that of Complete, keeps that of a put
constexpr const char* aws = "s3.us-east-1.amazonaws.com";

engine::Transfer only_if_new(engine::Transfer item) {
    item.conditions.if_none_match_any = true;
    return item;
}

engine::Transfer only_if_same(engine::Transfer item) {
    item.conditions.if_match = "0123456789abcdef0123456789abcdef";
    return item;
}

}  // namespace

TEST_SUITE("engine/conditions of stores") {
    TEST_CASE("a condition that the store would ignore is refused before anything is sent, not believed") {
        struct Row {
            const char* what;
            const char* host;
            engine::Transfer item;
            bool sent;
        };
        for (const Row& row : {Row{"put if new", gcs, only_if_new(put_of("/small", "k")), false},
                               Row{"put if same", gcs, only_if_same(put_of("/small", "k")), false},
                               Row{"put in parts if new", hetzner, only_if_new(put_of("/f", "k")), false},
                               Row{"delete if same", gcs, only_if_same(delete_of("k")), false},
                               Row{"copy if new", r2, only_if_new(copy_of("s", "k")), false},
                               Row{"put if new", r2, only_if_new(put_of("/small", "k")), true},
                               Row{"put if new", hetzner, only_if_new(put_of("/small", "k")), true},
                               Row{"put in parts if new", r2, only_if_new(put_of("/f", "k")), true},
                               Row{"delete if same", aws, only_if_same(delete_of("k")), true},
                               Row{"copy if new", aws, only_if_new(copy_of("s", "k")), true}}) {
            CAPTURE(row.what);
            CAPTURE(row.host);
            BigWorld world;
            world.files.files["/small"].bytes = "bytes";
            world.store.objects["b/s"].bytes = "source";
            world.config.endpoint =
                wire::parse_endpoint(std::string("https://") + row.host, "us-east-1", wire::Addressing::path).value();
            const engine::Outcome outcome = world.run(row.item);
            CHECK(world.network.seen.empty() != row.sent);
            if (row.sent) continue;
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::unsupported);
            CHECK(outcome.error->message.find(row.host) != std::string::npos);
        }
    }

    TEST_CASE("a look before a write refuses what the condition forbids, and nothing that is our own or not known") {
        wire::WriteConditions if_new;
        if_new.if_none_match_any = true;
        wire::WriteConditions if_same;
        if_same.if_match = "\"e\"";
        wire::WriteConditions if_any;
        if_any.if_match = "*";
        engine::OperationResult ours, same, other, absent, unseen;
        ours.answer.headers.add("etag", "\"mine\"");
        ours.answer.headers.add("x-amz-meta-s3tug-write", "token");
        same.answer.headers.add("etag", "\"e\"");
        other.answer.headers.add("etag", "\"f\"");
        other.answer.headers.add("x-amz-meta-s3tug-write", "another");
        absent.error = Error{ErrorKind::not_found, "nothing there"};
        absent.verdict.cls = policy::FailureClass::not_found;
        unseen.error = Error{ErrorKind::access_denied, "denied"};
        unseen.verdict.cls = policy::FailureClass::access;
        struct Row {
            std::string_view what;
            const engine::OperationResult& look;
            const wire::WriteConditions& conditions;
            bool refused;
        };
        for (const Row& row : {
                 Row{"new, and an earlier Complete of ours stands there", ours, if_new, false},
                 Row{"new, and somebody else's", other, if_new, true},
                 Row{"new, and nothing", absent, if_new, false},
                 Row{"new, and nobody may look", unseen, if_new, false},
                 Row{"same, and ours stands there already", ours, if_same, false},
                 Row{"same, and it is", same, if_same, false},
                 Row{"same, and another", other, if_same, true},
                 Row{"same, and nothing", absent, if_same, true},
                 Row{"any, and there is one", other, if_any, false},
                 Row{"any, and nothing", absent, if_any, true},
             }) {
            CAPTURE(row.what);
            const auto end = engine::condition_fails(row.look, row.conditions, "token");
            CHECK(end.has_value() == row.refused);
            if (end) CHECK(end->error->kind == ErrorKind::precondition);
        }
        // Whoever sends no token has none that could be there.
        CHECK(engine::condition_fails(ours, if_new, "").has_value());
    }
}

}  // namespace s3tug::sim
