#include "cmd/stoppable_source.h"

#include <doctest/doctest.h>

#include <vector>

namespace s3tug::cmd {

namespace {

/// A source that has one request to make before its only item.
class Planned final : public engine::ItemSource {
  public:
    std::optional<engine::Transfer> next() override {
        return failed.kind == engine::TransferKind::list ? std::optional(failed) : std::nullopt;
    }
    bool ended() const override { return stopped; }
    std::optional<engine::PlanningRequest> request() override {
        engine::PlanningRequest out;
        out.about.target = {"b", "p"};
        return out;
    }
    void on_result(engine::OperationResult) override { ++results; }
    void stop() override { stopped = true; }

    engine::Transfer failed;  ///< given when it is a listing
    bool stopped = false;
    int results = 0;
};

}  // namespace

TEST_SUITE("cmd/stoppable_source") {
    TEST_CASE("it hands on all items, and is not cut short when they are used up") {
        const std::vector<engine::Transfer> items(2);
        engine::ItemList list(items);
        StoppableSource source(list);
        CHECK(source.left() == 2U);
        CHECK(source.next().has_value());
        CHECK(source.next().has_value());
        CHECK(source.ended());
        source.stop();
        CHECK_FALSE(source.cut_short());
    }

    TEST_CASE("once stopped it has ended, and knows what was left") {
        const std::vector<engine::Transfer> items(3);
        engine::ItemList list(items);
        StoppableSource source(list);
        CHECK(source.next().has_value());
        source.stop();
        source.stop();
        CHECK(source.ended());
        CHECK_FALSE(source.next().has_value());
        CHECK(source.cut_short());
        CHECK(source.left() == 2U);
    }

    TEST_CASE("a request of planning is not made after the stop, but the result of one under way arrives") {
        Planned planned;
        StoppableSource source(planned);
        CHECK(source.request().has_value());
        source.stop();
        CHECK_FALSE(source.request().has_value());
        source.on_result({});
        CHECK(planned.results == 1);
        CHECK(planned.stopped);
        CHECK(source.cut_short());
        CHECK_FALSE(source.left().has_value());
        CHECK(source.cut_listing() == nullptr);
    }

    TEST_CASE("a listing that the stop ended, or that failed before it and was not told yet, is kept") {
        struct Row {
            const char* when;
            bool stopped_first, told, kept;
        };
        for (const Row& row :
             {Row{"ended by the stop", true, false, true}, Row{"failed just before", false, false, true},
              Row{"told as an item before", false, true, false}}) {
            CAPTURE(std::string(row.when));
            Planned planned;
            StoppableSource source(planned);
            CHECK(source.request().has_value());
            if (row.stopped_first) source.stop();
            engine::OperationResult result;
            result.error = Error{ErrorKind::deadline, "deadline reached"};
            result.verdict.code = "SlowDown";
            source.on_result(std::move(result));
            CHECK(planned.results == 1);
            planned.failed.kind = engine::TransferKind::list;
            if (row.told) CHECK(source.next().has_value());
            source.stop();
            REQUIRE((source.cut_listing() != nullptr) == row.kept);
            if (!row.kept) continue;
            CHECK(source.cut_listing()->item.target.key == "p");
            CHECK(source.cut_listing()->outcome.error->kind == ErrorKind::deadline);
            CHECK(source.cut_listing()->outcome.code == "SlowDown");
        }
    }
}

}  // namespace s3tug::cmd
