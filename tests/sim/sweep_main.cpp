#include <array>
#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/world/world.h"

/// s3tug-sweep: each command on a small input, each call to the world failed in each way, one at a time and in pairs.
/// After each, the same command runs again without trouble and must be done. All checks of the simulator watch.
namespace s3tug::simworld {
namespace {

struct Scenario {
    const char* name;
    engine::TransferKind kind;
    bool large;
    bool stdio;
    bool keyed;
    bool moves = false;
    bool tree = false;     ///< five of them
    bool links = false;    ///< stand in the folder of the tree
    bool version = false;  ///< that is to go, a marker between two objects; or is read, the older one of two objects
};

constexpr std::array scenarios{
    Scenario{"put", engine::TransferKind::put, false, false, false},
    Scenario{"put, key", engine::TransferKind::put, false, false, true},
    Scenario{"put in parts", engine::TransferKind::put, true, false, false},
    Scenario{"put in parts, key", engine::TransferKind::put, true, false, true},
    Scenario{"put from stdin in parts", engine::TransferKind::put, true, true, false},
    Scenario{"get", engine::TransferKind::get, false, false, false},
    Scenario{"get in ranges", engine::TransferKind::get, true, false, false},
    Scenario{"get to stdout", engine::TransferKind::get, false, true, false},
    Scenario{"delete", engine::TransferKind::remove, false, false, false},
    Scenario{"delete, key", engine::TransferKind::remove, false, false, true},
    Scenario{"copy", engine::TransferKind::copy, false, false, false},
    Scenario{"copy in parts", engine::TransferKind::copy, true, false, false},
    Scenario{"move", engine::TransferKind::copy, false, false, false, true},
    Scenario{"move in parts", engine::TransferKind::copy, true, false, false, true},
    Scenario{"move of a file", engine::TransferKind::put, false, false, false, true},
    Scenario{"move of a file, key", engine::TransferKind::put, false, false, true, true},
    Scenario{"move to a file", engine::TransferKind::get, false, false, false, true},
    Scenario{"put of a tree", engine::TransferKind::put, false, false, false, false, true},
    Scenario{"get of a tree", engine::TransferKind::get, false, false, false, false, true},
    Scenario{"copy of a tree", engine::TransferKind::copy, false, false, false, false, true},
    Scenario{"delete of a tree", engine::TransferKind::remove, false, false, false, false, true},
    Scenario{"delete of a tree, key", engine::TransferKind::remove, false, false, true, false, true},
    Scenario{"move of a tree", engine::TransferKind::copy, false, false, false, true, true},
    Scenario{"move of a folder", engine::TransferKind::put, false, false, false, true, true},
    Scenario{"put of links", engine::TransferKind::put, false, false, false, false, true, true},
    Scenario{"move beside links", engine::TransferKind::put, false, false, false, true, true, true},
    Scenario{"get beside links", engine::TransferKind::get, false, false, false, false, true, true},
    Scenario{"move to beside links", engine::TransferKind::get, false, false, false, true, true, true},
    Scenario{"get of a version", engine::TransferKind::get, false, false, false, false, false, false, true},
    Scenario{"get of a version in ranges", engine::TransferKind::get, true, false, false, false, false, false, true},
    Scenario{"copy of a version", engine::TransferKind::copy, false, false, false, false, false, false, true},
    Scenario{"copy of a version in parts", engine::TransferKind::copy, true, false, false, false, false, false, true},
    Scenario{"delete of a marker", engine::TransferKind::remove, false, false, false, false, false, false, true},
    Scenario{"delete of a marker, key", engine::TransferKind::remove, false, false, true, false, false, false, true},
};

/// One call that fails: which, and how. The ways of a submit are the faults; `killed` ends the process at that call.
struct Failure {
    uint64_t call = 0;
    unsigned way = 0;
};
constexpr unsigned killed = 1000;

SimOptions calm(bool versioned) {
    SimOptions options;
    options.seed = 4711;
    options.commands = 0;
    options.store.bucket = versioned ? policy::BucketKind::versioned : policy::BucketKind::plain;
    options.torn_writes = true;
    options.switch_per_mille = 0;
    options.retries = 3;
    return options;
}

std::string text(std::size_t size) {
    std::string out(size, 'a');
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>('a' + (i * i + i / 7) % 26);
    return out;
}

/// Five things in a tree, so that a listing has two pages, and one beside it.
Tree& make_tree(World& world, const Scenario& scenario) {
    auto tree = std::make_unique<Tree>();
    tree->common.kind = scenario.kind;
    tree->common.then_delete_source = scenario.moves;
    tree->root = "t";
    if (scenario.kind == engine::TransferKind::copy) tree->target = "c/";
    if (scenario.kind == engine::TransferKind::put || scenario.kind == engine::TransferKind::get) tree->folder = "/t/";
    if (scenario.keyed) {
        tree->common.idempotency_key = "job";
        tree->common.idempotency_keep = hours(24 * 7);
    }
    Rng rng(11);
    const bool written = scenario.links && scenario.kind == engine::TransferKind::get;
    if (written) {
        world.disk.set("/out/d/other", make_blob(text(40)));
        world.disk.link("/t/d", "/out/d");
        world.disk.set("/t/real-a", make_blob(text(40)));
        world.disk.link("/t/a", "/t/real-a");
    }
    for (const char* name : {"a", "b b", "d/e", "d/f", "z"})
        add_member(world, rng, *tree, std::string("t/") + name, name, false);
    if (written) block_members(world, *tree);
    if (scenario.links && !written) {
        world.disk.set("/out/one", make_blob(text(40)));
        world.disk.link("/t/gone", "/nowhere");
        world.disk.link("/t/link", "/out/one");
        world.disk.link("/t/up", "/t");
        if (!scenario.moves) {
            tree->broken = {"b/t/gone", "b/t/up"};
            add_member(world, rng, *tree, "t/link", "link", false);
        }
    }
    world.store.write_by_other("b/t-old", make_blob(text(30)));
    world.trees.push_back(std::move(tree));
    return *world.trees.back();
}

Command& make(World& world, const Scenario& scenario) {
    auto command = std::make_unique<Command>();
    engine::Transfer& t = command->transfer;
    t.kind = scenario.kind;
    t.then_delete_source = scenario.moves;
    const std::string bytes = text(scenario.large ? 420 : 60);
    const bool reads_object = scenario.kind == engine::TransferKind::get || scenario.kind == engine::TransferKind::copy;
    command->name = "b/k";
    if (reads_object) t.source = {"b", scenario.kind == engine::TransferKind::get ? "k" : "s"};
    if (scenario.kind != engine::TransferKind::get) t.target = {"b", "k"};
    if (scenario.kind == engine::TransferKind::copy) command->source_name = "b/s";
    if (reads_object || scenario.kind == engine::TransferKind::remove)
        world.store.write_by_other("b/" + (reads_object ? t.source.key : "k"), make_blob(bytes));
    if (scenario.version && reads_object) {
        const std::string& name = scenario.kind == engine::TransferKind::get ? command->name : command->source_name;
        const Version& older = world.store.objects[name].back();
        t.version_id = older.id;
        command->version = older.blob;
        world.store.write_by_other(name, make_blob(text(bytes.size() + 7)));
    } else if (scenario.version) {
        world.store.write_by_other("b/k", nullptr);
        t.version_id = world.store.objects["b/k"].back().id;
        world.store.write_by_other("b/k", make_blob(bytes));
    }
    if (scenario.stdio) t.local = {engine::LocalEnd::Kind::stdio, "-"};
    const bool local_file =
        !scenario.stdio && (scenario.kind == engine::TransferKind::put || scenario.kind == engine::TransferKind::get);
    if (local_file) {
        command->local = "/f";
        t.local = {engine::LocalEnd::Kind::path, "/f"};
        world.disk.set("/f", make_blob(scenario.kind == engine::TransferKind::put ? bytes : "old"));
    } else if (scenario.kind == engine::TransferKind::put) {
        command->stream = bytes;
    }
    if (scenario.keyed) {
        command->keyed = true;
        t.idempotency_key = "job";
        t.idempotency_keep = hours(24 * 7);
    }
    world.commands.push_back(std::move(command));
    return *world.commands.back();
}

struct Made {
    Call kind{};
    wire::Op op{};  ///< of a submit
};

/// Runs the scenario with these failures, then again without. The calls made are added to `calls`.
std::vector<Violation> try_out(const Scenario& scenario, bool versioned, const std::vector<Failure>& failures,
                               std::vector<Made>* calls, bool verbose) {
    World world(calm(versioned));
    world.verbose = verbose;
    Job job;
    if (scenario.tree) {
        job.tree = &make_tree(world, scenario);
        job.commands = job.tree->members;
    } else {
        job.commands = {&make(world, scenario)};
    }
    job.script = [&](Call kind, uint64_t n) {
        if (calls != nullptr && calls->size() < n) calls->push_back({kind, {}});
        for (const Failure& failure : failures) {
            if (failure.call == n && failure.way != killed) return failure.way;
        }
        return 0U;
    };
    for (const Failure& failure : failures) {
        if (failure.way == killed) job.die_at = failure.call;
    }
    const Process& process = world.start(std::move(job));
    world.run_processes();
    for (const auto& [n, op] : process.life.requests) {
        if (calls != nullptr) (*calls)[n - 1].op = op;
    }
    world.faults_on = false;
    world.drain();
    world.finish();
    return world.violations;
}

/// How a call of this kind can fail.
std::vector<unsigned> ways_of(const Made& call) {
    const Call kind = call.kind;
    std::vector<unsigned> ways{killed};
    if (kind == Call::read) return {1};  // a kill at a read is one at the call before it
    if (kind != Call::submit) {
        ways.push_back(1);
        return ways;
    }
    for (std::size_t i = 1; i < fault_count; ++i) {
        const auto fault = static_cast<Fault>(i);
        if (fault != Fault::no_etag_200 && can_have(call.op, fault)) ways.push_back(static_cast<unsigned>(i));
    }
    return ways;
}

struct Totals {
    uint64_t tried = 0;
    uint64_t bad = 0;
    std::map<std::string, uint64_t> by_check;
};

void judge(const Scenario& scenario, bool versioned, const std::vector<Failure>& failures, Totals& totals) {
    ++totals.tried;
    const std::vector<Violation> found = try_out(scenario, versioned, failures, nullptr, false);
    if (found.empty()) return;
    ++totals.bad;
    std::string which;
    for (const Failure& failure : failures) {
        which += " call " + std::to_string(failure.call) + " " +
                 (failure.way == killed ? std::string("killed") : std::to_string(failure.way)) + ",";
    }
    std::set<std::string> said;
    for (const Violation& violation : found) {
        if (!said.insert(violation.check).second || ++totals.by_check[violation.check] > 15) continue;
        std::printf("%s%s,%s %s: %s\n", scenario.name, versioned ? ", versioned" : "", which.c_str(),
                    violation.check.c_str(), violation.what.c_str());
    }
}

struct Amount {
    uint64_t pairs = 200;
    uint64_t one_in = 1;  ///< of the single failures, beginning where the seed says
    uint64_t seed = 0;
};

void sweep(const Scenario& scenario, bool versioned, const Amount& amount, Totals& totals) {
    std::vector<Made> calls;
    for (const Violation& violation : try_out(scenario, versioned, {}, &calls, false))
        std::printf("%s, without a failure: %s\n", scenario.name, violation.what.c_str());
    const uint64_t before = totals.tried;
    std::vector<Failure> singles;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        for (const unsigned way : ways_of(calls[i])) singles.push_back({i + 1, way});
    }
    for (std::size_t i = amount.seed % amount.one_in; i < singles.size(); i += amount.one_in)
        judge(scenario, versioned, {singles[i]}, totals);
    const uint64_t after_singles = totals.tried;
    // The second failure also falls on calls that only the first one brings about.
    Rng rng(0x5A1AD ^ amount.seed);
    const uint64_t all = singles.size() * (calls.size() + 8) * fault_count / 2;
    for (uint64_t i = 0; i < std::min(amount.pairs, all); ++i) {
        const Failure first = singles[rng.up_to(singles.size() - 1)];
        const uint64_t later =
            first.call + 1 + rng.up_to(calls.size() + 8 - std::min<uint64_t>(first.call, calls.size()));
        const auto way = rng.chance(1, 6) ? killed : static_cast<unsigned>(1 + rng.up_to(fault_count - 3));
        judge(scenario, versioned, {first, {later, way}}, totals);
    }
    std::printf("%-26s %-10s %3zu calls, %4llu failed one at a time, %5llu pairs\n", scenario.name,
                versioned ? "versioned" : "plain", calls.size(),
                static_cast<unsigned long long>(after_singles - before),
                static_cast<unsigned long long>(totals.tried - after_singles));
    std::fflush(stdout);
}

constexpr const char* usage =
    "usage: s3tug-sweep [--pairs N] [--one-in N] [--commit ID] | --show SCENARIO VERSIONED CALL WAY [CALL WAY]\n"
    "  --pairs N    how many pairs of failures of each scenario (200)\n"
    "  --one-in N   only each Nth of the single failures (1)\n"
    "  --commit ID  pairs, and where to begin, come from this text\n";

std::optional<uint64_t> number_in(std::string_view text) {
    uint64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<Amount> amount_of(int argc, char** argv) {
    Amount amount;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 >= argc) return std::nullopt;
        const std::string_view name = argv[i];
        const std::optional<uint64_t> number = number_in(argv[i + 1]);
        if (name == "--commit")
            amount.seed = seed_of(argv[i + 1]);
        else if (name == "--pairs" && number)
            amount.pairs = *number;
        else if (name == "--one-in" && number.value_or(0) > 0)
            amount.one_in = *number;
        else
            return std::nullopt;
    }
    return amount;
}

