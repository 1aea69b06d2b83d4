#include "wire/multipart_answers.h"

#include "base/limits.h"
#include "base/text.h"
#include "wire/checksum_elements.h"
#include "wire/result_document.h"
#include "wire/xml.h"

namespace s3tug::wire {

namespace {

std::string_view header_text(const HttpAnswer& answer, std::string_view name) {
    return trim(answer.headers.find(name).value_or(std::string_view{}));
}

}  // namespace

Result<CreatedUpload> parse_create_multipart_upload(const HttpAnswer& answer) {
    pugi::xml_document document;
    const pugi::xml_node root = load_result(document, answer, "InitiateMultipartUpload");
    CreatedUpload created;
    created.upload_id = xml::child_text(root, "UploadId");
    if (created.upload_id.empty() || created.upload_id.size() > limits::upload_id_max_bytes) {
        return missing_result(Op::create_multipart_upload, answer, "an upload id");
    }
    created.checksum = checksum_from_name(header_text(answer, "x-amz-checksum-algorithm"));
    created.scope = parse_checksum_scope(header_text(answer, "x-amz-checksum-type"));
    return created;
}

Result<PartResult> parse_upload_part(const HttpAnswer& answer) {
    std::string etag = unquote_etag(header_text(answer, "etag"));
    if (etag.empty()) {
        return Error{ErrorKind::refused, "the store answered " + std::to_string(answer.status) +
                                             " to UploadPart, but without an ETag, which is needed to complete"};
    }
    return PartResult{.etag = std::move(etag), .checksums = parse_checksums(answer.headers)};
}

Result<PartResult> parse_upload_part_copy(const HttpAnswer& answer) {
    pugi::xml_document document;
    const pugi::xml_node root = load_result(document, answer, "CopyPart");
    std::string etag = unquote_etag(xml::child_text(root, "ETag"));
    if (etag.empty()) return missing_result(Op::upload_part_copy, answer, "an ETag");
    return PartResult{.etag = std::move(etag), .checksums = parse_checksum_elements(root)};
}

Result<WriteResult> parse_complete_multipart_upload(const HttpAnswer& answer) {
    pugi::xml_document document;
    const pugi::xml_node root = load_result(document, answer, "CompleteMultipartUpload");
    std::string etag = unquote_etag(xml::child_text(root, "ETag"));
    const bool forgotten = xml::child(root, "ETag") && !xml::child_text(root, "Key").empty();
    if (etag.empty() && !forgotten) return missing_result(Op::complete_multipart_upload, answer, "an ETag");
    return WriteResult{.etag = std::move(etag),
                       .version_id = std::string(header_text(answer, "x-amz-version-id")),
                       .checksums = parse_checksum_elements(root)};
}

}  // namespace s3tug::wire
