#include "support/sim_world.h"

#include <algorithm>

namespace s3tug::sim {

Liveness SimProcesses::liveness(const ProcessId& other) {
    return std::find(dead.begin(), dead.end(), other.pid) != dead.end() ? Liveness::dead : Liveness::alive;
}

std::optional<std::string> SimState::read(port::Table table, std::string_view key) {
    breaker_reads += table == port::Table::breaker ? 1 : 0;
    const auto found = records.find({table, std::string(key)});
    return found == records.end() ? std::nullopt : std::optional(found->second);
}

bool SimState::update(port::Table table, std::string_view key, const Step& step) {
    if (on_update) on_update();
    const std::optional<std::string> next = step(read(table, key));
    if (!next) return !broken;
    if (killed) return false;
    ++writes;
    if (next->empty())
        records.erase({table, std::string(key)});
    else
        records[{table, std::string(key)}] = *next;
    return !broken;
}

std::vector<port::StateEntry> SimState::list(port::Table table) {
    std::vector<port::StateEntry> out;
    for (const auto& [key, value] : records) {
        if (key.first == table) out.push_back({key.second, value, {}});
    }
    return out;
}

bool SimState::erase_all(port::Table table) {
    std::erase_if(records, [&](const auto& entry) { return entry.first.first == table; });
    return true;
}

Status SimState::healthy() {
    if (broken) return Error{ErrorKind::state_file, "the state file is broken"};
    return {};
}

Result<std::optional<wire::Credentials>> SimCredentials::current(WallTime) {
    if (on_current) on_current();
    if (error) return *error;
    if (anonymous) return std::optional<wire::Credentials>();
    wire::Credentials credentials;
    credentials.access_key_id = keys.front();
    credentials.secret_access_key = "secret";
    credentials.session_token = session_token;
    return std::optional(credentials);
}

Result<bool> SimCredentials::refresh(const wire::Credentials&, WallTime) {
    if (keys.size() < 2) return false;
    keys.pop_front();
    return true;
}

std::size_t SimObserver::count(port::EventKind kind) const {
    return static_cast<std::size_t>(
        std::count_if(events.begin(), events.end(), [&](const auto& e) { return e.kind == kind; }));
}

World::World() {
    config.endpoint = wire::parse_endpoint("http://store.test:9000", "us-east-1", wire::Addressing::automatic).value();
    config.spool_folder = "/spool";
}

void World::in_ranges_of(uint64_t part_bytes) {
    config.download.part_bytes = part_bytes;
    config.download.threshold = 2 * part_bytes;
    config.download.parts_per_request = 1;
}

std::vector<engine::Outcome> World::run(const std::vector<engine::Transfer>& items) {
    engine::Engine engine({clock, processes, network, files, state, credentials, observer}, config, Rng(seed++));
    return engine.run(items, {}, stop);
}

std::vector<std::pair<engine::Transfer, engine::Outcome>> World::run(engine::ItemSource& source) {
    std::vector<std::pair<engine::Transfer, engine::Outcome>> out;
    engine::Engine engine({clock, processes, network, files, state, credentials, observer}, config, Rng(seed++));
    engine.run(
        source,
        [&out](const engine::Transfer& item, const engine::Outcome& outcome) { out.emplace_back(item, outcome); },
        stop);
    return out;
}

std::optional<engine::Outcome> World::run_killed_at(std::size_t poll, const engine::Transfer& item) {
    struct Killed {};
    std::size_t polls = 0;
    network.on_poll = [&] {
        if (++polls < poll) return;
        files.killed = true;
        state.killed = true;
        throw Killed{};
    };
    std::optional<engine::Outcome> outcome;
    try {
        outcome = run(item);
    } catch (const Killed&) {
        for (auto& [path, part] : files.parts) part.locked = false;
    }
    network.on_poll = nullptr;
    network.drop_all();
    files.killed = false;
    state.killed = false;
    return outcome;
}

engine::Transfer put_of(const std::string& path, const std::string& key) {
    engine::Transfer item;
    item.kind = engine::TransferKind::put;
    item.local = {path == "-" ? engine::LocalEnd::Kind::stdio : engine::LocalEnd::Kind::path, path};
    item.target = {"b", key};
    item.idempotency_keep = seconds(3600);
    return item;
}

engine::Transfer get_of(const std::string& key, const std::string& path) {
    engine::Transfer item;
    item.kind = engine::TransferKind::get;
    item.local = {path == "-" ? engine::LocalEnd::Kind::stdio : engine::LocalEnd::Kind::path, path};
    item.source = {"b", key};
    return item;
}

engine::Transfer delete_of(const std::string& key) {
    engine::Transfer item;
    item.kind = engine::TransferKind::remove;
    item.target = {"b", key};
    item.idempotency_keep = seconds(3600);
    return item;
}

engine::Transfer copy_of(const std::string& from, const std::string& to) {
    engine::Transfer item;
    item.kind = engine::TransferKind::copy;
    item.source = {"b", from};
    item.target = {"b", to};
    item.idempotency_keep = seconds(3600);
    return item;
}

Fate status(int code, const std::string& name) {
    Fate out;
    out.kind = Fate::Kind::answer;
    out.answer = SimS3::error(code, name);
    return out;
}

Fate fate(Fate::Kind kind) {
    Fate out;
    out.kind = kind;
    return out;
}

Fate with_body(std::string body, int code) {
    Fate out = status(code, "");
    out.answer.body = std::move(body);
    return out;
}

Fate cut(std::size_t at) {
    Fate out = fate(Fate::Kind::cut);
    out.cut_at = at;
    return out;
}

engine::Transfer move_of(engine::Transfer transfer) {
    transfer.then_delete_source = true;
    return transfer;
}

engine::Transfer keyed(engine::Transfer transfer) {
    transfer.idempotency_key = "job";
    return transfer;
}

bool says(const engine::Outcome& outcome, std::string_view words) {
    return !outcome.ok() && outcome.error->message.find(words) != std::string::npos;
}

}  // namespace s3tug::sim
