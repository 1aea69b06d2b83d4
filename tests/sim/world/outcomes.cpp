#include <algorithm>

#include "sim/world/world.h"

/// What must hold when a process has ended, and what may be the end of a command.
namespace s3tug::simworld {
namespace {

/// Was this the content at some time in [from, to]?
bool was_current(const std::vector<Store::Moment>& history, Instant from, Instant to, const std::string* bytes) {
    for (std::size_t i = 0; i < history.size(); ++i) {
        const Instant until = i + 1 < history.size() ? history[i + 1].at : Instant::max();
        if (history[i].at > to || until < from) continue;
        const bool absent = history[i].blob == nullptr;
        if (bytes == nullptr ? absent : !absent && history[i].blob->bytes == *bytes) return true;
    }
    return bytes == nullptr && (history.empty() || history[0].at > from);
}

}  // namespace

void World::on_process_end(Process& process) {
    ++tally.processes;
    process.ended_at = now();
    hash.add(process.life.calls);
    if (process.life.killed) {
        ++tally.killed;
        say(std::to_string(process.id.pid) + " is killed");
        return;
    }
    if (process.deadline && now() > *process.deadline + limits::deadline_grace + milliseconds(1))
        violated("deadline", "the process ends " + std::to_string(to_ms(now() - *process.deadline)) + " ms after it");
    for (std::size_t i = 0; process.job.tree == nullptr && i < process.job.commands.size(); ++i)
        judge_outcome(process, *process.job.commands[i], process.outcomes[i]);
    if (process.job.tree != nullptr) judge_tree(process, *process.job.tree);
    check_uploads(false);
}

void World::judge_outcome(Process& process, Command& command, const engine::Outcome& outcome) {
    ++(outcome.ok() ? tally.ok : tally.failed);
    ++command.runs;
    command.last = outcome.ok() ? "ok" : std::string(to_string(outcome.error->kind)) + ": " + outcome.error->message;
    say(std::to_string(process.id.pid) + " ends " + item_name(command.transfer) + ": " + command.last +
        (outcome.skipped ? " (skipped)" : "") + (outcome.cached ? " (kept)" : ""));
    hash.add(outcome.ok() ? 0 : 1 + static_cast<uint64_t>(outcome.error->kind));
    hash.add(outcome.attempts);
    command.nothing_sent = outcome.skipped || outcome.cached || !outcome.ok();
    const bool gets = command.transfer.kind == engine::TransferKind::get;
    if (!outcome.ok()) {
        if (gets && outcome.error->kind == ErrorKind::integrity) {
            ++tally.damage_told;
            if (!answer_spoilt && store.history[command.name].size() == 1)
                violated("false-alarm",
                         command.name + ": nothing damages bytes, and they are called so: " + command.last);
        }
        if (outcome.error->message.find("CANARY") != std::string::npos &&
            outcome.error->message.find("AKIDCANARY") == std::string::npos)
            violated("secrets", "in an error: " + outcome.error->message);
        if (outcome.error->kind == ErrorKind::bug) violated("bug", outcome.error->message);
        const bool placed = process.committed.contains(command.local);
        if (placed && command.transfer.then_delete_source) return judge_get(process, command, outcome);
        if (placed) violated("failed-get", command.local + " was replaced by a get that failed: " + command.last);
        return;
    }
    if (outcome.skipped) return;
    const bool puts = command.transfer.kind == engine::TransferKind::put;
    if (puts && outcome.checksum.find('-') != std::string::npos && !outcome.checksum.starts_with("md5:"))
        ++tally.composite_puts;
    if (command.blocked)
        return violated("outside", command.local + " leads elsewhere, and the get says that it is done");
    switch (command.transfer.kind) {
        case engine::TransferKind::put: return judge_put(process, command);
        case engine::TransferKind::get: return judge_get(process, command, outcome);
        case engine::TransferKind::remove: return judge_delete(process, command);
        case engine::TransferKind::copy: return judge_copy(process, command);
        default: return;
    }
}

void World::judge_put(Process& process, Command& command) {
    const auto is_ours = [&](const BlobPtr& blob) {
        if (command.local.empty()) return blob->bytes == command.stream;
        const auto& contents = disk.behind(command.local).contents;
        return std::any_of(contents.begin(), contents.end(), [&](const BlobPtr& c) { return c->bytes == blob->bytes; });
    };
    if (!command.transfer.checksum && damages()) return;
    const std::string wanted = command.local.empty() ? command.stream : disk.behind(command.local).bytes;
    // Without a token an equal object that somebody else has just written is as good as ours: equal to what the file
    // is, or was when it was sent.
    const auto stood = [&](const std::string& bytes) {
        return was_current(store.history[command.name], process.started, now(), &bytes);
    };
    const auto once_stood = [&] {
        const auto& contents = disk.behind(command.local).contents;
        return std::any_of(contents.begin(), contents.end(), [&](const BlobPtr& c) { return stood(c->bytes); });
    };
    const bool theirs = !options.token && (stood(wanted) || (!command.local.empty() && once_stood()));
    if (!theirs && std::none_of(command.written.begin(), command.written.end(), is_ours))
        return violated("ok-means-done", command.name + ": success, and its bytes were never stored");
    const Instant from = command.keyed ? Instant() : process.started;
    const auto overwritten_since = [&](Instant moment) {
        return std::any_of(command.others_wrote_at.begin(), command.others_wrote_at.end(),
                           [&](Instant at) { return at >= moment; });
    };
    if (overwritten_since(from) || command.stray_effect) return;
    // A damaged one of ours, and neither a checksum nor an ETag told; or of another run, which will mend it.
    const bool untold = options.store.refuses_checksums && has(Fault::no_etag_200);
    if (command.damaged_stands && (untold || command.landed.back().pid != process.id.pid)) return;
    const Version* there = store.current(command.name);
    if (there != nullptr && (command.source_changed || there->blob->bytes == wanted)) return;
    // The upload of an earlier run, completed by it: where ListParts is denied and this run's Complete was answered by
    // the same 200 again, nothing tells that somebody wrote since.
    const bool again = completed_again_.contains({process.id.pid, command.name});
    const bool by_earlier_run =
        !command.landed.empty() && std::none_of(command.landed.begin(), command.landed.end(),
                                                [&](const Command::Landed& l) { return l.pid == process.id.pid; });
    const Instant theirs_since = command.landed.empty() ? Instant::max() : command.landed.front().at;
    if (again && by_earlier_run && !options.store.list_parts_allowed && overwritten_since(theirs_since)) {
        ++tally.completed_before;
        return;
    }
    violated("ok-means-done",
             command.name + ": success of " + std::to_string(process.id.pid) + ", and other bytes stand there");
}

void World::judge_get(Process& process, Command& command, const engine::Outcome& outcome) {
    const std::string& got = command.local.empty() ? process.output : process.committed[command.local];
    const bool good = command.reads_version() ? command.version && command.version->bytes == got
                                              : was_current(store.history[command.name], process.started, now(), &got);
    if (outcome.size != got.size()) violated("ok-means-done", command.name + ": tells another size than it got");
    if (outcome.ok()) judge_compared(process, command, outcome, good);
    const bool excused = outcome.checksum.empty() && unproven(store.history[command.name], command.local.empty());
    if (good || excused) return;
    if (command.reads_version())
        violated("version", command.name + ": success, and what came is not version " + command.transfer.version_id);
    else
        violated("ok-means-done", command.name + ": success, and " + std::to_string(got.size()) +
                                      " bytes here that the object was not in that time");
}

/// Success without a comparison is only for what cannot be compared. What it may let through is counted.
void World::judge_compared(const Process& process, const Command& command, const engine::Outcome& outcome, bool good) {
    if (outcome.checksum.find('-') != std::string::npos) ++tally.composite_gets;
    if (!outcome.checksum.empty() || outcome.size == 0 || !command.transfer.checksum) return;
    const bool stream = command.local.empty();
    Provable least = Provable::yes;
    for (const Store::Moment& moment : store.history[command.name]) least = std::max(least, provable(moment, stream));
    if (least == Provable::yes && !has(Fault::no_etag_200))
        violated("not-compared", command.name + ": success of " + std::to_string(process.id.pid) +
                                     ", and nothing was compared, though the store has something and tells it");
    const bool late = least == Provable::told_too_late;
    ++(late ? tally.late_streams : tally.not_compared);
    if (!good) ++(late ? tally.late_damage : tally.damage_unseen);
}

/// Where the store keeps or tells nothing of what an object is, damage on the way is not to be seen.
bool World::unproven(const std::vector<Store::Moment>& moments, bool stream) const {
    return has(Fault::flip_answer) && std::any_of(moments.begin(), moments.end(), [this, stream](const auto& m) {
               return provable(m, stream) != Provable::yes;
           });
}

void World::judge_delete(Process& process, Command& command) {
    if (const std::string& version = command.transfer.version_id; !version.empty()) {
        if (store.version(command.name, version) != nullptr)
            violated("ok-means-done", command.name + ": version " + version + " is deleted, and stands there");
        return;
    }
    const Instant from = command.keyed ? Instant() : process.started;
    if (!was_current(store.history[command.name], from, now(), nullptr))
        violated("ok-means-done", command.name + ": deleted, and it was there all the time");
}

void World::judge_copy(Process& process, Command& command) {
    const Instant from = command.keyed ? Instant() : process.started;
    const auto is_source = [&](const BlobPtr& blob) {
        if (command.reads_version()) return command.version && command.version->bytes == blob->bytes;
        return was_current(store.history[command.source_name], from, now(), &blob->bytes);
    };
    // What stood there already proves a copy as well as the copy itself would.
    const Version* there = store.current(command.name);
    const bool good = (there != nullptr && is_source(there->blob)) ||
                      std::any_of(command.written.begin(), command.written.end(), is_source);
    if (!good) violated("ok-means-done", command.name + ": copied, and the source's bytes never came there");
}

/// The source of a move is gone, and what it was has come to its target.
bool World::came_here(const Command& command) const {
    if (command.transfer.kind == engine::TransferKind::put)
        return disk.find(command.local) == nullptr && !command.written.empty();
    if (command.transfer.kind == engine::TransferKind::copy)
        return store.current(command.source_name) == nullptr && !command.written.empty();
    const Disk::File* const file = disk.find(command.local);
    const auto source = store.history.find(command.name);
    if (store.current(command.name) != nullptr || file == nullptr || source == store.history.end()) return false;
    if (unproven(source->second, false)) return true;
    return std::any_of(source->second.begin(), source->second.end(),
                       [&](const auto& m) { return m.blob && m.blob->bytes == file->bytes; });
}

/// May a command end so when nothing is in its way?
bool World::right_end(const Command& command, const engine::Outcome& outcome) const {
    if (outcome.ok()) return true;
    const engine::Transfer& t = command.transfer;
    if (command.reads_version() && !command.version && outcome.error->kind == ErrorKind::not_found) return true;
    const bool foreign = command.others_wrote || command.stray_effect;
    switch (outcome.error->kind) {
        case ErrorKind::precondition:
            // Somebody's object stands there: another client's, or that of an earlier run of the same command.
            return t.conditions.any() &&
                   (!command.keyed || foreign || command.damaged_stands || command.landed.empty() ||
                    !options.store.head_allowed || options.state_trouble != 0 || !options.token ||
                    t.kind == engine::TransferKind::copy);
        case ErrorKind::not_found:
            // Moved before, by a run that could not tell.
            if (t.then_delete_source && came_here(command)) return true;
            return t.conditions.any();
        case ErrorKind::integrity:
            // Our own damaged object stands in the way of what would mend it.
            return t.conditions.any() && command.damaged_stands;
        case ErrorKind::unsupported:
            return t.conditions.any() || (options.store.bucket == policy::BucketKind::locked) ||
                   (options.store.refuses_checksums && t.checksum_by_user);
        case ErrorKind::refused:
            // A bucket with a lock wants a digest of each object.
            return options.store.bucket == policy::BucketKind::locked && !t.checksum;
        case ErrorKind::access_denied:
            if (!t.version_id.empty() && !command.reads_version() && options.store.retains) return true;
            return !options.store.head_allowed &&
                   (t.kind == engine::TransferKind::copy || t.no_clobber || t.then_delete_source);
        case ErrorKind::outcome_unknown:
            // Nothing there can prove what an earlier run did.
            return !options.store.head_allowed || (!options.token && command.keyed && t.conditions.any());
        case ErrorKind::key_reused: return command.keyed && command.source_changed;
        case ErrorKind::cannot_write: return command.blocked;
        default: return false;
    }
}

}  // namespace s3tug::simworld
