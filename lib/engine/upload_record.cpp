#include "engine/upload_record.h"

#include "base/limits.h"
#include "base/record.h"
#include "policy/process_text.h"

namespace s3tug::engine {
namespace {

constexpr std::size_t md5_hex_digits = 32;

int64_t nanoseconds_of(WallTime t) { return t.time_since_epoch().count(); }

}  // namespace

bool same_source(const port::FileFacts& a, const port::FileFacts& b) {
    return a.size == b.size && a.mtime == b.mtime && a.inode == b.inode && a.device == b.device;
}

bool may_be_at_work(const UploadRecord& record, Liveness owner, WallTime now) {
    if (!record.owner || owner == Liveness::dead) return false;
    if (owner == Liveness::alive) return true;
    const Duration silent = now - record.touched;
    return silent >= Duration::zero() && silent < limits::idempotency_owner_unknown;
}

bool good_only_to_abort(const UploadRecord& record) { return record.path.empty() || record.options == only_to_abort; }

std::string encode(const UploadRecord& record) {
    RecordWriter out;
    out.text("origin", record.origin).text("bucket", record.bucket).text("key", record.key);
    out.text("path", record.path).text("upload_id", record.upload_id);
    out.number("part_size", static_cast<int64_t>(record.part_size));
    out.number("size", static_cast<int64_t>(record.source.size))
        .number("mtime_ns", nanoseconds_of(record.source.mtime));
    out.number("inode", static_cast<int64_t>(record.source.inode));
    out.number("device", static_cast<int64_t>(record.source.device));
    out.text("write_token", record.write_token).text("options", record.options);
    if (record.owner) out.text("owner", policy::process_text(*record.owner));
    out.number("started_s", to_unix_seconds(record.started)).number("touched_s", to_unix_seconds(record.touched));
    out.number("create_lost", record.create_lost ? 1 : 0);
    out.number("completing", record.completing ? 1 : 0);
    return out.take();
}

std::optional<UploadRecord> decode_upload(std::string_view text) {
    const std::optional<RecordReader> in = RecordReader::parse(text);
    if (!in) return std::nullopt;
    UploadRecord record;
    const auto word = [&](std::string_view name) { return in->text(name).value_or(""); };
    const auto count = [&](std::string_view name) { return static_cast<uint64_t>(in->number(name).value_or(0)); };
    record.origin = word("origin");
    record.bucket = word("bucket");
    record.key = word("key");
    record.path = word("path");
    record.upload_id = word("upload_id");
    record.part_size = count("part_size");
    record.source.size = count("size");
    record.source.mtime = WallTime(Duration(in->number("mtime_ns").value_or(0)));
    record.source.inode = count("inode");
    record.source.device = count("device");
    record.write_token = word("write_token");
    record.options = word("options");
    if (const auto owner = in->text("owner")) record.owner = policy::process_from_text(*owner);
    const int64_t started = in->number("started_s").value_or(0), touched = in->number("touched_s").value_or(0);
    // Within what WallTime holds, and so that the difference of two still fits.
    if (started < 0 || started > limits::server_time_max_s || touched < 0 || touched > limits::server_time_max_s)
        return std::nullopt;
    record.started = wall_from_unix_seconds(started);
    record.touched = wall_from_unix_seconds(touched);
    record.create_lost = in->number("create_lost").value_or(0) != 0;
    record.completing = in->number("completing").value_or(0) != 0;
    const bool whole = !record.bucket.empty() && !record.key.empty() && record.part_size > 0 &&
                       record.part_size <= limits::part_max_bytes &&
                       record.upload_id.size() <= limits::upload_id_max_bytes;
    return whole ? std::optional(std::move(record)) : std::nullopt;
}

std::string upload_key(const UploadRecord& record) {
    return record.origin + "/" + record.bucket + "/" + record.key + "\n" + record.path;
}

std::string parts_key(std::string_view upload_id, unsigned number) {
    return std::string(upload_id) + " " + std::to_string((number - 1) / limits::upload_parts_per_record);
}

std::string encode(const std::vector<DonePart>& parts) {
    RecordWriter out;
    for (const DonePart& part : parts) {
        std::string line = std::to_string(part.number) + " " + std::to_string(part.size) + " " + part.etag;
        if (part.checksum)
            line.append(" ").append(wire_name(part.checksum->algorithm)).append(" ") += part.checksum->base64;
        out.text("part", line);
    }
    return out.take();
}

std::vector<DonePart> decode_parts(std::string_view text) {
    std::vector<DonePart> parts;
    const std::optional<RecordReader> in = RecordReader::parse(text);
    if (!in) return parts;
    for (const std::string& line : in->all("part")) {
        std::string_view rest = line;
        const auto number = policy::number_from_word<unsigned>(policy::take_word(rest));
        const auto size = policy::number_from_word<uint64_t>(policy::take_word(rest));
        DonePart part;
        part.etag = policy::take_word(rest);
        if (!number || *number == 0 || *number > limits::parts_max || !size || part.etag.empty()) continue;
        part.number = *number;
        part.size = *size;
        if (const auto algorithm = checksum_from_name(policy::take_word(rest)); algorithm && !rest.empty())
            part.checksum = Checksum{*algorithm, std::string(rest)};
        parts.push_back(std::move(part));
    }
    return parts;
}

Resume plan_resume(const std::optional<UploadRecord>& found, const UploadRecord& wanted, Liveness owner,
                   const ProcessId& self, WallTime now) {
    if (!found) return Resume::fresh;
    if ((found->owner && *found->owner == self) || may_be_at_work(*found, owner, now)) return Resume::leased;
    if (found->upload_id.empty()) return Resume::lost_create;
    const bool same = same_source(found->source, wanted.source) && found->options == wanted.options;
    return same ? Resume::go_on : Resume::other;
}

Result<bool> is_our_part(const wire::ListedPart& listed, const Part& local,
                         const std::function<Result<std::string>()>& local_md5) {
    if (listed.number != local.number || listed.size != local.size || listed.etag.empty()) return false;
    for (const wire::StoredChecksum& stored : listed.checksums) {
        if (local.checksum && stored.value.algorithm == local.checksum->algorithm)
            return stored.value.base64 == local.checksum->base64;
    }
    if (listed.etag.size() != md5_hex_digits) return false;
    const Result<std::string> ours = local_md5();
    if (!ours) return ours.error();
    return listed.etag == *ours;
}

}  // namespace s3tug::engine
