#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "port/state_store.h"
#include "sim/world/command.h"
#include "sim/world/disk.h"
#include "sim/world/options.h"
#include "sim/world/plan.h"
#include "sim/world/process.h"
#include "sim/world/store.h"
#include "sim/world/timeline.h"
#include "sim/world/tree.h"

namespace s3tug::simworld {

struct Violation {
    std::string check;
    std::string what;
};

/// What was counted in one run, or in many.
struct Tally {
    uint64_t commands = 0, processes = 0, killed = 0, ok = 0, failed = 0, requests = 0, faults = 0, effects = 0;
    uint64_t completed_before = 0;  ///< by an earlier run, where no question but Complete is answered, and overwritten
    uint64_t late_commits = 0;      ///< a second effect, the first having landed after our last look
    uint64_t taken_unasked = 0;     ///< a second effect, the first one's process being believed dead
    uint64_t unproven_repeats = 0;  ///< a second effect where nothing can prove the first
    uint64_t reruns_most = 0;       ///< that a command needed without faults
    uint64_t uploads_waiting = 0;   ///< known, and the last run of the command had nothing to upload
    uint64_t orphans_unlisted = 0;  ///< of a lost Create, where uploads cannot be listed
    uint64_t trees = 0;             ///< of the commands
    uint64_t tree_items = 0;        ///< ends of their items
    uint64_t linked = 0;            ///< commands that read through a symbolic link
    uint64_t broken_links = 0;      ///< told by runs of trees
    uint64_t version_deletes = 0;   ///< commands
    uint64_t versions_removed = 0;
    uint64_t version_reads = 0;  ///< commands
    uint64_t linked_gets = 0;    ///< commands that write through a symbolic link
    uint64_t blocked_gets = 0;   ///< or would, if it did not lead out of the tree or nowhere
    uint64_t held_most = 0;      ///< bytes of one stream in memory
    uint64_t spooled_most = 0;
    uint64_t composite_gets = 0;    ///< ended well, held against a checksum of the parts' checksums
    uint64_t damage_told = 0;       ///< gets that ended as damaged
    uint64_t not_compared = 0;      ///< gets that ended well where the store has or tells nothing to hold them against
    uint64_t damage_unseen = 0;     ///< of these, other bytes than the object's
    uint64_t late_streams = 0;      ///< streams that ended well, whose sizes of parts were told too late
    uint64_t late_damage = 0;       ///< of these, other bytes than the object's
    uint64_t composite_puts = 0;    ///< uploads that ended well and told such a checksum
    uint64_t wide = 0;              ///< runs with a tree and a transfer that are large
    uint64_t engine_held_most = 0;  ///< bytes that one engine had allocated
    uint64_t engine_peak_most = 0;  ///< within a turn
    uint64_t engine_fullest = 0;    ///< per cent of its limit
    void add(const Tally& other);
};

/// Can it be told whether these are the bytes?
enum class Provable : uint8_t {
    yes,
    nothing_kept,   ///< neither a checksum nor an MD5
    not_told,       ///< the sizes of the parts
    told_too_late,  ///< of a stream, where first and last part look even and another is not
};

/// One run: the world, and the checks that watch it.
class World {
  public:
    explicit World(const SimOptions& options);
    ~World();

    void run();     ///< both phases
    void finish();  ///< the phase without faults: all commands are run until they are done
    /// Runs these processes to their end, and the timeline as far as they need it.
    Process& start(Job job);
    void run_processes();
    void drain();  ///< what is on its way still arrives

    // For the ports.
    [[nodiscard]] Instant now() const { return timeline.now(); }
    [[nodiscard]] WallTime wall() const { return timeline.wall() + wall_step; }  ///< this machine's, not the store's
    [[nodiscard]] std::string boot() const { return "boot-" + std::to_string(boots); }
    void reboot();
    [[nodiscard]] uint64_t up_to(uint64_t most) { return rng_.up_to(most); }
    [[nodiscard]] bool per_mille(unsigned n) { return n != 0 && rng_.up_to(999) < n; }
    [[nodiscard]] Duration delay(int64_t most_ms) {
        return microseconds(static_cast<int64_t>(rng_.up_to(static_cast<uint64_t>(most_ms * 1000)))) * options.slow;
    }
    [[nodiscard]] Duration late();
    [[nodiscard]] uint64_t next_serial() { return ++serials_; }
    [[nodiscard]] Fault draw_fault();
    [[nodiscard]] unsigned disk_full() const { return faults_on ? options.disk_full_per_mille : 0; }
    [[nodiscard]] unsigned read_trouble() const { return faults_on ? options.read_trouble : 0; }
    [[nodiscard]] unsigned state_trouble() const { return faults_on ? options.state_trouble : 0; }
    [[nodiscard]] std::string_view stdin_of(const Process& process) const;
    [[nodiscard]] bool held_by_other(const std::string& part, const Process& process) const;
    [[nodiscard]] const Process* process(int64_t pid) const;

