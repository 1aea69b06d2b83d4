#include "engine/download_record.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/limits.h"
#include "base/record.h"
#include "engine/range_crc.h"

namespace s3tug::engine {
namespace {

void append_word(std::vector<std::byte>& out, uint64_t value) {
    for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(value >> shift));
}

uint64_t word_at(const std::vector<std::byte>& in, std::size_t offset) {
    uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value = value << 8U | static_cast<uint64_t>(in[offset + i]);
    return value;
}

/// "index reached crc", decimal.
bool recall_partial(PartTable& parts, std::string_view text) {
    uint64_t field[3] = {};
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    for (uint64_t& value : field) {
        while (at != end && *at == ' ') ++at;
        const auto [next, error] = std::from_chars(at, end, value);
        if (error != std::errc{}) return false;
        at = next;
    }
    if (at != end || field[0] >= parts.count()) return false;
    const auto index = static_cast<std::size_t>(field[0]);
    if (parts.part(index).reached > 0 || field[1] == 0 || field[1] >= parts.bytes(index)) return false;
    parts.recall(index, field[1], field[2]);
    return true;
}

bool recall_done(PartTable& parts, std::string_view map_text, std::string_view crc_text) {
    const auto map = from_base64(map_text);
    const auto crcs = from_base64(crc_text);
    if (!map || !crcs || map->size() != (parts.count() + 7) / 8) return false;
    std::size_t offset = 0;
    for (std::size_t i = 0; i < parts.count(); ++i) {
        if ((std::to_integer<unsigned>((*map)[i / 8]) >> (i % 8) & 1U) == 0) continue;
        if (offset + 8 > crcs->size()) return false;
        parts.recall(i, parts.bytes(i), word_at(*crcs, offset));
        offset += 8;
    }
    return offset == crcs->size();
}

}  // namespace

std::string download_key(std::string_view kept_as, const Transfer& transfer) {
    std::string key(kept_as);
    key.append(" ").append(wire::to_text(transfer.source));
    if (!transfer.version_id.empty()) key.append("?versionId=").append(transfer.version_id);
    return key;
}

std::string encode(const DownloadRecord& record) {
    const PartTable& parts = record.parts;
    RecordWriter writer;
    writer.text("endpoint", record.endpoint)
        .text("etag", record.pin.etag)
        .text("version", record.pin.version_id)
        .text("answered_version", record.answered_version)
        .number("size", static_cast<int64_t>(parts.size()))
        .number("received", static_cast<int64_t>(parts.received()))
        .number("part_bytes", static_cast<int64_t>(parts.part_bytes()))
        .text("crc", wire_name(parts.algorithm()));
    if (record.last_modified) writer.number("last_modified", record.last_modified->time_since_epoch().count());
    if (record.proof.checksum) {
        writer.text("checksum_name", wire_name(record.proof.checksum->algorithm))
            .text("checksum", record.proof.checksum->base64);
    }
    writer.text("md5", record.proof.md5);
    if (const auto& composite = record.proof.composite) {
        writer.text("composite_name", wire_name(composite->value.algorithm))
            .text("composite", composite->value.base64)
            .number("composite_parts", composite->parts);
    }
    std::vector<std::byte> map((parts.count() + 7) / 8);
    std::vector<std::byte> crcs;
    unsigned partial = 0;
    for (std::size_t i = 0; i < parts.count(); ++i) {
        const PartTable::Part& part = parts.part(i);
        if (part.reached == 0) continue;
        if (parts.missing(i) == 0) {
            map[i / 8] |= static_cast<std::byte>(1U << (i % 8));
            append_word(crcs, part.crc);
        } else if (partial++ < limits::download_partial_max) {
            writer.text("partial",
                        std::to_string(i) + " " + std::to_string(part.reached) + " " + std::to_string(part.crc));
        }
    }
    writer.text("done", to_base64(map)).text("crcs", to_base64(crcs));
    return writer.take();
}

namespace {

/// False: it contradicts itself.
bool read_proof(const RecordReader& reader, Proof& proof) {
    proof.md5 = reader.text("md5").value_or("");
    if (const auto name = reader.text("checksum_name")) {
        const auto kind = checksum_from_name(*name);
        if (!kind) return false;
        proof.checksum = Checksum{*kind, reader.text("checksum").value_or("")};
    }
    if (const auto name = reader.text("composite_name")) {
        const auto kind = checksum_from_name(*name);
        const int64_t parts = reader.number("composite_parts").value_or(0);
        if (!kind || parts < 1 || parts > int64_t{limits::parts_max}) return false;
        proof.composite = wire::StoredChecksum{{*kind, reader.text("composite").value_or("")},
                                               wire::ChecksumScope::composite,
                                               static_cast<unsigned>(parts)};
    }
    return true;
}

}  // namespace

std::optional<DownloadRecord> decode_download(std::string_view text) {
    const auto reader = RecordReader::parse(text);
    if (!reader) return std::nullopt;
    const int64_t size = reader->number("size").value_or(0);
    const int64_t part_bytes = reader->number("part_bytes").value_or(0);
    const auto algorithm = checksum_from_name(reader->text("crc").value_or(""));
    if (size <= 0 || part_bytes <= 0 || !algorithm || !crc_combines(*algorithm)) return std::nullopt;
    DownloadRecord record{
        .endpoint = reader->text("endpoint").value_or(""),
        .pin = {reader->text("etag").value_or(""), reader->text("version").value_or(""), static_cast<uint64_t>(size)},
        .answered_version = reader->text("answered_version").value_or(""),
        .last_modified = std::nullopt,
        .proof = {},
        .parts = PartTable(static_cast<uint64_t>(size), static_cast<uint64_t>(part_bytes), *algorithm)};
    if (record.pin.etag.empty() && record.pin.version_id.empty()) return std::nullopt;
    if (record.parts.part_bytes() != static_cast<uint64_t>(part_bytes)) return std::nullopt;
    if (const auto modified = reader->number("last_modified")) record.last_modified = WallTime(Duration(*modified));
    if (!read_proof(*reader, record.proof)) return std::nullopt;
    if (!recall_done(record.parts, reader->text("done").value_or(""), reader->text("crcs").value_or("")))
        return std::nullopt;
    for (const std::string& partial : reader->all("partial")) {
        if (!recall_partial(record.parts, partial)) return std::nullopt;
    }
    return record;
}

bool serves(const DownloadRecord& record, const Transfer& transfer, std::string_view endpoint) {
    if (record.endpoint != endpoint) return false;
    // For want of an ETag it was pinned to what was current then: another may be now, and nothing would tell.
    if (record.pin.version_id != transfer.version_id) return false;
    if (transfer.expect_size && *transfer.expect_size != record.pin.size) return false;
    const std::string& wanted = transfer.conditions.if_match;
    return wanted.empty() || wanted == "*" || wanted == record.pin.etag;
}

bool worth_keeping(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::gave_up:
        case ErrorKind::outcome_unknown:
        case ErrorKind::deadline:
        case ErrorKind::interrupted:
        case ErrorKind::breaker_open:
        case ErrorKind::credentials_refused:
        case ErrorKind::no_credentials:
        case ErrorKind::config:
        case ErrorKind::tls_trust:
        case ErrorKind::clock_skew:
        case ErrorKind::wrong_region: return true;
        default: return false;
    }
}

}  // namespace s3tug::engine
