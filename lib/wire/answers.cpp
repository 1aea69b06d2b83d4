#include "wire/answers.h"

#include "base/text.h"
#include "wire/checksum_elements.h"
#include "wire/result_document.h"
#include "wire/xml.h"

namespace s3tug::wire {

namespace {

std::string header_text(const HttpAnswer& answer, std::string_view name) {
    return std::string(trim(answer.headers.find(name).value_or(std::string_view{})));
}

}  // namespace

WriteResult parse_put_object(const HttpAnswer& answer) {
    return {.etag = unquote_etag(header_text(answer, "etag")),
            .version_id = header_text(answer, "x-amz-version-id"),
            .checksums = parse_checksums(answer.headers)};
}

Result<WriteResult> parse_copy_object(const HttpAnswer& answer) {
    pugi::xml_document document;
    const pugi::xml_node root = load_result(document, answer, "CopyObject");
    std::string etag = unquote_etag(xml::child_text(root, "ETag"));
    if (etag.empty()) return missing_result(Op::copy_object, answer, "an ETag");
    return WriteResult{.etag = std::move(etag),
                       .version_id = header_text(answer, "x-amz-version-id"),
                       .checksums = parse_checksum_elements(root)};
}

DeleteResult parse_delete_object(const HttpAnswer& answer) {
    return {.version_id = header_text(answer, "x-amz-version-id"),
            .delete_marker = to_lower(header_text(answer, "x-amz-delete-marker")) == "true"};
}

}  // namespace s3tug::wire
