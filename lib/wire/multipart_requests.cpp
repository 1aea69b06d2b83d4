#include "wire/multipart_requests.h"

#include "wire/checksum_elements.h"
#include "wire/request_parts.h"
#include "wire/xml_writer.h"

namespace s3tug::wire {

namespace {

constexpr std::string_view copy_source_key_prefix = "x-amz-copy-source-server-side-encryption-customer-";
constexpr std::string_view source_owner = "x-amz-source-expected-bucket-owner";

bool is_about_copy_source(std::string_view name) {
    return name.starts_with(copy_source_key_prefix) || name == source_owner;
}

/// POST without a body, but with its length: GCS answers 411 otherwise (facts/errors.csv, MissingContentLength).
Request empty_post(Op op, const S3Uri& target) {
    Request request = object_request(op, Method::post, target);
    request.has_body = true;
    return request;
}

void add_part(Request& request, unsigned number, std::string_view upload_id) {
    add_parameter(request, "partNumber", std::to_string(number));
    add_parameter(request, "uploadId", upload_id);
}

std::string_view type_name(ChecksumScope scope) {
    return scope == ChecksumScope::full_object ? "FULL_OBJECT" : "COMPOSITE";
}

std::string parts_document(const std::vector<CompletedPart>& parts) {
    static constexpr std::size_t usual_part_bytes = 200;
    std::string xml;
    xml.reserve(parts.size() * usual_part_bytes + usual_part_bytes);
    xml.append("<CompleteMultipartUpload xmlns=\"").append(xml_namespace).append("\">");
    for (const CompletedPart& part : parts) {
        xml.append("<Part>");
        xml::append_element(xml, "PartNumber", std::to_string(part.number));
        xml::append_element(xml, "ETag", quote_etag(part.etag));
        if (part.checksum) {
            xml::append_element(xml, checksum_element(part.checksum->algorithm), part.checksum->base64);
        }
        xml.append("</Part>");
    }
    return xml.append("</CompleteMultipartUpload>");
}

}  // namespace

ChecksumScope multipart_scope(ChecksumAlgorithm algorithm) {
    switch (algorithm) {
        case ChecksumAlgorithm::crc64nvme:
        case ChecksumAlgorithm::crc32:
        case ChecksumAlgorithm::crc32c: return ChecksumScope::full_object;
        case ChecksumAlgorithm::sha1:
        case ChecksumAlgorithm::sha256: break;
    }
    return ChecksumScope::composite;
}

Request create_multipart_upload(const CreateMultipartUploadInput& input) {
    Request request = empty_post(Op::create_multipart_upload, input.target);
    add_parameter(request, "uploads", "");
    add_properties(request.headers, input.properties);
    for (const Header& line : input.properties.extra) {
        if (is_about_copy_source(line.name)) request.headers.remove(line.name);
    }
    if (input.checksum) {
        const ChecksumScope scope = input.scope.value_or(multipart_scope(*input.checksum));
        request.headers.set("x-amz-checksum-algorithm", upper_name(*input.checksum));
        request.headers.set("x-amz-checksum-type", type_name(scope));
    }
    if (!input.write_token.empty()) request.headers.set(write_token_header, input.write_token);
    return request;
}

Request upload_part(const UploadPartInput& input) {
    Request request = object_request(Op::upload_part, Method::put, input.target);
    add_part(request, input.number, input.upload_id);
    request.body_bytes = input.size;
    request.has_body = true;
    request.payload_word = input.payload_word;
    add_request_extra(request, input.extra);
    if (input.checksum) add_checksum(request.headers, *input.checksum);
    if (!input.content_md5.empty()) request.headers.set("content-md5", input.content_md5);
    return request;
}

Request upload_part_copy(const UploadPartCopyInput& input) {
    Request request = object_request(Op::upload_part_copy, Method::put, input.target);
    add_part(request, input.number, input.upload_id);
    add_request_extra(request, input.extra);
    for (const Header& line : input.extra) {
        if (is_about_copy_source(line.name)) request.headers.set(line.name, line.value);
    }
    request.headers.set("x-amz-copy-source", copy_source(input.source, input.source_version_id));
    request.headers.set("x-amz-copy-source-range",
                        "bytes=" + std::to_string(input.first) + "-" + std::to_string(input.last));
    if (!input.source_if_match.empty()) {
        request.headers.set("x-amz-copy-source-if-match", quote_etag(input.source_if_match));
    }
    return request;
}

Request complete_multipart_upload(const CompleteMultipartUploadInput& input) {
    Request request = object_request(Op::complete_multipart_upload, Method::post, input.target);
    add_parameter(request, "uploadId", input.upload_id);
    add_request_extra(request, input.extra);
    add_conditions(request.headers, input.conditions);
    if (input.checksum) {
        const Checksum& value = input.checksum->value;
        std::string text = value.base64;
        if (input.checksum->scope == ChecksumScope::composite) {
            text.append("-").append(std::to_string(input.parts.size()));
        }
        request.headers.set("x-amz-checksum-" + std::string(wire_name(value.algorithm)), text);
        request.headers.set("x-amz-checksum-type", type_name(input.checksum->scope));
    }
    if (input.object_size) request.headers.set("x-amz-mp-object-size", std::to_string(*input.object_size));
    set_xml_body(request, parts_document(input.parts));
    return request;
}

Request abort_multipart_upload(const AbortMultipartUploadInput& input) {
    Request request = object_request(Op::abort_multipart_upload, Method::del, input.target);
    add_parameter(request, "uploadId", input.upload_id);
    add_request_extra(request, input.extra);
    return request;
}

}  // namespace s3tug::wire
