#include <doctest/doctest.h>

#include <deque>
#include <stdexcept>

#include "support/sim_world.h"
#include "wire/object_requests.h"

namespace s3tug::sim {
namespace {

/// Pages of items behind one HEAD each, as a listing has its pages.
class Pages final : public engine::ItemSource {
  public:
    explicit Pages(std::deque<std::vector<engine::Transfer>> pages) : pages_(std::move(pages)) {}

    std::optional<engine::Transfer> next() override {
        if (ready.empty()) return std::nullopt;
        engine::Transfer item = std::move(ready.front());
        ready.pop_front();
        return item;
    }
    bool ended() const override { return stopped > 0 || (pages_.empty() && ready.empty() && !under_way); }
    std::optional<engine::PlanningRequest> request() override {
        if (pages_.empty() || ready.size() > fetch_below) return std::nullopt;
        CHECK_FALSE(under_way);
        CHECK(stopped == 0);
        under_way = true;
        ++requests;
        engine::PlanningRequest out;
        out.about.kind = engine::TransferKind::list;
        out.about.target = {"b", "page"};
        out.about.dry_run = dry_run;
        out.spec.op = wire::Op::head_object;
        out.spec.build = [] { return wire::head_object({{"b", "page"}, "", {}}); };
        return out;
    }
    void on_result(engine::OperationResult result) override {
        CHECK(under_way);
        under_way = false;
        errors.push_back(result.error ? std::optional(result.error->kind) : std::nullopt);
        if (!result.error) {
            for (engine::Transfer& item : pages_.front()) ready.push_back(std::move(item));
            pages_.pop_front();
            return;
        }
        pages_.clear();
        engine::Transfer refused;
        refused.kind = engine::TransferKind::list;
        refused.target = {"b", "page"};
        refused.refused = result.error;
        ready.push_back(std::move(refused));
    }
    void stop() override { ++stopped; }

    std::deque<engine::Transfer> ready;
    std::vector<std::optional<ErrorKind>> errors;
    std::size_t fetch_below = 0;
    unsigned requests = 0;
    unsigned stopped = 0;
    bool under_way = false;
    bool dry_run = false;

  private:
    std::deque<std::vector<engine::Transfer>> pages_;
};

struct Done {
    std::size_t right = 0;
    std::vector<ErrorKind> wrong;
};

Done run(World& world, engine::ItemSource& source) {
    Done done;
    engine::Engine engine(
        {world.clock, world.processes, world.network, world.files, world.state, world.credentials, world.observer},
        world.config, Rng(1));
    engine.run(
        source,
        [&](const engine::Transfer&, const engine::Outcome& outcome) {
            if (outcome.ok())
                ++done.right;
            else
                done.wrong.push_back(outcome.error->kind);
        },
        world.stop);
    return done;
}

/// `pages` pages of `each` puts.
std::deque<std::vector<engine::Transfer>> puts(std::size_t pages, std::size_t each) {
    std::deque<std::vector<engine::Transfer>> out(pages);
    std::size_t n = 0;
    for (auto& page : out) {
        for (std::size_t i = 0; i < each; ++i) page.push_back(put_of("/f", "k" + std::to_string(n++)));
    }
    return out;
}

struct PagesWorld : World {
    PagesWorld() {
        files.files["/f"].bytes = "bytes";
        store.objects["b/page"].bytes = "page";
    }
};

bool is_page(const SeenRequest& seen) { return seen.op == wire::Op::head_object; }

}  // namespace

TEST_SUITE("engine/item source with planning requests") {
    TEST_CASE("each page is asked for once and its items are done") {
        PagesWorld world;
        Pages source(puts(3, 7));
        const Done done = run(world, source);
        CHECK(done.right == 21);
        CHECK(done.wrong.empty());
        CHECK(source.requests == 3);
        CHECK(source.errors == std::vector<std::optional<ErrorKind>>(3));
        CHECK(world.network.count(wire::Op::head_object) == 3);
        CHECK(world.network.count(wire::Op::put_object) == 21);
        CHECK(source.stopped == 0);
    }

    TEST_CASE("a planning request is retried like any other, while items of the page before run on") {
        PagesWorld world;
        unsigned pages = 0;
        Instant second_page_failed{};
        world.network.weather = [&](std::size_t, const SeenRequest& seen) {
            Fate out;
            if (is_page(seen) && ++pages == 2) {
                second_page_failed = seen.at;
                return status(503, "ServiceUnavailable");
            }
            if (!is_page(seen)) out.delay = milliseconds(400);
            return out;
        };
        Pages source(puts(2, 20));
        source.fetch_below = 10;
        const Done done = run(world, source);
        CHECK(done.right == 40);
        CHECK(pages == 3);
        CHECK(source.errors == std::vector<std::optional<ErrorKind>>(2));
        bool ran_on = false;
        for (const SeenRequest& seen : world.network.seen) {
            ran_on |= !is_page(seen) && seen.at > second_page_failed && seen.at < second_page_failed + seconds(1);
        }
        CHECK(ran_on);
    }

    TEST_CASE("waiting for a page does not spin") {
        PagesWorld world;
        std::size_t polls = 0;
        world.network.on_poll = [&] { ++polls; };
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            Fate out;
            if (is_page(seen)) out.delay = seconds(20);
            return out;
        };
        Pages source(puts(2, 1));
        CHECK(run(world, source).right == 2);
        CHECK(polls <= 60);  // the watchdog looks once a second
    }

