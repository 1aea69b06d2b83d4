#include "wire/list_answers.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/checksum_elements.h"
#include "wire/content_range.h"
#include "wire/iso_time.h"
#include "wire/listed_names.h"
#include "wire/result_document.h"
#include "wire/xml.h"

namespace s3tug::wire {

namespace {

Error misleading(Op op, std::string_view why) {
    return {ErrorKind::refused, "the store's answer to " + std::string(to_string(op)) + " " + std::string(why)};
}

bool is_true(pugi::xml_node root, std::string_view element) {
    return to_lower(xml::child_text(root, element)) == "true";
}

bool says_url(pugi::xml_node root) { return to_lower(xml::child_text(root, "EncodingType")) == "url"; }

bool is_named(pugi::xml_node node, std::string_view name) { return xml::local_name(node.name()) == name; }

ListedObject object_of(pugi::xml_node contents) {
    return {.key = {},
            .size = parse_decimal(xml::child_text(contents, "Size")),
            .etag = unquote_etag(xml::child_text(contents, "ETag")),
            .last_modified = parse_iso_time(xml::child_text(contents, "LastModified")),
            .storage_class = xml::child_text(contents, "StorageClass")};
}

/// Where a store goes on that knows markers alone. It may leave out the marker when that is the last name of the page,
/// and may or may not encode it.
std::string next_marker(pugi::xml_node root, const ListObjectsPage& page) {
    const std::string last_key = page.objects.empty() ? std::string() : page.objects.back().key;
    const std::string last_prefix = page.common_prefixes.empty() ? std::string() : page.common_prefixes.back();
    std::string marker = xml::raw_text(xml::child(root, "NextMarker"));
    if (marker.empty()) return std::max(last_key, last_prefix);
    if (marker == last_key || marker == last_prefix) return marker;
    std::string decoded;
    return says_url(root) && decode_listed_name(marker, decoded) ? decoded : marker;
}

std::optional<Error> find_next(pugi::xml_node root, const ListPosition& asked, ListObjectsPage& page) {
    std::string token = xml::raw_text(xml::child(root, "NextContinuationToken"));
    const bool says_nothing = !xml::child(root, "IsTruncated");
    if (!is_true(root, "IsTruncated") && (token.empty() || !says_nothing)) return std::nullopt;
    ListPosition next;
    if (!token.empty()) {
        next.token = std::move(token);
    } else {
        next.marker = next_marker(root, page);
    }
    constexpr Op op = Op::list_objects_v2;
    if (next.at_start()) return misleading(op, "is cut, but does not say where it goes on");
    if (std::max(next.token.size(), next.marker.size()) > limits::list_token_max_bytes) {
        return misleading(op, "goes on at a token that is too long to be one");
    }
    if (next == asked) return misleading(op, "goes on where it began, so it would never end");
    page.next = std::move(next);
    return std::nullopt;
}

/// 1 to limits::parts_max; 0 when it is none.
unsigned part_number(std::string_view text) {
    const auto number = parse_decimal(text);
    return number && *number <= limits::parts_max ? static_cast<unsigned>(*number) : 0;
}

}  // namespace

Result<ListObjectsPage> parse_list_objects_v2(const HttpAnswer& answer, const ListObjectsInput& asked) {
    constexpr Op op = Op::list_objects_v2;
    pugi::xml_document document;
    const pugi::xml_node root = load_result(document, answer, "ListBucket");
    if (!root) return missing_result(op, answer, "a listing");
    ListObjectsPage page;
    std::vector<std::string> keys;
    for (const pugi::xml_node node : root.children()) {
        if (is_named(node, "Contents")) {
            page.objects.push_back(object_of(node));
            keys.push_back(xml::raw_text(xml::child(node, "Key")));
        } else if (is_named(node, "CommonPrefixes")) {
            page.common_prefixes.push_back(xml::raw_text(xml::child(node, "Prefix")));
        }
    }
    const bool encoded = says_url(root);
    const auto empty = [](const std::string& name) { return name.empty(); };
    if (std::ranges::any_of(keys, empty) || std::ranges::any_of(page.common_prefixes, empty)) {
        return misleading(op, "lists an object without a key");
    }
    if (!decode_listed_names(keys, encoded, asked.prefix) ||
        !decode_listed_names(page.common_prefixes, encoded, asked.prefix)) {
        return misleading(op, "lists keys outside of the prefix '" +
                                  printable(asked.prefix, limits::trace_text_max_bytes) +
                                  "'; does it ignore prefixes?");
    }
    for (std::size_t i = 0; i < keys.size(); ++i) page.objects[i].key = std::move(keys[i]);
    if (auto error = find_next(root, asked.position, page)) return *std::move(error);
    return page;
}

Result<ListBucketsPage> parse_list_buckets(const HttpAnswer& answer, const ListBucketsInput& asked) {
    constexpr Op op = Op::list_buckets;
    pugi::xml_document document;
    const pugi::xml_node root = load_result(document, answer, "ListAllMyBuckets");
    if (!root) return missing_result(op, answer, "a listing");
    ListBucketsPage page;
    for (const pugi::xml_node node : xml::child(root, "Buckets").children()) {
        if (!is_named(node, "Bucket")) continue;
        ListedBucket bucket{.name = xml::child_text(node, "Name"),
                            .created = parse_iso_time(xml::child_text(node, "CreationDate"))};
        if (bucket.name.empty()) return misleading(op, "lists a bucket without a name");
        page.buckets.push_back(std::move(bucket));
    }
    page.next = xml::raw_text(xml::child(root, "ContinuationToken"));
    if (page.next.size() > limits::list_token_max_bytes || (!page.next.empty() && page.next == asked.token))
        return misleading(op, "goes on where it began, so it would never end");
    return page;
}

Result<ListPartsPage> parse_list_parts(const HttpAnswer& answer, const ListPartsInput& asked) {
    constexpr Op op = Op::list_parts;
    pugi::xml_document document;
    const pugi::xml_node root = load_result(document, answer, "ListParts");
    if (!root) return missing_result(op, answer, "a listing");
    ListPartsPage page;
    page.checksum = checksum_from_name(xml::child_text(root, "ChecksumAlgorithm"));
    page.scope = parse_checksum_scope(xml::child_text(root, "ChecksumType"));
    unsigned last = asked.after;
    for (const pugi::xml_node node : root.children()) {
        if (!is_named(node, "Part")) continue;
        const unsigned number = part_number(xml::child_text(node, "PartNumber"));
        const auto size = parse_decimal(xml::child_text(node, "Size"));
        if (number <= last) return misleading(op, "lists parts whose numbers do not rise");
        if (!size) return misleading(op, "lists part " + std::to_string(number) + " without its size");
        last = number;
        page.parts.push_back({.number = number,
                              .etag = unquote_etag(xml::child_text(node, "ETag")),
                              .size = *size,
                              .checksums = parse_checksum_elements(node)});
    }
    if (!is_true(root, "IsTruncated")) return page;
    const unsigned next = std::max(last, part_number(xml::child_text(root, "NextPartNumberMarker")));
    if (next <= asked.after) return misleading(op, "is cut, but does not say where it goes on");
    page.next = next;
    return page;
}

Result<ListMultipartUploadsPage> parse_list_multipart_uploads(const HttpAnswer& answer,
                                                              const ListMultipartUploadsInput& asked) {
    constexpr Op op = Op::list_multipart_uploads;
    pugi::xml_document document;
    const pugi::xml_node root = load_result(document, answer, "ListMultipartUploads");
    if (!root) return missing_result(op, answer, "a listing");
    ListMultipartUploadsPage page;
    std::string last_key, last_id;
    for (const pugi::xml_node node : root.children()) {
        if (!is_named(node, "Upload")) continue;
        ListedUpload upload{.key = xml::raw_text(xml::child(node, "Key")),
                            .upload_id = xml::child_text(node, "UploadId"),
                            .initiated = parse_iso_time(xml::child_text(node, "Initiated")),
                            .initiator = xml::child_text(xml::child(node, "Initiator"), "ID")};
        if (std::string key; says_url(root) && decode_listed_name(upload.key, key)) upload.key = std::move(key);
        if (upload.key.empty() || upload.upload_id.empty() || upload.upload_id.size() > limits::upload_id_max_bytes) {
            return misleading(op, "lists an upload without a key or id");
        }
        last_key = upload.key;
        last_id = upload.upload_id;
        if (upload.key.starts_with(asked.prefix)) page.uploads.push_back(std::move(upload));
    }
    if (!is_true(root, "IsTruncated")) return page;
    page.last = false;
    page.next_key_marker = xml::raw_text(xml::child(root, "NextKeyMarker"));
    page.next_upload_id_marker = xml::child_text(root, "NextUploadIdMarker");
    if (std::string key; says_url(root) && decode_listed_name(page.next_key_marker, key)) page.next_key_marker = key;
    if (page.next_key_marker.empty()) {  // Swift 2.30 gives empty markers
        page.next_key_marker = last_key;
        page.next_upload_id_marker = last_id;
    }
    const bool leads_on = page.next_key_marker != asked.key_marker ||  //
                          page.next_upload_id_marker != asked.upload_id_marker;
    if (page.next_key_marker.empty() || !leads_on) return misleading(op, "is cut, but does not say where it goes on");
    return page;
}

}  // namespace s3tug::wire
