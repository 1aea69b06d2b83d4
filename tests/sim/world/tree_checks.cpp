#include <algorithm>

#include "sim/world/tree.h"
#include "sim/world/world.h"

/// What must hold of commands over many files or objects.
namespace s3tug::simworld {
namespace {

const std::string& source_of(const Command& member) {
    return member.source_name.empty() ? member.name : member.source_name;
}

bool is_put(const Command& command) { return command.transfer.kind == engine::TransferKind::put; }

}  // namespace

Command* World::member_of(const Process& process, const std::string& name, bool or_source) {
    for (Command* const command : process.job.commands) {
        if (command->name == name) return command;
        if (or_source && command->transfer.then_delete_source && command->source_name == name) return command;
    }
    return nullptr;
}

void World::on_item_end(Process& process, const engine::Transfer& item, const engine::Outcome& outcome) {
    if (process.life.killed) return;
    const wire::S3Uri& uri = item.kind == engine::TransferKind::get ? item.source : item.target;
    Command* const member =
        item.kind == engine::TransferKind::list ? nullptr : member_of(process, uri.bucket + "/" + uri.key, false);
    if (member == nullptr) {
        hash.add(outcome.ok() ? 0 : 1 + static_cast<uint64_t>(outcome.error->kind));
        if (outcome.ok()) return violated("outside", engine::item_name(item) + " is done, and nobody asked for it");
        const std::string name = uri.bucket + "/" + uri.key;
        if (item.kind == engine::TransferKind::put && process.job.tree->broken.contains(name)) {
            process.broken_told.insert(name);
            ++tally.broken_links;
            return;
        }
        say(std::to_string(process.id.pid) + " ends " + engine::item_name(item) + ": " + outcome.error->message);
        process.others_failed.push_back(outcome);
        return;
    }
    const bool again =
        std::any_of(process.ends.begin(), process.ends.end(), [&](const auto& end) { return end.first == member; });
    if (again) violated("item-twice", engine::item_name(item) + " is told of twice");
    ++tally.tree_items;
    process.ends.emplace_back(member, outcome);
    judge_outcome(process, *member, outcome);
}

/// Would a user see exit 0?
bool World::all_done(const Process& process) const {
    const bool stopped = process.stop != 0 || (process.deadline && now() >= *process.deadline);
    return !stopped && process.others_failed.empty() &&
           std::all_of(process.ends.begin(), process.ends.end(), [](const auto& end) { return end.second.ok(); });
}

void World::judge_tree(Process& process, Tree& tree) {
    const bool done = all_done(process);
    tree.last = done ? "ok" : "not all done";
    for (const engine::Outcome& outcome : process.others_failed) {
        tree.last = outcome.error->message;
        if (outcome.error->kind == ErrorKind::bug) violated("bug", outcome.error->message);
    }
    for (const auto& [member, outcome] : process.ends) {
        if (!outcome.ok()) tree.last = member->last;
    }
    say(std::to_string(process.id.pid) + " ends " + tree.text() + ": " + tree.last);
    for (const std::string& name : tree.broken) {
        if (done && !process.broken_told.contains(name))
            violated("tree-incomplete", tree.text() + ": not a word of the link " + name);
    }
    for (Command* const member : tree.members) {
        const auto end = std::find_if(process.ends.begin(), process.ends.end(),
                                      [member = member](const auto& e) { return e.first == member; });
        if (end != process.ends.end()) continue;
        member->nothing_sent = true;
        if (process.committed.contains(member->local))
            violated("failed-get", member->local + " was replaced by a get that was never told of");
        if (!done) continue;
        // Success, and not a word of something that was there all the time: a listing cut short, a folder not read.
        const bool there = is_put(*member) ? disk.stood_since(member->local, process.started)
                                           : store.stood_since(source_of(*member), process.started);
        if (there || tree.naming == Tree::Naming::list)
            violated("tree-incomplete", tree.text() + ": success, and " + member->name + " was left out");
    }
}

/// A local file that goes: its bytes are, or were, in the store.
void World::on_remove(Process& process, const std::string& path) {
    say(std::to_string(process.id.pid) + " removes " + path);
    for (const Command* member : process.job.commands) {
        if (member->local != path || !is_put(*member) || !member->transfer.then_delete_source) continue;
        if (!member->transfer.checksum && damages()) return;
        const std::string& gone = disk.behind(path).bytes;
        const std::vector<Store::Moment>& moments = store.history[member->name];
        const bool kept =
            std::any_of(moments.begin(), moments.end(), [&](const auto& m) { return m.blob && m.blob->bytes == gone; });
        if (!kept) violated("move", path + " is removed, and its bytes are not at " + member->name);
        return;
    }
    violated("outside", path + " is removed, and nobody asked for it");
}

/// May the run of a tree end so when nothing is in its way?
bool World::right_end(const Process& process, const Tree& tree) const {
    const auto nothing_there = [&](const engine::Outcome& outcome) {
        return outcome.error->kind == ErrorKind::not_found && tree.common.kind != engine::TransferKind::put &&
               (tree.common.kind == engine::TransferKind::remove || tree.common.then_delete_source) &&
               std::all_of(tree.members.begin(), tree.members.end(),
                           [&](const Command* m) { return store.current(source_of(*m)) == nullptr; });
    };
    return std::all_of(process.others_failed.begin(), process.others_failed.end(), nothing_there) &&
           std::all_of(process.ends.begin(), process.ends.end(),
                       [&](const auto& end) { return right_end(*end.first, end.second); });
}

void World::live_through(Tree& tree) {
    for (unsigned i = 1; i <= reruns_max; ++i) {
        timeline.pass_until(now() + minutes(6));
        Job job;
        job.commands = tree.members;
        job.tree = &tree;
        const Process& process = start(std::move(job));
        run_processes();
        drain();
        tally.reruns_most = std::max<uint64_t>(tally.reruns_most, i);
        if (right_end(process, tree)) return;
    }
    violated("liveness",
             tree.text() + " is not done after " + std::to_string(reruns_max) + " runs without faults: " + tree.last);
}

}  // namespace s3tug::simworld
