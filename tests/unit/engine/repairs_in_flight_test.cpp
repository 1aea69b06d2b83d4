#include <doctest/doctest.h>

#include <algorithm>

#include "support/sim_world.h"

namespace s3tug::sim {
namespace {

bool signed_for(const SeenRequest& seen, std::string_view region) {
    const auto authorization = seen.request.headers.find("authorization");
    return authorization && authorization->find("/" + std::string(region) + "/s3/") != std::string_view::npos;
}

}  // namespace

TEST_SUITE("engine/repairs of requests in flight") {
    TEST_CASE("every request that went out for the wrong region is mended, not only the first to hear of it") {
        World world;
        std::vector<engine::Transfer> puts;
        for (int i = 0; i < 8; ++i) {
            const std::string name = "/f" + std::to_string(i);
            world.files.files[name].bytes = "bytes";
            puts.push_back(put_of(name, "k" + std::to_string(i)));
        }
        world.network.weather = [](std::size_t, const SeenRequest& seen) {
            if (signed_for(seen, "eu-west-1")) return Fate{};
            Fate wrong = status(400, "AuthorizationHeaderMalformed");
            wrong.answer.headers.add("x-amz-bucket-region", "eu-west-1");
            return wrong;
        };
        const std::vector<engine::Outcome> outcomes = world.run(puts);
        CHECK(std::ranges::all_of(outcomes, [](const engine::Outcome& outcome) { return outcome.ok(); }));
        CHECK(world.network.seen.size() <= 16);
    }
}

}  // namespace s3tug::sim
