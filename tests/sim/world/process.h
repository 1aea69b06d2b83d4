#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "sim/world/border.h"
#include "sim/world/fiber.h"
#include "sim/world/network.h"
#include "sim/world/options.h"
#include "sim/world/stream_memory.h"

namespace s3tug::simworld {

class World;
struct Command;
struct Tree;

/// Thrown out of the engine when its process is killed. Nothing that the unwinding does has an effect.
struct Killed {};

enum class Call : uint8_t { submit, open, read, write, commit, state, credentials };
inline constexpr std::size_t call_count = 7;

/// How many calls a process has made, and what becomes of the next one: the one place where faults enter.
struct Life {
    World* world = nullptr;
    int64_t pid = 0;
    bool killed = false;
    uint64_t calls = 0;
    uint64_t die_at = 0;  ///< the process is killed at this call; 0: never
    /// Instead of chance: how call number `n` (from 1, of all kinds) fails; 0: not at all.
    std::function<unsigned(Call kind, uint64_t n)> script;
    std::map<uint64_t, wire::Op> requests;  ///< with a script: what its submits were

    /// 0: it works. False in `killed` afterwards means that it had its effect before the end.
    [[nodiscard]] unsigned way(Call kind);
    /// The same for chance: true where this call is to fail, with so many per mille.
    [[nodiscard]] bool fails(Call kind, unsigned per_mille);
};

/// What one process was told to do. Several items are one `engine.run`.
struct Job {
    std::vector<Command*> commands;
    Tree* tree = nullptr;  ///< then `commands` are its members, and its source of items says what is done
    Duration start{};
    uint64_t die_at = 0;
    std::optional<Duration> deadline;
    Duration interrupt_after{};  ///< SIGTERM; zero: none
    bool other_container = false;
    std::function<unsigned(Call, uint64_t)> script;
};

class ProcessClock final : public port::Clock {
  public:
    explicit ProcessClock(World& world) : world_(world) {}
    Instant now() override;
    WallTime wall() override;

  private:
    World& world_;
};

class ProcessView final : public port::Processes {
  public:
    ProcessView(World& world, const ProcessId& id) : world_(world), id_(id) {}
    const ProcessId& self() override { return id_; }
    Liveness liveness(const ProcessId& other) override;

  private:
    World& world_;
    const ProcessId& id_;
};

/// The shared state file as one process sees it. What could not be recorded stays in its own memory.
class StateView final : public port::StateStore {
  public:
    StateView(World& world, Life& life) : world_(world), life_(life) {}
    std::optional<std::string> read(port::Table table, std::string_view key) override;
    bool update(port::Table table, std::string_view key, const Step& step) override;
    std::vector<port::StateEntry> list(port::Table table) override;
    bool erase_all(port::Table) override { return true; }
    Status healthy() override { return {}; }
    [[nodiscard]] bool lost_any() const { return !own_.empty(); }

  private:
    World& world_;
    Life& life_;
    std::map<std::pair<port::Table, std::string>, std::string> own_;
};

class Keys final : public port::CredentialSource {
  public:
    Keys(World& world, Life& life);
    Result<std::optional<wire::Credentials>> current(WallTime now) override;
    Result<bool> refresh(const wire::Credentials& refused, WallTime now) override;

  private:
    World& world_;
    Life& life_;
    std::string key_;
};

/// Hears every event: hashes it, and hands it to the checks.
class Ear final : public port::Observer {
  public:
    Ear(World& world, const class Process& process) : world_(world), process_(process) {}
    bool wants(port::EventKind kind) const override;
    void on(const port::TraceEvent& event) override;

  private:
    World& world_;
    const class Process& process_;
};

class Process {
  public:
    Process(World& world, int64_t pid, Job job);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    void resume() { fiber_.resume(); }
    [[nodiscard]] bool ended() const { return fiber_.ended(); }
    [[nodiscard]] bool alive() const { return !ended() && !life.killed && begun; }

    void wait_until(Instant then);  ///< from inside
    void pause();                   ///< lets others go on at this moment, now and then

    Account& account = Account::open();   ///< of its engine
    std::size_t memory_limit_before = 0;  ///< at the last look
    std::set<std::string> unserved;       ///< what was asked for and not yet answered well
    std::size_t begun_items = 0;          ///< of a tree, under way
    Job job;
    ProcessId id;
    Life life;
    Instant wake{};
    Instant started{};
    Instant ended_at = Instant::max();
    std::optional<Instant> deadline;
    bool begun = false;
    uint64_t polls = 0;
    std::atomic<int> stop{0};
    std::vector<engine::Outcome> outcomes;
    std::vector<std::pair<Command*, engine::Outcome>> ends;  ///< of a tree: of its members, as they ended
    std::vector<engine::Outcome> others_failed;              ///< of a tree: a listing, a folder, a list
    std::set<std::string> broken_told;                       ///< of a tree: the links among them that lead nowhere
    std::map<std::string, std::string> committed;            ///< bytes by path
    std::string output;                                      ///< stdout
    StreamMemory memory;
    engine::EngineConfig config;
    ProcessClock clock;
    ProcessView view;
    StateView state;
    Keys keys;
    Ear ear;
    std::unique_ptr<port::Files> files;
    Wire wire;

  private:
    void run();
    void run_tree(engine::Engine& engine, port::Files& border);
    World& world_;
    Fiber fiber_;
};

/// Files of one process over the world's disk (disk.cpp).
[[nodiscard]] std::unique_ptr<port::Files> make_files(World& world, Process& process);

}  // namespace s3tug::simworld
