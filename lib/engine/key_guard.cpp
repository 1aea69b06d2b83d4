#include "engine/key_guard.h"

#include <algorithm>

#include "base/hash.h"
#include "base/limits.h"
#include "base/record.h"

namespace s3tug::engine {
namespace {

constexpr Duration busy_step = milliseconds(250);

}  // namespace

std::string encode(const Outcome& outcome) {
    RecordWriter writer;
    writer.number("size", static_cast<int64_t>(outcome.size))
        .text("etag", outcome.etag)
        .text("version_id", outcome.version_id)
        .text("checksum", outcome.checksum);
    return std::move(writer).take();
}

std::optional<Outcome> decode_outcome(std::string_view record) {
    const std::optional<RecordReader> reader = RecordReader::parse(record);
    if (!reader) return std::nullopt;
    const std::optional<int64_t> size = reader->number("size");
    if (!size || *size < 0) return std::nullopt;
    Outcome outcome;
    outcome.size = static_cast<uint64_t>(*size);
    outcome.etag = reader->text("etag").value_or("");
    outcome.version_id = reader->text("version_id").value_or("");
    outcome.checksum = reader->text("checksum").value_or("");
    outcome.cached = true;
    return outcome;
}

KeyGuard::KeyGuard(Services& services, const Transfer& transfer, const std::string& content_digest)
    : services_(services), transfer_(transfer), work_(to_hex(sha256(as_bytes(work())))) {
    // Content, not mtime or inode: a fresh checkout must match.
    fingerprint_ = work_ + "." + to_hex(sha256(as_bytes(work_ + content_digest)));
}

/// All but the content. Lengths keep fields apart.
std::string KeyGuard::work() const {
    std::string text;
    const auto add = [&](std::string_view name, std::string_view value) {
        text.append(name).append("=").append(std::to_string(value.size())).append(":").append(value).append("\n");
    };
    add("op", effect_name(transfer_));
    if (transfer_.then_delete_source) add("kind", to_string(transfer_.kind));
    add("endpoint", wire::origin(services_.config.endpoint));
    add("source", wire::to_text(transfer_.source));
    add("target", wire::to_text(transfer_.target));
    add("version", transfer_.version_id);
    add("if-match", transfer_.conditions.if_match);
    add("if-none-match", transfer_.conditions.if_none_match_any ? "*" : "");
    add("content-type", transfer_.properties.content_type);
    add("cache-control", transfer_.properties.cache_control);
    add("content-encoding", transfer_.properties.content_encoding);
    add("content-disposition", transfer_.properties.content_disposition);
    add("storage-class", transfer_.properties.storage_class);
    add("replace", transfer_.replace_metadata ? "1" : "");
    for (const wire::Header& header : transfer_.properties.metadata) add("metadata " + header.name, header.value);
    for (const wire::Header& header : transfer_.properties.extra) add("header " + header.name, header.value);
    return text;
}

std::optional<Outcome> KeyGuard::kept_move() const {
    const std::optional<std::string> text =
        services_.ports.state.read(port::Table::idempotency, transfer_.idempotency_key);
    const std::optional<policy::KeyRecord> record =
        policy::kept_record(text ? policy::decode_key_record(*text) : std::nullopt, work_, services_.ports.clock.wall(),
                            transfer_.idempotency_keep);
    return record ? decode_outcome(record->result) : std::nullopt;
}

bool KeyGuard::take_up_move() {
    const std::optional<std::string> text =
        services_.ports.state.read(port::Table::idempotency, transfer_.idempotency_key);
    const std::optional<policy::KeyRecord> record = text ? policy::decode_key_record(*text) : std::nullopt;
    if (!record || record->done || !record->fingerprint.starts_with(work_)) return false;
    fingerprint_ = record->fingerprint;
    return true;
}

KeyGuard::Answer KeyGuard::claim(const std::string& new_token) {
    if (Status works = services_.ports.state.healthy(); !works) {
        return Error{ErrorKind::state_file,
                     "an idempotency key needs the state file, nothing was sent: " + works.error().message};
    }
    const WallTime wall = services_.ports.clock.wall();
    std::optional<policy::Claim> claim;
    const bool recorded = services_.ports.state.update(
        port::Table::idempotency, transfer_.idempotency_key,
        [&](const std::optional<std::string>& text) -> std::optional<std::string> {
            const std::optional<policy::KeyRecord> found = text ? policy::decode_key_record(*text) : std::nullopt;
            const Liveness owner = found ? services_.ports.processes.liveness(found->owner) : Liveness::unknown;
            claim = policy::claim_key(found, fingerprint_, services_.ports.processes.self(), new_token, wall,
                                      transfer_.idempotency_keep, owner);
            const bool to_store =
                claim->kind == policy::ClaimKind::fresh || claim->kind == policy::ClaimKind::taken_over;
            return to_store ? std::optional(policy::encode(claim->record)) : std::nullopt;
        });
    if (!recorded || !claim) {
        return Error{ErrorKind::state_file, "the idempotency key could not be recorded, nothing was sent"};
    }
    write_token_ = claim->record.write_token;
    switch (claim->kind) {
        case policy::ClaimKind::fresh: ours_ = true; return Fresh{write_token_};
        case policy::ClaimKind::taken_over: ours_ = true; return TakenOver{write_token_};
        case policy::ClaimKind::kept: {
            std::optional<Outcome> kept = decode_outcome(claim->record.result);
            if (!kept) return Error{ErrorKind::state_file, "the kept result of this idempotency key cannot be read"};
            return Kept{std::move(*kept)};
        }
        case policy::ClaimKind::other_use:
            return Error{ErrorKind::key_reused,
                         "this idempotency key was used for something else (another target, option or content); "
                         "take a new key"};
        case policy::ClaimKind::busy: break;
    }
    const Instant now = services_.now();
    if (!waiting_since_) waiting_since_ = now;
    if (now - *waiting_since_ >= services_.config.breaker_patience) {
        return Error{ErrorKind::gave_up, "another process is still at work with this idempotency key"};
    }
    if (services_.run.deadline && now + busy_step >= *services_.run.deadline) {
        return Error{ErrorKind::deadline, "deadline reached while another process works with this idempotency key"};
    }
    return Busy{now + busy_step};
}

bool KeyGuard::use_token(const std::string& token) {
    if (!ours_ || token.empty() || token == write_token_) return true;
    bool still_ours = false;
    const bool recorded = services_.ports.state.update(
        port::Table::idempotency, transfer_.idempotency_key,
        [&](const std::optional<std::string>& text) -> std::optional<std::string> {
            std::optional<policy::KeyRecord> record = text ? policy::decode_key_record(*text) : std::nullopt;
            still_ours = is_ours(record);
            if (!still_ours) return std::nullopt;
            record->write_token = token;
            return policy::encode(*record);
        });
    if (!recorded || !still_ours) return false;
    write_token_ = token;
    return true;
}

void KeyGuard::keep(const Outcome& outcome) {
    ours_ = false;
    const std::string result = encode(outcome);
    services_.ports.state.update(port::Table::idempotency, transfer_.idempotency_key,
                                 [&](const std::optional<std::string>& text) -> std::optional<std::string> {
                                     std::optional<policy::KeyRecord> record =
                                         text ? policy::decode_key_record(*text) : std::nullopt;
                                     if (!record || record->fingerprint != fingerprint_) return std::nullopt;
                                     record->done = true;
                                     record->result = result;
                                     record->finished = services_.ports.clock.wall();
                                     record->keep = std::min(transfer_.idempotency_keep, limits::idempotency_keep_max);
                                     return policy::encode(*record);
                                 });
}

/// Another process may have taken it over meanwhile, with the token.
bool KeyGuard::is_ours(const std::optional<policy::KeyRecord>& record) const {
    return record && record->write_token == write_token_ && record->owner == services_.ports.processes.self();
}

void KeyGuard::release() {
    if (!ours_) return;
    ours_ = false;
    services_.ports.state.update(port::Table::idempotency, transfer_.idempotency_key,
                                 [&](const std::optional<std::string>& text) -> std::optional<std::string> {
                                     const std::optional<policy::KeyRecord> record =
                                         text ? policy::decode_key_record(*text) : std::nullopt;
                                     return is_ours(record) ? std::optional(std::string()) : std::nullopt;
                                 });
}

void KeyGuard::leave_for_next_run() { ours_ = false; }

}  // namespace s3tug::engine
