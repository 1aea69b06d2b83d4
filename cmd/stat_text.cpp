#include "cmd/stat_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/text.h"

namespace s3tug::cmd {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

std::string stat_text(const engine::Transfer& transfer, const engine::Outcome& outcome) {
    const wire::ObjectFacts& facts = *outcome.facts;
    std::string out;
    const auto line = [&out](std::string_view name, std::string_view value) {
        if (value.empty()) return;
        if (!out.empty()) out += '\n';
        out += fmt::format("{:>13}: {}", name, printable(value));
    };
    line("Object", wire::to_text(transfer.target));
    if (facts.size) line("Size", fmt::format("{}", *facts.size));
    if (facts.last_modified) line("Last-Modified", format_utc(*facts.last_modified));
    line("ETag", facts.etag);
    line("Type", facts.content_type);
    line("Storage", facts.storage_class);
    line("Version", facts.version_id);
    line("Encryption", facts.server_side_encryption);
    line("Cache-Control", facts.cache_control);
    line("Encoding", facts.content_encoding);
    line("Disposition", facts.content_disposition);
    for (const wire::StoredChecksum& checksum : facts.checksums) line("Checksum", wire::to_text(checksum));
    if (!facts.write_token.empty()) line("Write-Token", facts.write_token);
    for (const wire::Header& entry : facts.metadata) line("Metadata", entry.name + "=" + entry.value);
    return out;
}

std::string stat_json(const engine::Transfer& transfer, const engine::Outcome& outcome) {
    const wire::ObjectFacts& facts = *outcome.facts;
    Json line;
    line["op"] = "stat";
    line["target"] = "s3://" + transfer.target.bucket + "/" + transfer.target.key;
    line["size"] = facts.size ? Json(*facts.size) : Json(nullptr);
    line["last_modified"] = facts.last_modified ? Json(format_utc(*facts.last_modified)) : Json(nullptr);
    line["etag"] = text_or_null(facts.etag);
    line["version_id"] = text_or_null(facts.version_id);
    line["content_type"] = text_or_null(facts.content_type);
    line["storage_class"] = text_or_null(facts.storage_class);
    line["encryption"] = text_or_null(facts.server_side_encryption);
    line["cache_control"] = text_or_null(facts.cache_control);
    line["content_encoding"] = text_or_null(facts.content_encoding);
    line["content_disposition"] = text_or_null(facts.content_disposition);
    Json checksums = Json::array();
    for (const wire::StoredChecksum& sum : facts.checksums) {
        const bool composite = sum.scope == wire::ChecksumScope::composite;
        checksums.push_back({{"value", wire::to_text(sum)}, {"type", composite ? "composite" : "full_object"}});
    }
    line["checksums"] = std::move(checksums);
    line["write_token"] = text_or_null(facts.write_token);
    Json metadata = Json::object();
    for (const wire::Header& entry : facts.metadata) metadata[entry.name] = entry.value;
    line["metadata"] = std::move(metadata);
    line["error"] = nullptr;
    return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace s3tug::cmd
