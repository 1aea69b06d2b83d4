#include "engine/inline_body.h"

#include <doctest/doctest.h>

#include <array>

namespace s3tug::engine {

TEST_SUITE("engine/inline_body") {
    TEST_CASE("the body is read from any offset, as often as asked") {
        InlineBody body("0123456789");
        std::array<std::byte, 4> buffer{};
        const auto read = [&](uint64_t offset) {
            const Result<std::size_t> got = body.read(offset, buffer);
            REQUIRE(got.ok());
            std::string text;
            for (std::size_t i = 0; i < *got; ++i) text += static_cast<char>(buffer[i]);
            return text;
        };
        CHECK(read(0) == "0123");
        CHECK(read(8) == "89");
        CHECK(read(0) == "0123");
        CHECK(read(10).empty());
        CHECK(read(UINT64_MAX).empty());
        CHECK(*InlineBody("").read(0, buffer) == 0);
    }
}

}  // namespace s3tug::engine