    TEST_CASE("a page that fails reaches the source, which refuses an item: the run is not a success") {
        PagesWorld world;
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            return is_page(seen) ? status(403, "AccessDenied") : Fate{};
        };
        Pages source(puts(2, 3));
        const Done done = run(world, source);
        CHECK(done.right == 0);
        CHECK(done.wrong == std::vector{ErrorKind::access_denied});
        CHECK(source.requests == 1);
        CHECK(world.observer.count(port::EventKind::give_up) == 1);
    }

    TEST_CASE("an open breaker refuses the first page, and nothing is sent") {
        PagesWorld world;
        world.config.retry.retries = 0;
        world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::refuse); };
        for (int i = 0; i < 5; ++i) (void)world.World::run(put_of("/f", "k"));
        const std::size_t before = world.network.seen.size();
        Pages source(puts(1, 3));
        CHECK(run(world, source).wrong == std::vector{ErrorKind::breaker_open});
        CHECK(world.network.seen.size() == before);
    }

    TEST_CASE("pages that fail count for the breaker like items") {
        PagesWorld world;
        world.config.retry.retries = 0;
        world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::refuse); };
        for (int i = 0; i < 5; ++i) {
            Pages source(puts(1, 1));
            CHECK(run(world, source).wrong == std::vector{ErrorKind::gave_up});
        }
        CHECK(world.World::run(put_of("/f", "k")).error->kind == ErrorKind::breaker_open);
    }

    TEST_CASE("a signal stops the source once, ends the page under way, and no more is asked for") {
        PagesWorld world;
        world.network.weather = [](std::size_t n, const SeenRequest& seen) {
            return n > 1 && is_page(seen) ? fate(Fate::Kind::hang) : Fate{};
        };
        Pages source(puts(3, 8));
        const Instant began = world.clock.now();
        world.network.on_poll = [&] {
            if (world.clock.now() - began >= seconds(1)) world.stop = 15;
        };
        const Done done = run(world, source);
        CHECK(done.right == 8);
        CHECK(source.stopped == 1);
        CHECK(source.requests == 2);
        REQUIRE(source.errors.size() == 2);
        CHECK(source.errors[1] == ErrorKind::interrupted);
        CHECK(world.clock.now() - began < seconds(5));
    }

    TEST_CASE("the deadline stops the source too") {
        PagesWorld world;
        world.config.deadline = seconds(10);
        world.network.weather = [](std::size_t, const SeenRequest&) { return fate(Fate::Kind::hang); };
        Pages source(puts(3, 8));
        const Instant began = world.clock.now();
        CHECK(run(world, source).right == 0);
        CHECK(source.stopped == 1);
        REQUIRE(source.errors.size() == 1);
        CHECK(source.errors[0] == ErrorKind::deadline);
        CHECK(world.clock.now() - began <= seconds(12));
    }

    TEST_CASE("a dry run is planned too, and none of its items is sent") {
        PagesWorld world;
        auto pages = puts(2, 3);
        for (auto& page : pages) {
            for (engine::Transfer& item : page) item.dry_run = true;
        }
        Pages source(std::move(pages));
        source.dry_run = true;
        CHECK(run(world, source).right == 6);
        CHECK(world.network.seen.size() == 2);
        CHECK(world.network.count(wire::Op::head_object) == 2);
    }

    TEST_CASE("items known from the start each have an outcome after a signal") {
        PagesWorld world;
        std::vector<engine::Transfer> items = puts(1, 50).front();
        world.network.weather = [&](std::size_t n, const SeenRequest&) {
            if (n == 10) world.stop = 2;
            return Fate{};
        };
        const std::vector<engine::Outcome> outcomes = world.World::run(items);
        REQUIRE(outcomes.size() == 50);
        CHECK(outcomes.back().error->kind == ErrorKind::interrupted);
    }

    TEST_CASE("a source that gives nothing and does not end is a bug, not a hang") {
        struct Stuck final : engine::ItemSource {
            std::optional<engine::Transfer> next() override { return std::nullopt; }
            bool ended() const override { return false; }
        };
        PagesWorld world;
        Stuck source;
        CHECK_THROWS_AS((void)run(world, source), std::logic_error);
    }
}

}  // namespace s3tug::sim
