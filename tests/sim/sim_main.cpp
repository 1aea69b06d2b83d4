#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "sim/seed.h"

namespace s3tug::sim {

namespace {

std::optional<uint64_t> asked_for;

std::optional<uint64_t> seed_from_text(std::string_view text) {
    uint64_t seed = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
    return seed;
}

/// False when `--seed` has no number.
bool read_seed(int argc, char** argv) {
    if (const char* text = std::getenv("S3TUG_SIM_SEED")) asked_for = seed_from_text(text);
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) != "--seed") continue;
        asked_for = i + 1 < argc ? seed_from_text(argv[i + 1]) : std::nullopt;
        if (!asked_for) return false;
    }
    return true;
}

}  // namespace

std::optional<uint64_t> replay_seed() { return asked_for; }

}  // namespace s3tug::sim

int main(int argc, char** argv) {
    if (!s3tug::sim::read_seed(argc, argv)) {
        std::fputs("--seed wants a number\n", stderr);
        return 2;
    }
    const uint64_t seed = s3tug::sim::replay_seed().value_or(s3tug::sim::first_seed);
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    doctest::Context context(argc, argv);
    return context.run();
}
