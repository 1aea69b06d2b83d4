#include <doctest/doctest.h>

#include <functional>

#include "engine/flow.h"
#include "support/big_world.h"

/// Flows at moments of which the engine makes little use: before they began, and stopped with nothing under way.
namespace s3tug::sim {
namespace {

/// Answers nothing; remembers what was asked of it.
struct SilentDesk final : engine::Desk {
    std::vector<wire::Op> sent;
    std::vector<unsigned> tags;
    std::vector<engine::Outcome> ended;

    void send(unsigned tag, engine::OperationSpec spec) override {
        sent.push_back(spec.op);
        tags.push_back(tag);
    }
    void finish(engine::Outcome outcome) override { ended.push_back(std::move(outcome)); }
    [[nodiscard]] bool room() const override { return true; }
    void abandon() override {}
    void abandon(unsigned) override {}
    void cut() override {}
    [[nodiscard]] bool use_token(const std::string&) override { return true; }
    [[nodiscard]] bool may_hedge() const override { return false; }
    [[nodiscard]] std::size_t waiting() const override { return 0; }
    [[nodiscard]] std::optional<Instant> in_flight_since(unsigned) const override { return std::nullopt; }
};

struct FlowWorld : BigWorld {
    engine::Ports ports{clock, processes, network, files, state, credentials, observer};
    engine::Services services{ports, config, Rng(1)};
};

engine::Transfer of_kind(engine::TransferKind kind) {
    engine::Transfer item = kind == engine::TransferKind::put   ? put_of("/f", "k")
                            : kind == engine::TransferKind::get ? get_of("k", "/out")
                                                                : copy_of("from", "k");
    item.kind = kind;
    item.upload_id = "u";
    return item;
}

std::unique_ptr<engine::Flow> make(engine::Services& services, const engine::Transfer& item) {
    switch (item.kind) {
        case engine::TransferKind::put: return engine::make_put(services, item);
        case engine::TransferKind::copy: return engine::make_copy(services, item);
        case engine::TransferKind::remove: return engine::make_delete(services, item);
        case engine::TransferKind::stat: return engine::make_stat(item);
        case engine::TransferKind::abort_upload: return engine::make_abort(services, item);
        case engine::TransferKind::get:
        case engine::TransferKind::list: break;
    }
    return engine::make_get(services, item);
}

engine::Outcome interrupted() { return engine::failed(Error{ErrorKind::interrupted, "interrupted by a signal"}); }

/// A transfer that is done as soon as it begins.
struct DoneAtOnce final : engine::Flow {
    void begin(engine::Desk& desk, const std::string&, bool) override {
        engine::Outcome outcome;
        outcome.etag = "e";
        desk.finish(std::move(outcome));
    }
    void on_result(engine::Desk&, unsigned, engine::OperationResult) override {}
    void stop(engine::Desk&, engine::Outcome) override { FAIL("it has ended"); }
};

}  // namespace

TEST_SUITE("engine/flow") {
    TEST_CASE("a flow that is stopped while nothing is under way ends once, with the reason, and sends nothing more") {
        using Kind = engine::TransferKind;
        for (const Kind kind : {Kind::put, Kind::get, Kind::copy, Kind::remove, Kind::stat, Kind::abort_upload}) {
            CAPTURE(static_cast<int>(kind));
            FlowWorld world;
            SilentDesk desk;
            const engine::Transfer item = of_kind(kind);
            const std::unique_ptr<engine::Flow> flow = make(world.services, item);
            CHECK(!flow->size().has_value());
            REQUIRE(flow->prepare().ok());
            flow->begin(desk, "token", false);
            if (flow->turn() == engine::Flow::Turn::no) flow->more(desk);
            const std::size_t sent = desk.sent.size();
            REQUIRE(sent == 1);
            flow->stop(desk, interrupted());
            REQUIRE(desk.ended.size() == 1);
            CHECK(desk.ended[0].error->kind == ErrorKind::interrupted);
            CHECK(desk.sent.size() == sent);
        }
    }

    TEST_CASE("an upload that is stopped again waits for its parts, and not for the abort of what it had sent") {
        FlowWorld world;
        world.config.multipart.abort_on_interrupt = true;
        world.config.multipart.parts_in_flight = 2;
        SilentDesk desk;
        const engine::Transfer item = of_kind(engine::TransferKind::put);
        const std::unique_ptr<engine::Flow> flow = make(world.services, item);
        REQUIRE(flow->prepare().ok());
        flow->begin(desk, "token", false);
        REQUIRE(desk.sent == std::vector{wire::Op::create_multipart_upload});
        engine::OperationResult created;
        created.answer.status = 200;
        created.answer.body = "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>";
        flow->on_result(desk, desk.tags[0], std::move(created));
        for (int turn = 0; turn < 9 && desk.sent.size() < 3; ++turn) flow->more(desk);
        REQUIRE(desk.sent.size() == 3);
        flow->stop(desk, interrupted());
        flow->stop(desk, engine::failed(Error{ErrorKind::deadline, "deadline reached"}));
        CHECK(desk.ended.empty());
        for (const unsigned part : {desk.tags[1], desk.tags[2]}) {
            CHECK(desk.sent.size() == 3);
            engine::OperationResult cut;
            cut.error = interrupted().error;
            flow->on_result(desk, part, std::move(cut));
        }
        REQUIRE(desk.sent.size() == 4);
        CHECK(desk.sent.back() == wire::Op::abort_multipart_upload);
        CHECK(flow->tidying());
        CHECK(desk.ended.empty());
        flow->stop(desk, interrupted());
        REQUIRE(desk.ended.size() == 1);
        CHECK(desk.ended[0].error->kind == ErrorKind::interrupted);
        CHECK(desk.sent.size() == 4);
    }

    TEST_CASE("a move that is stopped while it looks at its source leaves that, and says so") {
        FlowWorld world;
        world.config.endpoint.host = "storage.googleapis.com";  // looked at before the delete
        SilentDesk desk;
        const engine::Transfer item = move_of(get_of("k", "/out"));
        const auto flow = engine::make_move(world.services, item, std::make_unique<DoneAtOnce>());
        flow->begin(desk, "token", false);
        REQUIRE(desk.sent == std::vector{wire::Op::head_object});
        flow->stop(desk, interrupted());
        REQUIRE(desk.ended.size() == 1);
        CHECK(says(desk.ended[0], "copied to /out, but the source remains"));
        CHECK(desk.ended[0].source_remains);
        CHECK(desk.sent.size() == 1);
    }
}

}  // namespace s3tug::sim
