#include <algorithm>
#include <chrono>
#include <utility>

#include "base/limits.h"
#include "base/record.h"
#include "policy/idempotency.h"
#include "policy/process_text.h"

namespace s3tug::policy {

namespace {

/// Between two wall readings, whichever is later: a clock that was set back must not make a record immortal.
Duration distance(WallTime a, WallTime b) { return a < b ? b - a : a - b; }

bool expired(const KeyRecord& record, WallTime now, Duration keep) {
    return record.done ? now >= kept_until(record, keep) : now - record.started >= keep;
}

/// May the owner of an unfinished record still be at work?
bool at_work(const KeyRecord& record, WallTime now, Liveness owner) {
    switch (owner) {
        case Liveness::alive: return true;
        case Liveness::dead: break;
        case Liveness::unknown: return distance(record.started, now) < limits::idempotency_owner_unknown;
    }
    return false;
}

Claim fresh_claim(std::string_view fingerprint, const ProcessId& self, std::string_view token, WallTime now) {
    KeyRecord record;
    record.fingerprint = fingerprint;
    record.owner = self;
    record.write_token = token;
    record.started = now;
    return {ClaimKind::fresh, std::move(record)};
}

std::optional<WallTime> wall(const RecordReader& reader, std::string_view name) {
    const auto ns = reader.number(name);
    if (!ns || *ns < 0) return std::nullopt;
    return WallTime(Duration(*ns));
}

/// False: damaged. A longer time than we allow is cut.
bool read_keep(const RecordReader& reader, std::optional<Duration>& keep) {
    if (!reader.text("keep_ns")) return true;
    const auto ns = reader.number("keep_ns");
    if (!ns || *ns < 0) return false;
    keep = std::min(Duration(*ns), limits::idempotency_keep_max);
    return true;
}

}  // namespace

WallTime kept_until(const KeyRecord& record, Duration keep) { return record.finished + record.keep.value_or(keep); }

std::string encode(const KeyRecord& record) {
    RecordWriter writer;
    writer.text("fingerprint", record.fingerprint)
        .number("done", record.done ? 1 : 0)
        .text("result", record.result)
        .text("owner", process_text(record.owner))
        .text("write_token", record.write_token)
        .number("started_ns", record.started.time_since_epoch().count())
        .number("finished_ns", record.finished.time_since_epoch().count());
    if (record.keep) writer.number("keep_ns", record.keep->count());
    return std::move(writer).take();
}

std::optional<KeyRecord> decode_key_record(std::string_view text) {
    if (text.size() > limits::state_value_max_bytes) return std::nullopt;
    const auto reader = RecordReader::parse(text);
    if (!reader) return std::nullopt;
    auto fingerprint = reader->text("fingerprint");
    const auto done = reader->number("done");
    auto result = reader->text("result");
    auto owner = process_from_text(reader->text("owner").value_or(std::string()));
    auto token = reader->text("write_token");
    const auto started = wall(*reader, "started_ns");
    const auto finished = wall(*reader, "finished_ns");
    std::optional<Duration> keep;
    if (!read_keep(*reader, keep)) return std::nullopt;
    if (!fingerprint || fingerprint->empty() || !done || (*done != 0 && *done != 1) || !result || !owner || !token ||
        !started || !finished) {
        return std::nullopt;
    }
    return KeyRecord{*std::move(fingerprint), *done == 1, *std::move(result), *std::move(owner),
                     *std::move(token),       *started,   *finished,          keep};
}

Claim claim_key(const std::optional<KeyRecord>& found, std::string_view fingerprint, const ProcessId& self,
                std::string_view new_token, WallTime now, Duration keep, Liveness owner_liveness) {
    if (!found) return fresh_claim(fingerprint, self, new_token, now);
    const bool busy = !found->done && at_work(*found, now, owner_liveness);
    if (!busy && expired(*found, now, keep)) return fresh_claim(fingerprint, self, new_token, now);
    if (found->fingerprint != fingerprint) return {ClaimKind::other_use, *found};
    if (found->done) return {ClaimKind::kept, *found};
    if (busy) return {ClaimKind::busy, *found};
    KeyRecord record = *found;
    record.owner = self;
    record.started = now;
    return {ClaimKind::taken_over, std::move(record)};
}

std::optional<KeyRecord> kept_record(const std::optional<KeyRecord>& found, std::string_view work, WallTime now,
                                     Duration keep) {
    if (!found || !found->done || expired(*found, now, keep) || !found->fingerprint.starts_with(work))
        return std::nullopt;
    return found;
}

}  // namespace s3tug::policy