    // What happens, told to the checks (checks.cpp).
    void on_submit(Process& process, const Attempt& attempt);
    void on_attempt_end(const Attempt& attempt);
    void before_poll(Process& process);
    void before_wait(const Process& process, Instant until);
    void on_commit(Process& process, const std::string& path, const std::string& bytes);
    void on_event(const Process& process, const port::TraceEvent& event);
    void on_state(port::Table table, std::string_view key, std::string_view value);
    void on_effect(const Effect& effect);
    void on_look(uint64_t request, const std::string& name);
    void on_process_end(Process& process);
    void on_item_end(Process& process, const engine::Transfer& item, const engine::Outcome& outcome);
    void on_remove(Process& process, const std::string& path);
    void check_memory(const Process& process);       ///< of streams
    void check_engine_memory(Process& process);      ///< of all that its engine allocates
    void check_memory_left(const Process& process);  ///< its engine is gone
    void violated(std::string_view check, std::string what);

    const SimOptions options;
    Timeline timeline;
    Store store;
    Disk disk;
    std::map<std::pair<port::Table, std::string>, std::string> records;
    std::vector<std::unique_ptr<Command>> commands;  ///< members of trees too
    std::vector<std::unique_ptr<Tree>> trees;
    std::vector<std::unique_ptr<Process>> processes;
    std::set<uint64_t> damaged;  ///< requests that something on the way changed
    bool faults_on = true;
    Duration wall_step{};
    unsigned boots = 1;
    bool verbose = false;
    std::vector<Violation> violations;
    bool answer_spoilt = false;  ///< some object came damaged, or without its ETag
    Tally tally;
    TraceHash hash;
    std::string key_now = "AKIDCANARY0";  ///< what the credential source has to give

    void say(const std::string& line) const;

  private:
    friend class Plan;
    void safety_phase();
    void live_through(Command& command);
    void live_through(Tree& tree);
    [[nodiscard]] Job some_job(Duration& first_start, bool first);
    [[nodiscard]] bool right_end(const Process& process, const Tree& tree) const;
    [[nodiscard]] bool all_done(const Process& process) const;
    void judge_tree(Process& process, Tree& tree);
    /// What of the process's commands this object belongs to.
    [[nodiscard]] static Command* member_of(const Process& process, const std::string& name, bool or_source);
    [[nodiscard]] bool came_here(const Command& command) const;
    [[nodiscard]] Provable provable(const Store::Moment& moment, bool stream) const;
    [[nodiscard]] bool unproven(const std::vector<Store::Moment>& moments, bool stream) const;
    void judge_compared(const Process& process, const Command& command, const engine::Outcome& outcome, bool good);
    [[nodiscard]] bool right_end(const Command& command, const engine::Outcome& outcome) const;
    void judge_outcome(Process& process, Command& command, const engine::Outcome& outcome);
    void judge_put(Process& process, Command& command);
    void judge_get(Process& process, Command& command, const engine::Outcome& outcome);
    void judge_delete(Process& process, Command& command);
    void judge_copy(Process& process, Command& command);
    void judge_landing(Command& command, const Effect& effect, const Sent& sent);
    void judge_removal(const Command& command, const Effect& effect);
    /// The work under the command's key went from one process to the other by way of a takeover from a process that
    /// could not be asked whether it lives.
    [[nodiscard]] bool taken_unasked(const Command& command, int64_t from, int64_t to) const;
    [[nodiscard]] bool excused(const Command& command, const Command::Landed& before, const Sent& sent);
    [[nodiscard]] std::size_t memory_limit(const Process& process);
    void check_uploads(bool final);
    void check_losses();
    [[nodiscard]] bool known_to_state(const std::string& id, const Upload& upload) const;
    [[nodiscard]] bool named_in_state(const std::string& upload_id) const;
    void check_breaker(const Process& process, const Attempt& attempt);
    [[nodiscard]] bool in_outage() const;
    [[nodiscard]] bool damages() const;  ///< bytes on their way there
    [[nodiscard]] bool has(Fault fault) const { return options.per_mille[static_cast<std::size_t>(fault)] != 0; }

    static constexpr unsigned reruns_max = 6;
    Rng rng_;
    uint64_t serials_ = 0;
    int64_t pids_ = 1000;
    std::vector<std::pair<Instant, Instant>> outages_;
    std::map<uint64_t, Sent> sent_;
    std::set<std::pair<int64_t, std::string>> completed_again_;        ///< who heard so, and of what
    std::map<std::string, std::vector<int64_t>, std::less<>> owners_;  ///< of idempotency keys, one after the other
    struct Look {
        Instant at;
        int64_t pid;
        bool served;  ///< else: sent
    };
    std::map<std::string, std::vector<Look>> looks_;  ///< HEADs, by object
};

[[nodiscard]] engine::EngineConfig make_config(const SimOptions& options);

}  // namespace s3tug::simworld
