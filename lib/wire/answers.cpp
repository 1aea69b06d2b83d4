#include "wire/answers.h"

#include <array>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"
#include "wire/xml.h"

namespace s3tug::wire {

namespace {

std::string header_text(const HttpAnswer& answer, std::string_view name) {
    return std::string(trim(answer.headers.find(name).value_or(std::string_view{})));
}

struct ChecksumElement {
    ChecksumAlgorithm algorithm;
    std::string_view name;
};
constexpr std::array<ChecksumElement, 5> checksum_elements = {{{ChecksumAlgorithm::crc64nvme, "ChecksumCRC64NVME"},
                                                               {ChecksumAlgorithm::crc32c, "ChecksumCRC32C"},
                                                               {ChecksumAlgorithm::crc32, "ChecksumCRC32"},
                                                               {ChecksumAlgorithm::sha256, "ChecksumSHA256"},
                                                               {ChecksumAlgorithm::sha1, "ChecksumSHA1"}}};

std::vector<StoredChecksum> element_checksums(pugi::xml_node result) {
    const std::string type = xml::child_text(result, "ChecksumType");
    std::vector<StoredChecksum> found;
    for (const ChecksumElement& element : checksum_elements) {
        const std::string text = xml::child_text(result, element.name);
        if (text.empty()) continue;
        if (auto checksum = parse_checksum(element.algorithm, text, type)) found.push_back(*std::move(checksum));
    }
    return found;
}

/// What stands where a result was due, for the message.
std::string describe(const ParsedBody& body) {
    switch (body.kind) {
        case BodyKind::empty: return "an empty body";
        case BodyKind::error_document: return "the error " + printable(body.error.code, limits::trace_text_max_bytes);
        case BodyKind::other_xml:
            return "<" + printable(body.root_element, limits::trace_text_max_bytes) + "> without an ETag of a copy";
        case BodyKind::html: return "an HTML page, as from a proxy";
        case BodyKind::truncated_xml: return "a body that is cut off";
        case BodyKind::other: break;
    }
    return "a body that is no XML";
}

}  // namespace

WriteResult parse_put_object(const HttpAnswer& answer) {
    return {.etag = unquote_etag(header_text(answer, "etag")),
            .version_id = header_text(answer, "x-amz-version-id"),
            .checksums = parse_checksums(answer.headers)};
}

Result<WriteResult> parse_copy_object(const HttpAnswer& answer) {
    const std::string_view text = trim(std::string_view(answer.body).substr(0, limits::error_body_max_bytes));
    pugi::xml_document document;
    if (!answer.body_truncated && xml::load(document, text)) {
        const pugi::xml_node root = document.document_element();
        std::string etag = unquote_etag(xml::child_text(root, "ETag"));
        if (xml::local_name(root.name()) == "CopyObjectResult" && !etag.empty()) {
            return WriteResult{.etag = std::move(etag),
                               .version_id = header_text(answer, "x-amz-version-id"),
                               .checksums = element_checksums(root)};
        }
    }
    return Error{ErrorKind::refused, "the store answered " + std::to_string(answer.status) +
                                         " to CopyObject, but with " + describe(parse_body(answer)) +
                                         " in place of a result; whether the copy was made is not known"};
}

DeleteResult parse_delete_object(const HttpAnswer& answer) {
    return {.version_id = header_text(answer, "x-amz-version-id"),
            .delete_marker = to_lower(header_text(answer, "x-amz-delete-marker")) == "true"};
}

}  // namespace s3tug::wire
