#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "support/memory_files.h"
#include "support/sim_s3.h"

namespace s3tug::sim {

/// Time that moves only when the network is polled.
class SimClock final : public port::Clock {
  public:
    Instant now() override { return Instant(hours(1)) + passed; }
    WallTime wall() override { return wall_from_unix_seconds(1'796'000'000) + passed + wall_step; }
    Duration passed{};
    Duration wall_step{};
};

class SimProcesses final : public port::Processes {
  public:
    ProcessId me{100, 1, "boot-a", 1};
    std::vector<int64_t> dead;
    const ProcessId& self() override { return me; }
    Liveness liveness(const ProcessId& other) override;
};

/// What happens to one request on its way.
struct Fate {
    enum class Kind {
        serve,
        answer,        ///< `answer` instead of the store; the store never sees the request
        reset_before,  ///< connection reset before the store saw the request
        reset_after,   ///< the store did it, the answer is lost
        late,          ///< answer lost, and the store does it only `delay` later
        hang,          ///< nothing happens any more
        refuse,        ///< connection refused
        dead_reuse,    ///< the kept connection had died: nothing was sent
        cut,           ///< the answer's body ends after `cut_at` bytes
        flip,          ///< one bit of the answer's body is damaged
    } kind = Kind::serve;
    wire::HttpAnswer answer;
    Duration delay = milliseconds(5);
    std::size_t cut_at = 0;
    /// An answer's body for a sink comes in so many pieces, each with a poll of its own.
    std::size_t pieces = 1;
    Duration piece_every{};
};

struct SeenRequest {
    wire::Op op;
    wire::SignedRequest request;
    Instant at;
    bool fresh_connection = false;
};

class SimNetwork final : public port::Transport {
  public:
    SimNetwork(SimClock& clock, SimS3& store) : clock_(clock), store_(store) {}

    /// Decides the fate of the n-th request (from 1).
    std::function<Fate(std::size_t n, const SeenRequest& seen)> weather;
    std::vector<SeenRequest> seen;
    std::function<void()> on_poll;                       ///< a test may set the stop flag or change the world here
    bool answers_expect = true;                          ///< with 100 Continue
    port::Progress present{port::Phase::waiting, 0, 0};  ///< of every attempt in flight

    void submit(port::Submission submission) override;
    void cancel(port::AttemptId id, wire::TransportCode reason) override;
    std::vector<port::Completion> poll(Instant until) override;
    port::Progress progress(port::AttemptId id) const override;

    /// The client is gone, and its connections with it.
    void drop_all() {
        pending_.clear();
        cancelled_.clear();
    }

    [[nodiscard]] std::size_t count(wire::Op op) const;
    [[nodiscard]] std::size_t in_flight() const { return pending_.size(); }

    /// The process is gone: nobody hears the answers any more. Half of what was on its way still arrives.
    void abandon();

  private:
    struct Pending {
        port::Submission submission;
        Fate fate;
        Instant due;
        bool hangs = false;
        /// An answer whose head the sink has taken, and how much of its body.
        std::optional<wire::HttpAnswer> answer;
        std::string body;
        std::size_t delivered = 0;
        bool cut = false;
        wire::Reply reply;
    };
    /// False: more of the answer comes later.
    bool resolve(Pending& pending);
    bool begin_answer(Pending& pending, wire::HttpAnswer answer);
    bool deliver(Pending& pending);

    SimClock& clock_;
    SimS3& store_;
    std::map<port::AttemptId, Pending> pending_;
    std::vector<port::Completion> cancelled_;
    std::vector<std::pair<Instant, std::function<void()>>> later_;
};

class SimFiles final : public port::Files {
  public:
    struct File {
        std::string bytes;
        int64_t version = 1;  ///< a change of it is a change of mtime
    };
    /// What stands beside a target until it is committed; `locked` while a live process has it open.
    struct Part {
        std::string bytes;
        bool locked = false;
    };
    std::map<std::string, File> files;
    std::map<std::string, Part> parts;  ///< by the target's path
    bool killed = false;                ///< the process is no more: nothing is cleaned up
    uint64_t bytes_written = 0;         ///< to parts
    std::string stdin_bytes;
    std::size_t stdin_read = 0;
    std::string stdout_bytes;
    bool stdout_breaks = false;
    uint64_t room = UINT64_MAX;                                        ///< on the disk
    std::function<void(std::string& part, uint64_t offset)> on_write;  ///< a disk that damages what it gets
    std::function<void(const std::string& path, uint64_t offset)> on_read;
    std::function<void()> on_commit;  ///< before a target is renamed: while its bytes are synced
    /// Why a call on an open file fails, if it does: "stat", "read" (of stdin: "read on"), "reserve", "write",
    /// "truncate", "read back", "commit", and of spool files "open spool", "spool", "read spool".
    std::function<std::optional<Error>(std::string_view call)> trouble;
    [[nodiscard]] std::optional<Error> fails(std::string_view call) const {
        return trouble ? trouble(call) : std::nullopt;
    }
    std::set<std::string> folders;  ///< empty ones; the others are there by what they hold
    Links links;
    std::map<std::string, port::FileType> specials;  ///< pipes and the like
    std::set<std::string> unreadable;                ///< files and folders
    std::size_t open_folders = 0;

    [[nodiscard]] bool is_folder(const std::string& path) const;

    Result<port::FileFacts> stat(const std::string& path) override;
    Result<std::unique_ptr<port::SourceFile>> open_source(const std::string& path) override;
    Result<std::unique_ptr<port::SourceFile>> open_stdin() override;
    Result<std::unique_ptr<port::TargetFile>> open_target(const std::string& path,
                                                          const port::TargetOptions& options) override;
    Result<std::unique_ptr<port::TargetFile>> open_stdout() override;
    Result<std::unique_ptr<port::SpoolFile>> open_spool(const std::string& folder) override;
    Status remove(const std::string& path, const port::FileFacts& seen) override;
    Result<std::unique_ptr<port::Folder>> open_folder(const std::string& path) override;
};

/// In-memory state store whose faults a test can choose.
class SimState final : public port::StateStore {
  public:
    std::map<std::pair<port::Table, std::string>, std::string> records;
    std::size_t writes = 0;
    std::size_t breaker_reads = 0;
    bool broken = false;
    bool killed = false;              ///< the process is no more: nothing is written
    std::function<void()> on_update;  ///< what another process does between our look and our update

    std::optional<std::string> read(port::Table table, std::string_view key) override;
    bool update(port::Table table, std::string_view key, const Step& step) override;
    std::vector<port::StateEntry> list(port::Table table) override;
    bool erase_all(port::Table table) override;
    Status healthy() override;
};

class SimCredentials final : public port::CredentialSource {
  public:
    std::deque<std::string> keys{"AKSIM"};  ///< refresh() moves on to the next
    std::string session_token;
    std::optional<Error> error;
    bool anonymous = false;            ///< --no-sign-request
    std::function<void()> on_current;  ///< while they are fetched
    Result<std::optional<wire::Credentials>> current(WallTime now) override;
    Result<bool> refresh(const wire::Credentials& refused, WallTime now) override;
};

class SimObserver final : public port::Observer {
  public:
    std::vector<port::TraceEvent> events;
    bool wants(port::EventKind) const override { return true; }
    void on(const port::TraceEvent& event) override { events.push_back(event); }
    [[nodiscard]] std::size_t count(port::EventKind kind) const;
};

/// A whole world for one engine test; several runs in it are several processes that share the state.
struct World {
    World();
    /// Gets of two such parts and more are fetched in ranges, a part by each request.
    void in_ranges_of(uint64_t part_bytes);
    SimClock clock;
    SimProcesses processes;
    SimS3 store;
    SimNetwork network{clock, store};
    SimFiles files;
    SimState state;
    SimCredentials credentials;
    SimObserver observer;
    engine::EngineConfig config;
    std::atomic<int> stop{0};
    uint64_t seed = 1;

    std::vector<engine::Outcome> run(const std::vector<engine::Transfer>& items);
    /// All items that a source gives, each with its outcome, in the order of ending.
    std::vector<std::pair<engine::Transfer, engine::Outcome>> run(engine::ItemSource& source);
    engine::Outcome run(const engine::Transfer& item) { return run(std::vector{item}).at(0); }

    /// Runs one item in a process that is killed (SIGKILL) at its n-th poll, from 1. The outcome if it ended before.
    std::optional<engine::Outcome> run_killed_at(std::size_t poll, const engine::Transfer& item);
};

/// With a file of five bytes, /f.
struct FileWorld : World {
    FileWorld() { files.files["/f"].bytes = "bytes"; }
};

[[nodiscard]] engine::Transfer put_of(const std::string& path, const std::string& key);
[[nodiscard]] engine::Transfer get_of(const std::string& key, const std::string& path);
[[nodiscard]] engine::Transfer delete_of(const std::string& key);
[[nodiscard]] engine::Transfer copy_of(const std::string& from, const std::string& to);
[[nodiscard]] engine::Transfer move_of(engine::Transfer transfer);
[[nodiscard]] engine::Transfer keyed(engine::Transfer transfer);  ///< under the idempotency key "job"

[[nodiscard]] Fate status(int code, const std::string& name);
[[nodiscard]] Fate fate(Fate::Kind kind);
[[nodiscard]] Fate with_body(std::string body, int code = 200);
[[nodiscard]] Fate cut(std::size_t at);

/// Did it fail, and with these words?
[[nodiscard]] bool says(const engine::Outcome& outcome, std::string_view words);

}  // namespace s3tug::sim