/// 0 when nothing was violated, 1 when something was, 64 when nobody can tell what is wanted.
int show(int argc, char** argv) {
    std::vector<uint64_t> numbers;
    for (int i = 2; i < argc; ++i) {
        const std::optional<uint64_t> number = number_in(argv[i]);
        if (number) numbers.push_back(*number);
    }
    if (numbers.size() < 4 || numbers[0] >= scenarios.size()) return 64;
    std::vector<Failure> failures{{numbers[2], static_cast<unsigned>(numbers[3])}};
    if (numbers.size() >= 6) failures.push_back({numbers[4], static_cast<unsigned>(numbers[5])});
    return try_out(scenarios[numbers[0]], numbers[1] != 0, failures, nullptr, true).empty() ? 0 : 1;
}

int sweep_all(const Amount& amount) {
    Totals totals;
    for (const Scenario& scenario : scenarios) {
        for (const bool versioned : {false, true}) {
            if (versioned || !scenario.version) sweep(scenario, versioned, amount, totals);
        }
    }
    std::printf("combinations: %llu, of them violating something: %llu\n",
                static_cast<unsigned long long>(totals.tried), static_cast<unsigned long long>(totals.bad));
    for (const auto& [check, count] : totals.by_check)
        std::printf("violated: %-20s %llu\n", check.c_str(), static_cast<unsigned long long>(count));
    return totals.bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace s3tug::simworld

int main(int argc, char** argv) {
    using namespace s3tug::simworld;
    int code = 64;
    if (argc > 1 && std::string_view(argv[1]) == "--show")
        code = show(argc, argv);
    else if (const std::optional<Amount> amount = amount_of(argc, argv))
        code = sweep_all(*amount);
    if (code == 64) std::fputs(usage, stderr);
    return code;
}
