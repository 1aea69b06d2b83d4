#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/world/world.h"

/// s3tug-sim: the production engine in a simulated world. One seed gives everything.
namespace s3tug::simworld {
namespace {

struct Arguments {
    std::optional<uint64_t> seed;  ///< only this one, and in full
    uint64_t first = 1;
    uint64_t runs = 100;
    uint64_t failures_max = 10;
    bool verbose = false;
    bool composite = false;
};

constexpr const char* usage =
    "usage: s3tug-sim [--first N | --commit ID] [--runs N] [--failures N] [--composite] |\n"
    "       s3tug-sim --seed N [--composite] [--verbose]\n"
    "  --seed N      one run: its options, what was violated, its trace hash\n"
    "  --composite   all of them with objects that only have a checksum of their parts' checksums\n"
    "  --verbose     with --seed: each request, effect and end\n"
    "  --first N     the first seed (1)\n"
    "  --commit ID   the first seed comes from this text, so that each commit tries others\n"
    "  --runs N      how many seeds (100)\n"
    "  --failures N  stop after so many seeds that violated something (10)\n";

std::optional<Arguments> read_arguments(int argc, char** argv) {
    Arguments out;
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name == "--verbose") {
            out.verbose = true;
            continue;
        }
        if (name == "--composite") {
            out.composite = true;
            continue;
        }
        if (i + 1 >= argc) return std::nullopt;
        const std::string_view text = argv[++i];
        if (name == "--commit") {
            out.first = seed_of(text);
            continue;
        }
        uint64_t number = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
        if (name == "--seed")
            out.seed = number;
        else if (name == "--first")
            out.first = number;
        else if (name == "--runs")
            out.runs = number;
        else if (name == "--failures")
            out.failures_max = number;
        else
            return std::nullopt;
    }
    return out;
}

/// Prints what was violated; true when nothing was.
bool run_one(const Arguments& arguments, uint64_t seed, Tally& tally, uint64_t& hash,
             std::map<std::string, uint64_t>& by_check) {
    World world(draw_options(seed, arguments.composite));
    const bool in_full = arguments.seed.has_value();
    world.verbose = arguments.verbose;
    if (in_full) {
        std::printf("seed %llu\n%s\n", static_cast<unsigned long long>(seed), world.options.text().c_str());
        std::fflush(stdout);
    }
    world.run();
    tally.add(world.tally);
    hash = world.hash.value();
    for (const Violation& violation : world.violations) {
        if (++by_check[violation.check] > 20 && !in_full) continue;
        std::printf("seed %llu: %s: %s\n", static_cast<unsigned long long>(seed), violation.check.c_str(),
                    violation.what.c_str());
    }
    return world.violations.empty();
}

void print(const Tally& t) {
    const auto line = [](const char* name, uint64_t n) {
        std::printf("  %-52s %llu\n", name, static_cast<unsigned long long>(n));
    };
    line("commands", t.commands);
    line("  of them over trees and lists", t.trees);
    line("items of those that ended", t.tree_items);
    line("commands that read through a symbolic link", t.linked);
    line("links that lead nowhere, told", t.broken_links);
    line("commands that delete one version", t.version_deletes);
    line("versions removed by them", t.versions_removed);
    line("commands that read one version", t.version_reads);
    line("gets that write through a symbolic link", t.linked_gets);
    line("gets whose link leads out of the tree or nowhere", t.blocked_gets);
    line("gets held against a checksum of parts", t.composite_gets);
    line("uploads that the store answered with such a one", t.composite_puts);
    line("gets that ended as damaged", t.damage_told);
    line("processes started", t.processes);
    line("processes killed", t.killed);
    line("items that ended well", t.ok);
    line("items that failed", t.failed);
    line("requests", t.requests);
    line("requests with a fault", t.faults);
    line("effects on the store", t.effects);
    line("most reruns until done, without faults", t.reruns_most);
    line("most bytes of a stream in memory", t.held_most);
    line("most bytes of a stream in the spool", t.spooled_most);
    line("runs with some hundred items and parts", t.wide);
    line("most bytes held by one engine", t.engine_held_most);
    line("  within a turn", t.engine_peak_most);
    line("  per cent of what it may hold", t.engine_fullest);
    line("excepted: late commits after our last look", t.late_commits);
    line("excepted: overwritten, and Complete says 200 again", t.completed_before);
    line("excepted: taken over from whom nobody can ask", t.taken_unasked);
    line("excepted: repeats where nothing can prove the first", t.unproven_repeats);
    line("excepted: gets, nothing there to compare them with", t.not_compared);
    line("  of them with other bytes", t.damage_unseen);
    line("excepted: streams, sizes of parts told too late", t.late_streams);
    line("  of them with other bytes", t.late_damage);
    line("excepted: known uploads, last run had nothing to send", t.uploads_waiting);
    line("excepted: uploads of a lost Create, not listable", t.orphans_unlisted);
}

}  // namespace
}  // namespace s3tug::simworld

int main(int argc, char** argv) {
    using namespace s3tug::simworld;
    const std::optional<Arguments> arguments = read_arguments(argc, argv);
    if (!arguments) {
        std::fputs(usage, stderr);
        return 64;
    }
    Tally tally;
    std::map<std::string, uint64_t> by_check;
    uint64_t hash = 0;
    if (arguments->seed) {
        const bool good = run_one(*arguments, *arguments->seed, tally, hash, by_check);
        print(tally);
        std::printf("trace hash %016llx\n", static_cast<unsigned long long>(hash));
        return good ? 0 : 1;
    }
    std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(arguments->first),
                static_cast<unsigned long long>(arguments->first + arguments->runs - 1));
    std::fflush(stdout);
    uint64_t bad = 0;
    TraceHash all;
    uint64_t i = 0;
    for (; i < arguments->runs && bad < arguments->failures_max; ++i) {
        if (!run_one(*arguments, arguments->first + i, tally, hash, by_check)) ++bad;
        all.add(hash);
        if (bad != 0) std::fflush(stdout);
    }
    print(tally);
    for (const auto& [check, count] : by_check)
        std::printf("violated: %-20s %llu\n", check.c_str(), static_cast<unsigned long long>(count));
    std::printf("%llu runs; seeds that violated something: %llu; trace hash of all %016llx\n",
                static_cast<unsigned long long>(i), static_cast<unsigned long long>(bad),
                static_cast<unsigned long long>(all.value()));
    return bad == 0 ? 0 : 1;
}
