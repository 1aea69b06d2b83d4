#include "wire/object_headers.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/text.h"

namespace s3tug::wire {

std::optional<std::string> etag_as_md5(const ObjectFacts& facts) {
    static constexpr std::size_t md5_hex_digits = 32;
    const std::string_view sse = facts.server_side_encryption;
    if (sse == "SSE-C" || sse.starts_with("aws:kms")) return std::nullopt;  // aws:kms:dsse too
    const bool hex = std::ranges::all_of(
        facts.etag, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
    if (!hex || facts.etag.size() != md5_hex_digits) return std::nullopt;
    return to_lower(facts.etag);
}

void add_properties(Headers& headers, const ObjectProperties& properties) {
    const auto set_given = [&headers](std::string_view name, std::string_view value) {
        if (!value.empty()) headers.set(name, value);
    };
    set_given("content-type", properties.content_type);
    set_given("cache-control", properties.cache_control);
    set_given("content-encoding", properties.content_encoding);
    set_given("content-disposition", properties.content_disposition);
    set_given("x-amz-storage-class", properties.storage_class);
    for (const Header& item : properties.metadata) headers.set("x-amz-meta-" + item.name, item.value);
    for (const Header& line : properties.extra) headers.set(line.name, line.value);
}

void add_conditions(Headers& headers, const WriteConditions& conditions) {
    if (conditions.if_none_match_any) headers.set("if-none-match", "*");
    if (conditions.if_match.empty()) return;
    headers.set("if-match", conditions.bare_etag ? unquote_etag(conditions.if_match) : quote_etag(conditions.if_match));
}

std::string copy_source(const S3Uri& source, std::string_view version_id) {
    std::string value = "/" + percent_encode(source.bucket, Slash::encode);
    value.append("/").append(percent_encode(source.key, Slash::keep));
    if (!version_id.empty()) value.append("?versionId=").append(percent_encode(version_id, Slash::encode));
    return value;
}

}  // namespace s3tug::wire
