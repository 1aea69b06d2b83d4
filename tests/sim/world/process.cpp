#include "sim/world/process.h"

#include "engine/flow.h"
#include "sim/world/world.h"

namespace s3tug::simworld {

unsigned Life::way(Call kind) {
    if (killed) return 0;
    ++calls;
    const unsigned chosen = script ? script(kind, calls) : 0;
    if (die_at != 0 && calls >= die_at) killed = true;
    return chosen;
}

bool Life::fails(Call kind, unsigned per_mille) {
    const unsigned chosen = way(kind);
    if (script) return chosen != 0;
    return per_mille != 0 && world->per_mille(per_mille);
}

Instant ProcessClock::now() { return world_.now(); }
WallTime ProcessClock::wall() { return world_.wall(); }

Liveness ProcessView::liveness(const ProcessId& other) {
    if (other.boot_id != id_.boot_id) return Liveness::dead;
    if (other.pid_namespace != id_.pid_namespace) return Liveness::unknown;
    const Process* process = world_.process(other.pid);
    return process != nullptr && process->alive() ? Liveness::alive : Liveness::dead;
}

std::optional<std::string> StateView::read(port::Table table, std::string_view key) {
    if (!life_.killed) const_cast<Process*>(world_.process(life_.pid))->pause();
    const std::pair at(table, std::string(key));
    if (const auto own = own_.find(at); own != own_.end())
        return own->second.empty() ? std::nullopt : std::optional(own->second);
    const auto found = world_.records.find(at);
    return found == world_.records.end() ? std::nullopt : std::optional(found->second);
}

bool StateView::update(port::Table table, std::string_view key, const Step& step) {
    const bool was_killed = life_.killed;
    if (!was_killed) const_cast<Process*>(world_.process(life_.pid))->pause();
    const bool lost = life_.fails(Call::state, world_.state_trouble());
    // Killed at this very call: half of the time the record is written before the end.
    if (was_killed || (life_.killed && life_.calls % 2 == 0)) return false;
    const std::pair at(table, std::string(key));
    const auto own = own_.find(at);
    const auto found = world_.records.find(at);
    std::optional<std::string> present;
    if (own != own_.end())
        present = own->second.empty() ? std::nullopt : std::optional(own->second);
    else if (found != world_.records.end())
        present = found->second;
    std::optional<std::string> next = step(present);
    if (!next) return !lost;
    if (lost || own != own_.end()) {
        own_[at] = std::move(*next);
        return false;
    }
    world_.on_state(table, key, *next);
    if (next->empty())
        world_.records.erase(at);
    else
        world_.records[at] = std::move(*next);
    return true;
}

std::vector<port::StateEntry> StateView::list(port::Table table) {
    std::vector<port::StateEntry> out;
    for (const auto& [key, value] : world_.records) {
        if (key.first == table) out.push_back({key.second, value, {}});
    }
    return out;
}

Keys::Keys(World& world, Life& life) : world_(world), life_(life), key_(world.key_now) {}

Result<std::optional<wire::Credentials>> Keys::current(WallTime) {
    if (life_.fails(Call::credentials, 0)) return Error{ErrorKind::no_credentials, "no credentials"};
    wire::Credentials credentials;
    credentials.access_key_id = key_;
    credentials.secret_access_key = "SECRETCANARY";
    credentials.session_token = "TOKENCANARY";
    return std::optional(credentials);
}

Result<bool> Keys::refresh(const wire::Credentials& refused, WallTime) {
    key_ = world_.key_now;
    return key_ != refused.access_key_id;
}

bool Ear::wants(port::EventKind kind) const {
    return world_.options.listens || kind == port::EventKind::attempt || kind == port::EventKind::retry ||
           kind == port::EventKind::verify;
}

void Ear::on(const port::TraceEvent& event) { world_.on_event(process_, event); }

Process::Process(World& world, int64_t pid, Job job_in)
    : job(std::move(job_in)),
      id{pid, static_cast<uint64_t>(pid) * 10, world.boot(), job.other_container ? 2U : 1U},
      config(make_config(world.options)),
      clock(world),
      view(world, id),
      state(world, life),
      keys(world, life),
      ear(world, *this),
      wire(world, *this),
      world_(world),
      fiber_([this] { run(); }) {
    life.world = &world;
    life.pid = pid;
    life.die_at = job.die_at;
    life.script = job.script;
    files = make_files(world, *this);
    config.deadline = job.deadline;
}

Process::~Process() { Account::close(account); }

void Process::wait_until(Instant then) {
    const Allocating world(nullptr);
    wake = then;
    Fiber::yield();
}

void Process::pause() {
    if (life.killed || !begun || !world_.per_mille(world_.options.switch_per_mille)) return;
    wait_until(world_.now());
}

void Process::run_tree(engine::Engine& engine, port::Files& border) {
    Result<std::unique_ptr<engine::ItemSource>> source = make_source(*job.tree, border);
    if (!source) {
        if (!life.killed) others_failed.push_back(engine::failed(source.error()));
        return;
    }
    CountedItems items(*std::move(source), begun_items);
    engine.run(
        items,
        [&](const engine::Transfer& item, const engine::Outcome& outcome) {
            items.on_end(item, outcome);
            const Allocating world(nullptr);
            world_.on_item_end(*this, item, outcome);
        },
        stop);
}

void Process::run() {
    begun = true;
    id.boot_id = world_.boot();
    started = world_.now();
    if (job.deadline) deadline = started + *job.deadline;
    std::vector<engine::Transfer> items;
    for (const Command* command : job.commands) items.push_back(command->transfer);
    BorderTransport border_wire(wire, account);
    BorderFiles border_files(*files);
    BorderState border_state(state, account);
    BorderCredentials border_keys(keys);
    BorderObserver border_ear(ear);
    try {
        const Allocating mine(&account);
        engine::Engine engine({clock, view, border_wire, border_files, border_state, border_keys, border_ear}, config,
                              Rng(world_.options.seed * 1'000'003 + static_cast<uint64_t>(id.pid)));
        if (job.tree != nullptr)
            run_tree(engine, border_files);
        else
            outcomes = engine.run(items, {}, stop);
    } catch (const Killed&) { life.killed = true; }
    wire.drop_all();
    world_.check_memory_left(*this);
    world_.on_process_end(*this);
}

}  // namespace s3tug::simworld
