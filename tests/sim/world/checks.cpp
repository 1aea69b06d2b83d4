#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "engine/upload_record.h"
#include "policy/breaker.h"
#include "policy/idempotency.h"
#include "sim/world/world.h"

/// What must hold at each moment.
namespace s3tug::simworld {
namespace {

constexpr std::array<std::string_view, 2> canaries{"SECRETCANARY", "TOKENCANARY"};

bool is_landing(wire::Op op) {
    return op == wire::Op::put_object || op == wire::Op::copy_object || op == wire::Op::delete_object ||
           op == wire::Op::complete_multipart_upload || op == wire::Op::delete_objects;
}

/// Does the client hear what the store answers?
bool is_answered(Fault fault) {
    switch (fault) {
        case Fault::reset_after:
        case Fault::fin_after:
        case Fault::second_send_after:
        case Fault::hang_after:
        case Fault::late:
        case Fault::cut_answer:
        case Fault::no_etag_200:
        case Fault::stall_answer: return false;
        default: return !has_effect(fault);
    }
}

/// "b/k" of the object that a request is about.
std::string name_of(std::string_view url) {
    const std::size_t path = url.find('/', url.find("://") + 3) + 1;
    return percent_decode(url.substr(path, std::min(url.find('?'), url.size()) - path)).value();
}

}  // namespace

void World::violated(std::string_view check, std::string what) {
    say("VIOLATED " + std::string(check) + ": " + what);
    violations.push_back({std::string(check), std::move(what)});
}

void World::check_breaker(const Process& process, const Attempt& attempt) {
    if (!options.breaker || process.state.lost_any()) return;
    for (auto it = records.lower_bound({port::Table::breaker, ""});
         it != records.end() && it->first.first == port::Table::breaker; ++it) {
        const auto record = policy::decode_breaker(it->second);
        if (!record || record->state == policy::BreakerState::closed) continue;
        const bool permitted = std::any_of(record->permits.begin(), record->permits.end(),
                                           [&](const policy::Permit& p) { return p.owner == process.id; });
        // A run that has just seen it closed believes that for a moment.
        if (now() - record->changed_at < limits::breaker_reread) continue;
        if (record->state == policy::BreakerState::open || !permitted)
            violated("breaker", std::string(wire::to_string(attempt.submission.request.op)) + " by " +
                                    std::to_string(process.id.pid) + " while it is " +
                                    std::string(policy::to_string(record->state)));
    }
}

void World::on_submit(Process& process, const Attempt& attempt) {
    ++tally.requests;
    if (attempt.fault != Fault::none) ++tally.faults;
    const wire::SignedRequest& request = attempt.submission.request;
    Sent sent;
    sent.pid = process.id.pid;
    sent.op = request.op;
    sent.fault = attempt.fault;
    sent.submitted = now();
    sent.command = member_of(process, name_of(request.url), false);
    hash.add(now());
    hash.add(request.url);
    hash.add(static_cast<uint64_t>(attempt.fault));
    say(std::to_string(process.id.pid) + " #" + std::to_string(attempt.serial) + " " +
        std::string(wire::to_string(request.op)) + " " + request.url.substr(request.url.find('/', 8)) + " [" +
        std::string(to_string(attempt.fault)) + "]");
    const bool by_version = request.url.find("versionId=") != std::string::npos;  // says nothing of what is the newest
    if (request.op == wire::Op::head_object && sent.command != nullptr && !by_version)
        looks_[sent.command->name].push_back({now(), sent.pid, false});
    sent_[attempt.serial] = sent;
    check_breaker(process, attempt);
    if (process.wire.in_flight() >= options.concurrency)
        violated("concurrency", std::to_string(process.wire.in_flight() + 1) + " requests in flight");
    if (process.deadline && now() > *process.deadline + limits::deadline_grace)
        violated("deadline", "a request is sent after the deadline and its grace");
}

void World::on_attempt_end(const Attempt& attempt) {
    sent_[attempt.serial].ended = now();
    const wire::HttpAnswer* answer = attempt.reply.answer();
    hash.add(answer != nullptr ? static_cast<uint64_t>(answer->status) : 0);
    if (verbose) {
        const auto* failure = attempt.reply.failure();
        say("      #" + std::to_string(attempt.serial) + " -> " +
            (answer != nullptr ? std::to_string(answer->status) + " " + answer->body.substr(0, 60)
                               : "transport " + std::to_string(static_cast<int>(failure->code))));
    }
}

void World::before_poll(Process& process) {
    if (process.life.killed) throw Killed{};
    if (++process.polls > 200'000) {
        violated("hang", "a process polls without an end");
        process.life.killed = true;
        throw Killed{};
    }
    if (now() - process.started > hours(24)) {
        violated("hang", "a process runs for a day");
        process.life.killed = true;
        throw Killed{};
    }
}

void World::before_wait(const Process& process, Instant until) {
    if (process.deadline && until > *process.deadline + limits::deadline_grace + milliseconds(1) && until > now())
        violated("deadline", "a wait goes beyond the deadline and its grace");
}

void World::on_commit(Process& process, const std::string& path, const std::string& bytes) {
    process.committed[path] = bytes;
    const Tree* const tree = process.job.tree;
    const std::string real = disk.real_path(path);
    if (tree != nullptr && !real.starts_with(disk.real_path(tree->folder.substr(0, tree->folder.size() - 1)) + "/"))
        violated("outside", path + " leads to " + real + ", out of the folder that was named");
    disk.set(path, make_blob(bytes), now());
    const auto wanted = [&](const Command* command) { return command->local == path; };
    if (std::none_of(process.job.commands.begin(), process.job.commands.end(), wanted))
        violated("outside", path + " is written, and nobody asked for it");
    say(std::to_string(process.id.pid) + " commits " + path + ", " + std::to_string(bytes.size()) + " bytes");
}

void World::on_event(const Process& process, const port::TraceEvent& event) {
    hash.add(static_cast<uint64_t>(event.kind));
    hash.add(event.attempt);
    if (event.kind == port::EventKind::attempt && event.attempt > options.retries + 1 && event.op != "HeadObject")
        violated("attempts", event.item + " " + event.op + ": attempt " + std::to_string(event.attempt) + " of " +
                                 std::to_string(options.retries + 1));
    constexpr Duration longest = limits::backoff_max_default + limits::backoff_base * 2 + limits::retry_after_max +
                                 limits::amz_retry_after_span + minutes(2);  // and what an empty budget asks for
    if (event.wait && *event.wait > longest) violated("waits", event.item + ": " + event.why);
    if (event.wait && process.deadline && now() + *event.wait > *process.deadline)
        violated("deadline", event.item + " waits beyond it: " + event.why);
    if (event.budget && *event.budget < -limits::budget_tokens - limits::budget_cost_transient)
        violated("budget", "tokens " + std::to_string(*event.budget));
    if (verbose && event.kind != port::EventKind::attempt)
        say("      " + std::string(port::to_string(event.kind)) + " " + event.op + " " + event.next + " " + event.why);
    if (event.kind == port::EventKind::headers) return;  // redacted by the printer
    for (const std::string_view canary : canaries) {
        for (const std::string* field : {&event.item, &event.op, &event.code, &event.why, &event.next, &event.peer,
                                         &event.request_id, &event.breaker, &event.cls}) {
            if (field->find(canary) != std::string::npos) violated("secrets", "in a trace: " + *field);
        }
    }
}

void World::on_state(port::Table table, std::string_view key, std::string_view value) {
    if (table == port::Table::idempotency) {
        const auto record = policy::decode_key_record(value);
        std::vector<int64_t>& owners = owners_[std::string(key)];
        if (record && (owners.empty() || owners.back() != record->owner.pid)) owners.push_back(record->owner.pid);
    }
    hash.add(key);
    if (verbose) say("      state " + printable(key, 80) + " = " + printable(value, 400));
    for (const std::string_view canary : canaries) {
        if (key.find(canary) != std::string_view::npos || value.find(canary) != std::string_view::npos)
            violated("secrets", "in the state file");
    }
}

void World::on_look(uint64_t request, const std::string& name) {
    const Sent& sent = sent_[request];
    const bool heard = is_answered(sent.fault) && sent.ended == Instant::max();  // not what comes twice, later
    if (heard) looks_[name].push_back({now(), sent.pid, true});
}

bool World::taken_unasked(const Command& command, int64_t from, int64_t to) const {
    std::string key = command.transfer.idempotency_key;
    if (command.tree != nullptr) {
        key.append(" s3://").append(command.transfer.target.bucket).append("/");
        key += percent_encode(command.transfer.target.key, Slash::keep);
    }
    const auto found = owners_.find(key);
    if (from == to || found == owners_.end()) return false;
    bool after = false;
    bool unasked = false;
    for (std::size_t i = 0; i < found->second.size(); ++i) {
        const int64_t owner = found->second[i];
        if (after) {
            const Process* last = process(found->second[i - 1]);
            unasked |= last->id.pid_namespace != process(owner)->id.pid_namespace;
            if (owner == to && unasked) return true;
        }
        if (owner != from) continue;
        after = true;
        unasked = false;
    }
    return false;
}

/// A second effect of what was to be done once: could it have been avoided?
bool World::excused(const Command& command, const Command::Landed& before, const Sent& sent) {
    const Sent& first = sent_[before.request];
    const bool same_process = before.pid == sent.pid;
    // Another client's write hid the first from the look.
    if (std::any_of(command.others_wrote_at.begin(), command.others_wrote_at.end(),
                    [&](Instant at) { return at >= before.at && at <= sent.submitted; })) {
        return true;
    }
    const Process* one = process(before.pid);
    const Process* other = process(sent.pid);
    if (one->state.lost_any() || other->state.lost_any()) return true;
    // Nobody can ask a process of another container whether it lives, so one was believed to be dead and was not.
    const bool overlap = one->ended_at > other->started && other->ended_at > one->started;
    if (overlap && (taken_unasked(command, before.pid, sent.pid) || taken_unasked(command, sent.pid, before.pid))) {
        ++tally.taken_unasked;
        return true;
    }
    // Sent before the other one landed: the client looked in vain, or is somebody else's.
    if (before.at >= sent.submitted || sent.submitted < first.submitted) {
        ++tally.late_commits;
        return true;
    }
    bool tried = false;
    bool looked = false;
    bool in_vain = false;  // before it landed
    for (const Look& look : looks_[command.name]) {
        if (look.pid != sent.pid || look.at > sent.submitted) continue;
        in_vain |= look.at >= first.ended && look.at < before.at;
        if (look.at < before.at) continue;
        (look.served ? looked : tried) = true;
    }
    if (first.fault == Fault::duplicate || sent.fault == Fault::duplicate) return true;  // its double came first
    if (in_vain && !looked && !tried) {
        ++tally.late_commits;
        return true;
    }
    const bool covered = std::any_of(command.landed.begin(), command.landed.end(), [&](const Command::Landed& late) {
        return late.request != before.request && late.pid != sent.pid && late.at >= before.at &&
               late.at <= sent.submitted;
    });
    // Of a delete it is the absence that proves it.
    const bool no_token = !options.token && sent.op != wire::Op::delete_object && sent.op != wire::Op::delete_objects;
    const bool cannot_prove =
        covered || (tried && !looked) || !options.store.head_allowed || first.fault == Fault::gateway_503_after ||
        sent.op == wire::Op::copy_object ||
        (command.transfer.then_delete_source && sent.op != wire::Op::put_object && !same_process) ||
        (no_token && (!same_process || sent.op != wire::Op::put_object));
    if (cannot_prove) {
        ++tally.unproven_repeats;
        return true;
    }
    return false;
}

bool World::damages() const { return has(Fault::flip_request) || options.store.keeps_short_bodies; }

void World::judge_landing(Command& command, const Effect& effect, const Sent& sent) {
    const bool spoilt = damaged.contains(effect.request);
    command.damaged_stands = spoilt;
    if (effect.blob) {
        command.written.push_back(effect.blob);
        const std::string& bytes = effect.blob->bytes;
        bool whole = bytes == command.stream && !command.stream.empty();
        if (command.transfer.kind == engine::TransferKind::put && !command.local.empty()) {
            for (const BlobPtr& one : disk.behind(command.local).contents) whole |= one->bytes == bytes;
        } else if (command.transfer.kind == engine::TransferKind::put) {
            whole |= bytes == command.stream;
        } else {
            for (const auto& moment : store.history[command.source_name])
                whole |= (!command.reads_version() || moment.blob == command.version) && moment.blob &&
                         moment.blob->bytes == bytes;
        }
        const bool unchecked = !command.transfer.checksum;  // then nobody can tell what the way there did to it
        const bool pin_ignored = command.transfer.kind == engine::TransferKind::copy && !options.store.honours_pin;
        if (!whole && !spoilt && !pin_ignored && !(unchecked && damages()))
            violated("mix",
                     command.name + " became " + std::to_string(bytes.size()) + " bytes that no source ever was");
    }
    if (!effect.residue) return;
    for (const Command::Landed& before : command.landed) {
        if (!command.keyed && before.pid != sent.pid) continue;
        if (before.request == effect.request || spoilt || damaged.contains(before.request)) {
            command.stray_effect = true;  // the way there made two of one request, or another one of it
            continue;
        }
        if (excused(command, before, sent)) continue;
        violated(command.keyed ? "once-by-key" : "one-version",
                 std::string(wire::to_string(effect.op)) + " " + effect.name + ": requests " +
                     std::to_string(before.request) + " and " + std::to_string(effect.request) + " both took effect");
    }
    command.landed.push_back({effect.request, sent.pid, effect.at});
}

/// A move: what goes stands at the target, or stood there before something else came.
void World::judge_removal(const Command& command, const Effect& effect) {
    const std::vector<Store::Moment>& moments = store.history[effect.name];
    if (moments.size() < 2 || !moments[moments.size() - 2].blob || command.others_wrote) return;
    const std::string& gone = moments[moments.size() - 2].blob->bytes;
    if (command.transfer.kind == engine::TransferKind::get) {
        const Disk::File& file = disk.behind(command.local);
        const bool came =
            std::any_of(file.contents.begin(), file.contents.end(), [&](const BlobPtr& c) { return c->bytes == gone; });
        if (!came && !unproven(moments, false))
            violated("move", effect.name + " is removed, and its bytes are not at " + command.local);
        return;
    }
    const std::vector<Store::Moment>& target = store.history[command.name];
    const bool kept =
        std::any_of(target.begin(), target.end(), [&](const auto& m) { return m.blob && m.blob->bytes == gone; });
    if (!kept || store.current(command.name) == nullptr)
        violated("move", effect.name + " is removed, and its bytes are not at " + command.name);
}

void World::on_effect(const Effect& effect) {
    ++tally.effects;
    const Sent& sent = sent_[effect.request];
    say("      #" + std::to_string(effect.request) + " takes effect: " + std::string(wire::to_string(effect.op)) + " " +
        effect.name + " " + effect.version);
    hash.add(effect.request);
    // A Create that lands when its sender is gone may come after everybody has looked for it.
    if (effect.op == wire::Op::create_multipart_upload && sent.ended < effect.at)
        sent_[effect.request].fault = Fault::late;
    for (const auto& command : commands) {
        const bool gets = command->transfer.kind == engine::TransferKind::get;
        const bool source =
            command->transfer.then_delete_source && (gets ? command->name : command->source_name) == effect.name;
        if (source && effect.op == wire::Op::delete_object && effect.residue) judge_removal(*command, effect);
    }
    if (member_of(*process(sent.pid), effect.name, true) == nullptr)
        violated("outside", std::string(wire::to_string(effect.op)) + " " + effect.name + ": nobody asked for it");
    Command* const command = member_of(*process(sent.pid), effect.name, false);
    const bool may = command != nullptr && !command->reads_version();
    const std::string wanted = may ? command->transfer.version_id : std::string();
    if (effect.by_version && effect.residue) ++tally.versions_removed;
    if (effect.by_version ? effect.version != wanted : !wanted.empty())
        violated("version",
                 std::string(wire::to_string(effect.op)) + " " + effect.name + " " +
                     (effect.by_version ? "of version " + effect.version : std::string("without a version")) +
                     ", wanted " + (wanted.empty() ? "none" : wanted));
    if (command == nullptr || !is_landing(effect.op)) return;
    if (sent.ended < effect.at || sent.fault == Fault::duplicate) command->stray_effect = true;
    judge_landing(*command, effect, sent);
}

bool World::known_to_state(const std::string& id, const Upload& upload) const {
    for (const auto& [key, value] : records) {
        if (key.first != port::Table::upload) continue;
        const auto record = engine::decode_upload(value);
        if (!record || record->bucket + "/" + record->key != upload.name) continue;
        if (record->upload_id == id || record->upload_id.empty() || record->create_lost) return true;
    }
    return false;
}

bool World::named_in_state(const std::string& id) const {
    return std::any_of(records.begin(), records.end(), [&](const auto& entry) {
        if (entry.first.first != port::Table::upload) return false;
        const auto record = engine::decode_upload(entry.second);
        return record && record->upload_id == id;
    });
}

void World::check_uploads(bool final) {
    for (const auto& [id, upload] : store.uploads) {
        const Sent& sent = sent_[upload.request];
        if (sent.command == nullptr) continue;
        const Command& command = *sent.command;
        const Process* owner = this->process(sent.pid);
        if (owner->alive() || owner->state.lost_any()) continue;
        const bool lost = options.clock_steps || sent.fault != Fault::none || !options.store.list_uploads_allowed ||
                          !options.store.list_parts_allowed;
        if (known_to_state(id, upload)) {
            if (final && lost && !named_in_state(id))
                ++tally.orphans_unlisted;
            else if (final && (command.nothing_sent || options.clock_steps))  // its page may be of tomorrow
                ++tally.uploads_waiting;
            else if (final && !command.stray_effect)
                violated("uploads-left", id + " of " + upload.name + " is known and still there at the end");
            continue;
        }
        if (final && lost) ++tally.orphans_unlisted;
        if (!lost) violated("uploads-unknown", id + " of " + upload.name + " is in no record");
    }
}

}  // namespace s3tug::simworld
