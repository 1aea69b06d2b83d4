#include "engine/upload_book.h"

#include <algorithm>

#include "base/limits.h"
#include "policy/process_text.h"

namespace s3tug::engine {
namespace {

using port::Table;

unsigned parts_at_most(const UploadRecord& record) {
    return static_cast<unsigned>(std::min<uint64_t>(record.source.size / record.part_size + 1, limits::parts_max));
}

uint64_t recorded_bytes(port::StateStore& state, const UploadRecord& record) {
    uint64_t bytes = 0;
    if (record.upload_id.empty()) return bytes;
    for (unsigned n = 1; n <= parts_at_most(record); n += limits::upload_parts_per_record) {
        const auto text = state.read(Table::upload_part, parts_key(record.upload_id, n));
        if (!text) continue;
        for (const DonePart& part : decode_parts(*text)) bytes += part.size;
    }
    return bytes;
}

/// A page under a name of its own has after the path a line with that name (engine/upload_journal.h).
std::string source_of(const UploadRecord& record) {
    const std::size_t line = record.path.rfind('\n');
    if (line == std::string::npos) return record.path;
    const std::string_view name = std::string_view(record.path).substr(line + 1);
    const bool own = name == record.upload_id || policy::number_from_word<uint64_t>(name).has_value();
    return own ? record.path.substr(0, line) : record.path;
}

}  // namespace

std::vector<KnownUpload> known_uploads(port::StateStore& state, port::Processes& processes, WallTime now) {
    std::vector<KnownUpload> known;
    for (const port::StateEntry& entry : state.list(Table::upload)) {
        std::optional<UploadRecord> record = decode_upload(entry.value);
        if (!record) continue;
        KnownUpload upload;
        const Liveness owner = record->owner ? processes.liveness(*record->owner) : Liveness::dead;
        upload.at_work = may_be_at_work(*record, owner, now);
        upload.bytes = recorded_bytes(state, *record);
        upload.source = source_of(*record);
        upload.record = *std::move(record);
        known.push_back(std::move(upload));
    }
    return known;
}

void forget_upload(port::StateStore& state, const wire::S3Uri& target, const std::string& upload_id) {
    for (const port::StateEntry& entry : state.list(Table::upload)) {
        const auto is_it = [&](const std::optional<UploadRecord>& record) {
            return record && record->bucket == target.bucket && record->key == target.key &&
                   record->upload_id == upload_id;
        };
        const std::optional<UploadRecord> record = decode_upload(entry.value);
        if (!is_it(record)) continue;
        for (unsigned n = 1; n <= parts_at_most(*record); n += limits::upload_parts_per_record) {
            state.update(Table::upload_part, parts_key(upload_id, n), [](const std::optional<std::string>& text) {
                return text ? std::optional(std::string()) : std::nullopt;
            });
        }
        // The page may be about another upload by now.
        state.update(Table::upload, entry.key,
                     [&](const std::optional<std::string>& text) -> std::optional<std::string> {
                         if (!text || !is_it(decode_upload(*text))) return std::nullopt;
                         return std::string();
                     });
    }
}

}  // namespace s3tug::engine
