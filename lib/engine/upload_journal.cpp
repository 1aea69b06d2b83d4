#include "engine/upload_journal.h"

#include <algorithm>
#include <map>

#include "base/limits.h"

namespace s3tug::engine {

using port::Table;

UploadRecord page_of(Services& services, const wire::S3Uri& target, const std::string& path) {
    UploadRecord record;
    record.origin = wire::origin(services.memory.endpoint_for(target.bucket));
    record.bucket = target.bucket;
    record.key = target.key;
    record.path = path;
    return record;
}

UploadJournal::UploadJournal(Services& services, UploadRecord target)
    : services_(services), source_path_(target.path), wanted_(std::move(target)) {
    wanted_.part_size = 1;
    record_ = wanted_;
}

void UploadJournal::take_own_page() {
    resumable_ = false;
    wanted_.source = {};
    wanted_.part_size = 1;
    wanted_.options = only_to_abort;
    wanted_.path = source_path_ + "\n" + std::to_string(services_.rng.next());
    wanted_.owner = services_.ports.processes.self();
    wanted_.started = wanted_.touched = services_.ports.clock.wall();
    ours_ = true;
}

UploadJournal::Opened UploadJournal::open(UploadRecord wanted) {
    const ProcessId& self = services_.ports.processes.self();
    const WallTime now = services_.ports.clock.wall();
    wanted_ = std::move(wanted);
    wanted_.owner = self;
    wanted_.started = wanted_.touched = now;
    record_ = wanted_;
    Opened opened;
    const auto step = [&](const std::optional<std::string>& text) -> std::optional<std::string> {
        opened.found = text ? decode_upload(*text) : std::nullopt;
        const Liveness owner = opened.found && opened.found->owner
                                   ? services_.ports.processes.liveness(*opened.found->owner)
                                   : Liveness::dead;
        opened.resume = plan_resume(opened.found, wanted_, owner, self, now);
        if (opened.resume == Resume::leased) return std::nullopt;
        // Since when a lost Create is to be looked for: also by whoever finds the page of a run that dies next.
        if (opened.found && (opened.resume == Resume::lost_create || opened.found->create_lost))
            wanted_.started = opened.found->started;
        const bool stays = opened.resume == Resume::go_on || opened.resume == Resume::other;
        record_ = stays ? *opened.found : wanted_;
        record_.owner = self;
        record_.touched = now;
        return encode(record_);
    };
    ours_ = services_.ports.state.update(Table::upload, upload_key(record_), step);
    resumable_ = ours_;
    if (opened.resume == Resume::leased) ours_ = resumable_ = false;
    if (opened.resume == Resume::go_on || opened.resume == Resume::other) {
        const uint64_t count = record_.source.size / record_.part_size + 1;
        highest_part_ = static_cast<unsigned>(std::min<uint64_t>(count, limits::parts_max));
    }
    return opened;
}

bool UploadJournal::write() {
    record_.touched = services_.ports.clock.wall();
    return services_.ports.state.update(Table::upload, upload_key(record_),
                                        [&](const std::optional<std::string>&) { return encode(record_); });
}

void UploadJournal::set_aside(WallTime touched) {
    UploadRecord aside = record_;
    aside.touched = touched;
    aside.owner.reset();
    aside.source = {};
    aside.options = only_to_abort;
    aside.path += "\n" + aside.upload_id;
    services_.ports.state.update(Table::upload, upload_key(aside),
                                 [&](const std::optional<std::string>&) { return encode(aside); });
}

void UploadJournal::begin_anew() {
    if (!ours_) take_own_page();
    erase_parts();
    record_ = wanted_;
    if (ours_) write();
}

void UploadJournal::created(const std::string& upload_id, bool create_lost) {
    record_.create_lost = create_lost;
    record_.upload_id = upload_id;
    written_at_ = services_.now();
    if (ours_) write();
}

void UploadJournal::part_done(const DonePart& part) {
    if (!recorded()) return;
    highest_part_ = std::max(highest_part_, part.number);
    unwritten_.push_back(part);
    const Instant now = services_.now();
    if (written_at_ && now - *written_at_ < limits::upload_record_every) return;
    written_at_ = now;
    flush();
    if (services_.ports.clock.wall() - record_.touched > limits::upload_touch_every) write();
}

void UploadJournal::flush() {
    std::map<std::string, std::vector<DonePart>> by_key;
    for (DonePart& part : unwritten_) by_key[parts_key(record_.upload_id, part.number)].push_back(std::move(part));
    unwritten_.clear();
    for (const auto& [key, parts] : by_key) {
        services_.ports.state.update(Table::upload_part, key, [&parts = parts](const std::optional<std::string>& text) {
            std::map<unsigned, DonePart> all;
            if (text) {
                for (DonePart& part : decode_parts(*text)) all[part.number] = std::move(part);
            }
            for (const DonePart& part : parts) all[part.number] = part;
            std::vector<DonePart> merged;
            for (auto& [number, part] : all) merged.push_back(std::move(part));
            return encode(merged);
        });
    }
}

void UploadJournal::completing() {
    if (!ours_ || record_.completing) return;
    record_.completing = true;
    write();
}

std::vector<DonePart> UploadJournal::recorded_parts() const {
    std::vector<DonePart> parts;
    for (unsigned n = 1; n <= highest_part_; n += limits::upload_parts_per_record) {
        const auto text = services_.ports.state.read(Table::upload_part, parts_key(record_.upload_id, n));
        if (!text) continue;
        for (DonePart& part : decode_parts(*text)) parts.push_back(std::move(part));
    }
    return parts;
}

void UploadJournal::erase_parts() {
    unwritten_.clear();
    if (ours_) {
        for (unsigned n = 1; n <= highest_part_; n += limits::upload_parts_per_record) {
            services_.ports.state.update(Table::upload_part, parts_key(record_.upload_id, n),
                                         [](const std::optional<std::string>& text) {
                                             return text ? std::optional(std::string()) : std::nullopt;
                                         });
        }
    }
    highest_part_ = 0;
}

void UploadJournal::forget() {
    if (!ours_) return;
    erase_parts();
    services_.ports.state.update(Table::upload, upload_key(record_),
                                 [](const std::optional<std::string>&) { return std::string(); });
    ours_ = false;
}

void UploadJournal::leave() {
    if (!ours_) return;
    flush();
    record_.owner.reset();
    write();
    ours_ = false;
}

void UploadJournal::leave_lost() {
    erase_parts();
    record_.upload_id.clear();
    record_.completing = false;
    leave();
}

void UploadJournal::leave_to_abort(bool may_land) {
    if (!ours_) return;  // the page could not be claimed, and is as it was
    erase_parts();
    record_.completing = record_.completing && may_land;
    record_.owner.reset();
    record_.source = {};
    record_.options = only_to_abort;
    write();
    ours_ = false;
}

std::vector<std::pair<std::string, UploadRecord>> UploadJournal::strays() const {
    std::vector<std::pair<std::string, UploadRecord>> out;
    const WallTime now = services_.ports.clock.wall();
    for (const port::StateEntry& entry : services_.ports.state.list(Table::upload)) {
        std::optional<UploadRecord> page = decode_upload(entry.value);
        if (!page || page->options != only_to_abort || page->path.find('\n') == std::string::npos) continue;
        if (page->origin != wanted_.origin || page->bucket != wanted_.bucket || page->key != wanted_.key) continue;
        const Liveness owner = page->owner ? services_.ports.processes.liveness(*page->owner) : Liveness::dead;
        if (owner == Liveness::alive) continue;
        // An owner that cannot be asked may be at work, and a Complete that was sent may be landing.
        const bool doubt = owner == Liveness::unknown || page->completing;
        if (doubt && now - page->touched < limits::idempotency_owner_unknown) continue;
        if (out.size() < limits::upload_orphans_max) out.emplace_back(entry.key, std::move(*page));
    }
    return out;
}

void UploadJournal::forget_stray(const std::string& key) {
    services_.ports.state.update(Table::upload, key, [](const std::optional<std::string>&) { return std::string(); });
}

}  // namespace s3tug::engine
