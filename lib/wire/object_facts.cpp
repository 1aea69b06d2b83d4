#include <algorithm>
#include <array>
#include <string>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/object_headers.h"

namespace s3tug::wire {

namespace {

constexpr std::string_view metadata_prefix = "x-amz-meta-";

struct Known {
    ChecksumAlgorithm algorithm;
    std::string_view header;
    std::size_t bytes;
};
constexpr std::array<Known, 5> known_checksums = {{{ChecksumAlgorithm::crc64nvme, "x-amz-checksum-crc64nvme", 8},
                                                   {ChecksumAlgorithm::crc32c, "x-amz-checksum-crc32c", 4},
                                                   {ChecksumAlgorithm::crc32, "x-amz-checksum-crc32", 4},
                                                   {ChecksumAlgorithm::sha256, "x-amz-checksum-sha256", 32},
                                                   {ChecksumAlgorithm::sha1, "x-amz-checksum-sha1", 20}}};

std::string clean(std::string_view value) {
    std::string text(trim(value));
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    return text;
}

std::string value_of(const Headers& headers, std::string_view name) {
    return clean(headers.find(name).value_or(std::string_view{}));
}

std::string encryption_of(const Headers& headers) {
    if (headers.find("x-amz-server-side-encryption-customer-algorithm") ||
        headers.find("x-amz-server-side-encryption-customer-key-md5")) {
        return "SSE-C";
    }
    return value_of(headers, "x-amz-server-side-encryption");
}

std::optional<uint64_t> size_of(const HttpAnswer& answer, const std::optional<ContentRange>& range) {
    switch (answer.status) {
        case 200: return parse_decimal(value_of(answer.headers, "content-length"));
        case 206: return range ? range->total : std::nullopt;
        case 416: return parse_unsatisfied_range(value_of(answer.headers, "content-range"));
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<ChecksumScope> parse_checksum_scope(std::string_view type) {
    const std::string name = to_lower(trim(type));
    if (name == "full_object") return ChecksumScope::full_object;
    if (name == "composite") return ChecksumScope::composite;
    return std::nullopt;
}

std::optional<StoredChecksum> parse_checksum(ChecksumAlgorithm algorithm, std::string_view text,
                                             std::string_view type) {
    const auto* const known = std::ranges::find(known_checksums, algorithm, &Known::algorithm);
    text = trim(text);
    StoredChecksum stored{.value = {.algorithm = algorithm, .base64 = {}}};
    // '-' is no character of this base64 alphabet.
    if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
        const auto parts = parse_decimal(text.substr(dash + 1));
        if (!parts || *parts == 0 || *parts > limits::parts_max) return std::nullopt;
        stored.parts = static_cast<unsigned>(*parts);
        stored.scope = ChecksumScope::composite;
        text = text.substr(0, dash);
    } else {
        stored.scope = parse_checksum_scope(type).value_or(ChecksumScope::full_object);
    }
    const auto raw = from_base64(text);
    if (!raw || raw->size() != known->bytes) return std::nullopt;
    stored.value.base64 = std::string(text);
    return stored;
}

std::vector<StoredChecksum> parse_checksums(const Headers& headers) {
    const std::string_view type = headers.find("x-amz-checksum-type").value_or(std::string_view{});
    std::vector<StoredChecksum> found;
    for (const Known& known : known_checksums) {
        const auto text = headers.find(known.header);
        if (!text) continue;
        if (auto checksum = parse_checksum(known.algorithm, *text, type)) found.push_back(*std::move(checksum));
    }
    return found;
}

std::string to_text(const StoredChecksum& checksum) {
    std::string text(wire_name(checksum.value.algorithm));
    text.append(":").append(checksum.value.base64);
    if (checksum.scope == ChecksumScope::composite) text.append("-").append(std::to_string(checksum.parts));
    return text;
}

ObjectFacts parse_object_facts(const HttpAnswer& answer) {
    const Headers& headers = answer.headers;
    const auto range = parse_content_range(value_of(headers, "content-range"));
    ObjectFacts facts;
    facts.size = size_of(answer, range);
    facts.etag = unquote_etag(value_of(headers, "etag"));
    facts.version_id = value_of(headers, "x-amz-version-id");
    facts.last_modified = parse_http_date(value_of(headers, "last-modified"));
    facts.server_date = parse_http_date(value_of(headers, "date"));
    facts.content_type = value_of(headers, "content-type");
    facts.cache_control = value_of(headers, "cache-control");
    facts.content_encoding = value_of(headers, "content-encoding");
    facts.content_disposition = value_of(headers, "content-disposition");
    facts.storage_class = value_of(headers, "x-amz-storage-class");
    facts.write_token = value_of(headers, write_token_header);
    facts.server_side_encryption = encryption_of(headers);
    facts.delete_marker = to_lower(value_of(headers, "x-amz-delete-marker")) == "true";
    for (const Header& line : headers) {
        if (!line.name.starts_with(metadata_prefix) || line.name == write_token_header) continue;
        facts.metadata.push_back({.name = line.name.substr(metadata_prefix.size()), .value = clean(line.value)});
    }
    if (answer.status != 206 || (range && range->whole())) facts.checksums = parse_checksums(headers);
    return facts;
}

}  // namespace s3tug::wire
