#include "host/sqlite_state_store.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/bytes.h"

namespace s3tug::host {

namespace {

constexpr int tries_max = 3;  ///< of one call, after the file was replaced or set aside

uint64_t bytes_of(const std::string& path) {
    struct stat facts {};
    return ::stat(path.c_str(), &facts) == 0 ? static_cast<uint64_t>(facts.st_size) : 0;
}

bool exists(const std::string& path) {
    struct stat facts {};
    return ::lstat(path.c_str(), &facts) == 0;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
    return text;
}

}  // namespace

SqliteStateStore::SqliteStateStore(SqliteStateStoreOptions options, port::Clock& clock)
    : options_(std::move(options)), clock_(clock), patience_(options_.seed), memory_(clock) {}

std::optional<std::string> SqliteStateStore::read(port::Table table, std::string_view key) {
    bool known = false;
    return present(table, key, known);
}

std::optional<std::string> SqliteStateStore::present(port::Table table, std::string_view key, bool& known) {
    known = true;
    if (in_memory(table, key)) return memory_.read(table, key);
    if (cleared_[index_of(table)] || unreadable_) return std::nullopt;
    begin_wait();
    for (int tries = 0; tries < tries_max; ++tries) {
        StateDatabase* database = nullptr;
        if (!connect(Use::reading, database)) break;
        if (database == nullptr) return std::nullopt;
        std::optional<std::string> value;
        const StateTrouble trouble = database->read(table, key, value);
        if (trouble.ok()) return value;
        if (!recover(trouble, Use::reading)) break;
    }
    known = unreadable_;
    return std::nullopt;
}

bool SqliteStateStore::update(port::Table table, std::string_view key, const Step& step) {
    std::size_t too_large = key.size() > limits::state_key_max_bytes ? key.size() : 0;
    const Step bounded = [&](const std::optional<std::string>& before) -> std::optional<std::string> {
        auto next = step(before);
        if (!next || next->size() <= limits::state_value_max_bytes) return next;
        too_large = next->size();
        return std::nullopt;
    };
    bool done = false;
    if (too_large == 0) {
        // A step that leaves things as they are needs neither lock nor file: a healthy run writes nothing.
        bool known = false;
        const std::optional<std::string> before = present(table, key, known);
        const std::optional<std::string> next = known ? bounded(before) : std::nullopt;
        const bool nothing_to_do = known && (!next || (next->empty() && !before));
        done = nothing_to_do || update_file(table, key, bounded);
        if (!done) update_memory(table, key, bounded);
    }
    if (too_large == 0) return done;
    tell(fmt::format("a record of {} bytes is too large for it", too_large));
    return false;
}

bool SqliteStateStore::update_file(port::Table table, std::string_view key, const Step& step) {
    begin_wait();
    for (int tries = 0; tries < tries_max; ++tries) {
        StateDatabase* database = nullptr;
        if (!connect(Use::writing, database)) return false;
        const StateTrouble trouble = database->update(table, key, step, clock_.wall());
        if (trouble.ok()) {
            succeeded();
            memory_keys_.erase({table, std::string(key)});
            return true;
        }
        if (!recover(trouble, Use::writing)) return false;
    }
    return false;
}

void SqliteStateStore::update_memory(port::Table table, std::string_view key, const Step& step) {
    if (!in_memory(table, key)) {
        if (memory_keys_.size() >= limits::state_rows_max) return;
        bool known = false;
        const std::optional<std::string> value = present(table, key, known);
        memory_.update(table, key, [&](const auto&) { return value.value_or(""); });
        memory_keys_.emplace(table, key);
    }
    memory_.update(table, key, step);
}

std::vector<port::StateEntry> SqliteStateStore::list(port::Table table) {
    std::vector<port::StateEntry> entries;
    begin_wait();
    for (int tries = 0; tries < tries_max && !cleared_[index_of(table)]; ++tries) {
        StateDatabase* database = nullptr;
        if (!connect(Use::reading, database) || database == nullptr) break;
        const StateTrouble trouble = database->list(table, entries);
        if (trouble.ok()) break;
        entries.clear();
        if (!recover(trouble, Use::reading)) break;
    }
    std::erase_if(entries, [&](const auto& entry) { return in_memory(table, entry.key); });
    for (port::StateEntry& entry : memory_.list(table)) {
        if (in_memory(table, entry.key)) entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    return entries;
}

bool SqliteStateStore::erase_all(port::Table table) {
    std::erase_if(memory_keys_, [&](const auto& entry) { return entry.first == table; });
    memory_.erase_all(table);
    begin_wait();
    for (int tries = 0; tries < tries_max; ++tries) {
        StateDatabase* database = nullptr;
        if (!connect(Use::reading, database)) break;
        const bool nothing_there = database == nullptr;
        if (!nothing_there && !connect(Use::writing, database)) break;
        const StateTrouble trouble = nothing_there ? StateTrouble{} : database->erase_all(table);
        if (trouble.ok()) {
            succeeded();
            cleared_[index_of(table)] = false;
            return true;
        }
        if (!recover(trouble, Use::writing)) break;
    }
    cleared_[index_of(table)] = true;
    return false;
}

Status SqliteStateStore::healthy() {
    begin_wait();
    for (int tries = 0; tries < tries_max; ++tries) {
        StateDatabase* database = nullptr;
        if (!connect(Use::writing, database)) break;
        const StateTrouble trouble = database->try_lock();
        if (trouble.ok()) {
            succeeded();
            return {};
        }
        if (!recover(trouble, Use::writing)) break;
    }
    return Error{ErrorKind::state_file, fmt::format("{}: {}", subject(), trouble_)};
}

Status SqliteStateStore::check() {
    if (options_.place.explicit_file.empty()) return {};
    begin_wait();
    StateDatabase* database = nullptr;
    connect(Use::reading, database);
    if (database != nullptr && ::access(place_->file.c_str(), W_OK) != 0) give_up(Use::writing, std::strerror(errno));
    if (!unreadable_ && !unwritable_) return {};
    return Error{ErrorKind::state_file, fmt::format("{}: {}", subject(), trouble_)};
}

StateDescription SqliteStateStore::describe() {
    begin_wait();
    StateDatabase* database = nullptr;
    connect(Use::reading, database);
    StateDescription description;
    description.refused = refused_;
    description.trouble = trouble_;
    if (!place_) return description;
    description.path = place_->file;
    description.exists = exists(place_->file);
    description.bytes = bytes_of(place_->file) + bytes_of(place_->file + "-wal");
    if (database != nullptr) description.schema_version = database->schema_version();
    return description;
}

bool SqliteStateStore::connect(Use use, StateDatabase*& database) {
    for (int tries = 0; tries < tries_max; ++tries) {
        if (unreadable_ || (use == Use::writing && unwritable_)) return false;
        // Somebody may have set it aside or removed it: a long run must not go on with what nobody else sees.
        if (database_ && database_->moved()) database_.reset();
        StateTrouble trouble = database_ ? StateTrouble{} : open_database(use);
        if (trouble.ok() && database_ && use == Use::writing) trouble = database_->prepare_writing();
        if (trouble.ok()) {
            database = database_.get();
            return true;
        }
        if (!recover(trouble, use)) return false;
    }
    return false;
}

StateTrouble SqliteStateStore::open_database(Use use) {
    const bool there = place_ && exists(place_->file);
    if (!there && (!place_ || use == Use::writing) && !choose_place(use)) {
        return {StateFault::unusable, joined(refused_)};
    }
    if (!there && !exists(place_->file)) {
        if (use == Use::reading) return {};
        if (const int error = create_state_file(*place_); error != 0) {
            return {StateFault::unusable, std::strerror(error)};
        }
    }
    StateTrouble trouble;
    database_ = StateDatabase::open(*place_, patience_, trouble, opened_);
    return trouble;
}

bool SqliteStateStore::choose_place(Use use) {
    StatePlaceChoice choice = choose_state_place(options_.place, use == Use::writing);
    for (const std::string& refused : choice.refused) {
        if (std::find(refused_.begin(), refused_.end(), refused) == refused_.end()) note("no state file at " + refused);
    }
    refused_ = std::move(choice.refused);
    if (choice.place && (!place_ || place_->file != choice.place->file)) note("state file " + choice.place->file);
    place_ = std::move(choice.place);
    return place_.has_value();
}

bool SqliteStateStore::recover(const StateTrouble& trouble, Use use) {
    const bool anywhere = options_.place.explicit_file.empty();
    switch (trouble.fault) {
        case StateFault::none: return true;
        case StateFault::moved: database_.reset(); return true;
        case StateFault::locked:
            trouble_ = trouble.reason;
            if (!std::exchange(lock_was_held_, true)) tell(trouble.reason + "; this run goes on without it");
            return false;
        case StateFault::damaged:
            database_.reset();
            if (anywhere || looks_like_state_file(place_->file)) return set_aside(trouble.reason);
            give_up(Use::reading, "it is not a state file of s3tug");
            return false;
        case StateFault::foreign:
            database_.reset();
            if (anywhere) return set_aside(trouble.reason);
            give_up(Use::reading, trouble.reason);
            return false;
        case StateFault::newer_schema:
            database_.reset();
            give_up(Use::reading, trouble.reason);
            return false;
        case StateFault::unusable: give_up(use, trouble.reason); return false;
    }
    return false;
}

bool SqliteStateStore::set_aside(const std::string& reason) {
    StateFileLock lock;
    if (lock.acquire(place_->file + ".lock", StateFileLock::Mode::exclusive, patience_) !=
        StateFileLock::Outcome::held) {
        give_up(Use::reading, fmt::format("{}, and it cannot be set aside now", reason));
        return false;
    }
    // Another process may have been faster; then the new file stands there.
    if (file_id(place_->file) != opened_) return true;
    if (const int error = set_state_file_aside(*place_); error != 0) {
        give_up(Use::reading, fmt::format("{}, and it cannot be set aside: {}", reason, std::strerror(error)));
        return false;
    }
    tell(fmt::format("{}; it is kept as {}.bad, and a new one begun", reason, printable(place_->file)));
    return true;
}

void SqliteStateStore::give_up(Use use, const std::string& reason) {
    (use == Use::reading ? unreadable_ : unwritable_) = true;
    trouble_ = reason;
    tell(reason + "; this run goes on without it");
}

void SqliteStateStore::begin_wait() { patience_.begin(lock_was_held_ ? Duration::zero() : options_.lock_wait); }

void SqliteStateStore::succeeded() {
    trouble_.clear();
    lock_was_held_ = false;
}

void SqliteStateStore::tell(const std::string& text) {
    const std::string message = fmt::format("{}: {}", subject(), text);
    if (std::exchange(warned_, true)) {
        note(message);
    } else if (options_.warn) {
        options_.warn(message);
    }
}

void SqliteStateStore::note(const std::string& text) const {
    if (options_.note) options_.note(text);
}

std::string SqliteStateStore::subject() const {
    return place_ ? fmt::format("state file {}", printable(place_->file)) : "no place for a state file";
}

bool SqliteStateStore::in_memory(port::Table table, std::string_view key) const {
    return !memory_keys_.empty() && memory_keys_.contains({table, std::string(key)});
}

}  // namespace s3tug::host
