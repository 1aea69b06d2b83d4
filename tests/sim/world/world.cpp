#include "sim/world/world.h"

#include <algorithm>
#include <cstdio>

namespace s3tug::simworld {

void Tally::add(const Tally& o) {
    commands += o.commands;
    processes += o.processes;
    killed += o.killed;
    ok += o.ok;
    failed += o.failed;
    requests += o.requests;
    faults += o.faults;
    effects += o.effects;
    completed_before += o.completed_before;
    late_commits += o.late_commits;
    unproven_repeats += o.unproven_repeats;
    taken_unasked += o.taken_unasked;
    reruns_most = std::max(reruns_most, o.reruns_most);
    uploads_waiting += o.uploads_waiting;
    orphans_unlisted += o.orphans_unlisted;
    trees += o.trees;
    tree_items += o.tree_items;
    linked += o.linked;
    broken_links += o.broken_links;
    version_deletes += o.version_deletes;
    versions_removed += o.versions_removed;
    version_reads += o.version_reads;
    linked_gets += o.linked_gets;
    blocked_gets += o.blocked_gets;
    held_most = std::max(held_most, o.held_most);
    spooled_most = std::max(spooled_most, o.spooled_most);
    composite_gets += o.composite_gets;
    damage_told += o.damage_told;
    not_compared += o.not_compared;
    damage_unseen += o.damage_unseen;
    late_streams += o.late_streams;
    late_damage += o.late_damage;
    composite_puts += o.composite_puts;
    wide += o.wide;
    engine_held_most = std::max(engine_held_most, o.engine_held_most);
    engine_peak_most = std::max(engine_peak_most, o.engine_peak_most);
    engine_fullest = std::max(engine_fullest, o.engine_fullest);
}

World::World(const SimOptions& options_in)
    : options(options_in), store(options_in.store, timeline), rng_(options_in.seed ^ 0xC0FFEEULL) {
    store.on_effect = [this](const Effect& effect) { on_effect(effect); };
    store.on_look = [this](uint64_t request, const std::string& name) { on_look(request, name); };
    store.on_completed_again = [this](uint64_t request, const std::string& name) {
        completed_again_.emplace(sent_[request].pid, name);
    };
    for (unsigned i = 0; i < options.outages; ++i) {
        const Instant from = now() + milliseconds(static_cast<int64_t>(rng_.up_to(120'000)));
        outages_.emplace_back(from, from + milliseconds(static_cast<int64_t>(rng_.up_to(90'000))));
    }
}

World::~World() = default;

void World::say(const std::string& line) const {
    if (!verbose) return;
    const Duration t = now() - Instant(hours(1));
    std::printf("%10.3f  %s\n", static_cast<double>(to_ms(t)) / 1000, line.c_str());
}

bool World::in_outage() const {
    return std::any_of(outages_.begin(), outages_.end(),
                       [&](const auto& o) { return o.first <= now() && now() < o.second; });
}

Duration World::late() {
    // From just after the answer was lost to long after everybody has given up.
    const uint64_t shift = rng_.up_to(11);
    return milliseconds(static_cast<int64_t>(rng_.up_to(50ULL << shift)));
}

Fault World::draw_fault() {
    if (!faults_on) return Fault::none;
    if (in_outage()) return rng_.chance(9, 10) ? Fault::refused : Fault::throttle;
    auto draw = static_cast<unsigned>(rng_.up_to(999));
    for (std::size_t i = 1; i < fault_count; ++i) {
        if (draw < options.per_mille[i]) return static_cast<Fault>(i);
        draw -= options.per_mille[i];
    }
    return Fault::none;
}

std::string_view World::stdin_of(const Process& process) const {
    for (const Command* command : process.job.commands) {
        if (!command->stream.empty()) return command->stream;
    }
    return {};
}

const Process* World::process(int64_t pid) const {
    const int64_t index = pid - 1001;
    if (index < 0 || index >= static_cast<int64_t>(processes.size())) return nullptr;
    return processes[static_cast<std::size_t>(index)].get();
}

bool World::held_by_other(const std::string& part, const Process& self) const {
    const auto found = disk.parts.find(part);
    if (found == disk.parts.end() || found->second.locked_by == 0) return false;
    const Process* holder = process(found->second.locked_by);
    return holder != nullptr && holder != &self && holder->alive();
}

Process& World::start(Job job) {
    const Duration wait = job.start;
    const Duration interrupt = job.interrupt_after;
    processes.push_back(std::make_unique<Process>(*this, ++pids_, std::move(job)));
    Process& made = *processes.back();
    made.wake = now() + wait;
    if (interrupt > Duration::zero()) {
        timeline.in(wait + interrupt, [this, &made] {
            made.stop = 15;
            made.wake = std::min(made.wake, now());
        });
    }
    return made;
}

void World::run_processes() {
    std::vector<Process*> going;
    for (const auto& process : processes) {
        if (!process->ended()) going.push_back(process.get());
    }
    std::vector<Process*> ready;
    while (!going.empty()) {
        Instant first = Instant::max();
        for (const Process* process : going) first = std::min(first, process->wake);
        if (timeline.next() <= first) {
            timeline.run_next();
            continue;
        }
        timeline.pass_until(first);
        ready.clear();
        for (Process* process : going) {
            if (process->wake <= now()) ready.push_back(process);
        }
        Process* const next = ready.size() == 1 ? ready[0] : ready[rng_.up_to(ready.size() - 1)];
        next->resume();
        if (next->ended()) std::erase(going, next);
    }
}

void World::reboot() {
    ++boots;
    say("the machine starts anew");
    for (const auto& process : processes) {
        if (!process->alive()) continue;
        process->life.killed = true;
        process->wake = now();
    }
}

void World::drain() {
    while (!timeline.empty()) timeline.run_next();
}

Job World::some_job(Duration& first_start, bool first) {
    Job job;
    job.start = milliseconds(static_cast<int64_t>(rng_.up_to(120'000)));
    if (first)
        first_start = job.start;
    else if (rng_.chance(1, 2))  // right after the run before it, or at the same time
        job.start = first_start + milliseconds(static_cast<int64_t>(rng_.up_to(800)));
    if (rng_.up_to(99) < options.crash_per_cent) {
        const uint64_t most = rng_.chance(1, 2) ? 40 : 150;
        job.die_at = 1 + rng_.up_to(most);
    }
    if (rng_.chance(1, 8)) job.deadline = milliseconds(static_cast<int64_t>(100 + rng_.up_to(30'000)));
    if (rng_.chance(1, 12)) job.interrupt_after = milliseconds(static_cast<int64_t>(1 + rng_.up_to(3000)));
    job.other_container = options.containers && rng_.chance(1, 2);
    return job;
}

void World::safety_phase() {
    for (const auto& command : commands) {
        for (unsigned i = 0; command->tree == nullptr && i < options.starts; ++i) {
            Job job = some_job(command->first_start, i == 0);
            job.commands = {command.get()};
            // Some runs have several items.
            const bool stdio = command->transfer.local.kind == engine::LocalEnd::Kind::stdio;
            if (!stdio && rng_.chance(1, 8)) {
                Command* const other = commands[rng_.up_to(commands.size() - 1)].get();
                if (other != command.get() && other->tree == nullptr &&
                    other->transfer.local.kind != engine::LocalEnd::Kind::stdio)
                    job.commands.push_back(other);
            }
            start(std::move(job));
        }
    }
    for (const auto& tree : trees) {
        for (unsigned i = 0; i < options.starts; ++i) {
            Job job = some_job(tree->first_start, i == 0);
            job.commands = tree->members;
            job.tree = tree.get();
            start(std::move(job));
        }
        for (Command* const member : tree->members) member->first_start = tree->first_start;
    }
    make_troubles(*this, rng_);
    run_processes();
    faults_on = false;
    drain();
    check_uploads(false);
}

void World::live_through(Command& command) {
    for (unsigned i = 1; i <= reruns_max; ++i) {
        timeline.pass_until(now() + minutes(6));
        Job job;
        job.commands = {&command};
        Process& process = start(std::move(job));
        run_processes();
        drain();
        tally.reruns_most = std::max<uint64_t>(tally.reruns_most, i);
        if (process.outcomes.empty())
            return violated("liveness", command.name + ": a run without faults has no outcome");
        if (right_end(command, process.outcomes[0])) return;
    }
    violated("liveness", item_name(command.transfer) + " is not done after " + std::to_string(reruns_max) +
                             " runs without faults: " + command.last);
}

void World::finish() {
    // Until nobody believes any more in what was left by processes that cannot be asked.
    timeline.pass_until(now() + minutes(20));
    for (const auto& command : commands) {
        if (command->tree == nullptr) live_through(*command);
    }
    for (const auto& tree : trees) live_through(*tree);
    check_uploads(true);
    check_losses();
}

void World::run() {
    Rng plan = rng_.split();
    make_commands(*this, plan);
    const std::size_t single = commands.size();
    make_trees(*this, plan);
    if (options.composite) choose_algorithms(*this);
    tally.commands = single + trees.size();
    tally.wide = options.wide ? 1 : 0;
    tally.trees = trees.size();
    for (const auto& command : commands) {
        if (!command->transfer.version_id.empty())
            ++(command->reads_version() ? tally.version_reads : tally.version_deletes);
        if (command->blocked)
            ++tally.blocked_gets;
        else if (!command->local.empty() && disk.path_behind(command->local) != command->local)
            ++(command->transfer.kind == engine::TransferKind::get ? tally.linked_gets : tally.linked);
    }
    safety_phase();
    finish();
    hash.add(tally.requests);
    hash.add(now());
}

}  // namespace s3tug::simworld
