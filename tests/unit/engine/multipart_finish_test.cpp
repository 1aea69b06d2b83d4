#include <doctest/doctest.h>

#include "support/big_world.h"
#include "unit/engine/upload_world.h"

/// How the last step of an upload ends where the store does not play along.
namespace s3tug::sim {
namespace {

/// `answer` to each Complete. Stops a run that would go on for ever.
void answer_completes(BigWorld& world, const Fate& answer) {
    world.network.weather = [&world, answer](std::size_t n, const SeenRequest& seen) {
        if (n > 500) world.stop = 15;
        return seen.op == wire::Op::complete_multipart_upload ? answer : Fate{};
    };
}

}  // namespace

TEST_SUITE("engine/multipart_finish") {
    TEST_CASE("an object that the store put together wrongly is an integrity failure") {
        BigWorld world;
        Fate other = status(200, "");
        other.answer.body =
            "<CompleteMultipartUploadResult><ETag>\"0123456789abcdef0123456789abcdef-11\"</ETag>"
            "<ChecksumCRC64NVME>AAAAAAAAAAA=</ChecksumCRC64NVME><ChecksumType>FULL_OBJECT</ChecksumType>"
            "</CompleteMultipartUploadResult>";
        answer_completes(world, other);
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.error->kind == ErrorKind::integrity);
        CHECK(outcome.error->message.find("AAAAAAAAAAA=") != std::string::npos);
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 0);
    }

    TEST_CASE("a store that never finds the parts that it lists ends the upload after two rounds, and it is aborted") {
        BigWorld world;
        answer_completes(world, status(400, "InvalidPart"));
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        REQUIRE(!outcome.ok());
        CHECK(outcome.code == "InvalidPart");
        CHECK(world.network.count(wire::Op::complete_multipart_upload) == 3);
        CHECK(world.network.count(wire::Op::upload_part) == 11);
        CHECK(world.stored() == "(absent)");
        CHECK(world.store.uploads.open.empty());
    }

    TEST_CASE("an upload that is gone at its Complete is begun again once, that of a stream never") {
        for (const bool stream : {false, true}) {
            CAPTURE(stream);
            BigWorld world;
            world.files.stdin_bytes = text_of(1050);
            answer_completes(world, status(404, "NoSuchUpload"));
            const engine::Outcome outcome = world.run(put_of(stream ? "-" : "/f", "k"));
            REQUIRE(!outcome.ok());
            CHECK(outcome.error->kind == ErrorKind::gave_up);
            CHECK(world.network.count(wire::Op::create_multipart_upload) == (stream ? 1 : 2));
            CHECK(world.network.count(wire::Op::complete_multipart_upload) == (stream ? 1 : 2));
            CHECK(world.stored() == "(absent)");
        }
    }

    TEST_CASE(
        "a Complete that is answered by a result without an ETag may have been done: it is looked for, not aborted") {
        BigWorld world;
        Fate hollow = with_body("<CompleteMultipartUploadResult><Bucket>b</Bucket></CompleteMultipartUploadResult>");
        answer_completes(world, hollow);
        const engine::Outcome outcome = world.run(put_of("/f", "k"));
        CHECK(!outcome.ok());
        CHECK(world.network.count(wire::Op::abort_multipart_upload) == 0);
        check_next_run(world);
    }
}

}  // namespace s3tug::sim
