#include "wire/object_requests.h"

#include "wire/request_parts.h"

namespace s3tug::wire {

Request put_object(const PutObjectInput& input) {
    Request request = object_request(Op::put_object, Method::put, input.target);
    request.body_bytes = input.size;
    request.has_body = true;
    request.payload_word = input.payload_word;
    add_properties(request.headers, input.properties);
    add_conditions(request.headers, input.conditions);
    if (input.checksum) add_checksum(request.headers, *input.checksum);
    if (!input.content_md5.empty()) request.headers.set("content-md5", input.content_md5);
    if (!input.write_token.empty()) request.headers.set(write_token_header, input.write_token);
    return request;
}

Request get_object(const GetObjectInput& input) {
    Request request = object_request(Op::get_object, Method::get, input.source);
    add_version(request, input.version_id);
    add_extra(request, input.extra);
    request.headers.set("x-amz-checksum-mode", "ENABLED");
    if (!input.if_match.empty()) request.headers.set("if-match", quote_etag(input.if_match));
    if (input.range_first) {
        std::string range = "bytes=" + std::to_string(*input.range_first) + "-";
        if (input.range_last) range.append(std::to_string(*input.range_last));
        request.headers.set("range", range);
    }
    return request;
}

Request head_object(const HeadObjectInput& input) {
    Request request = object_request(Op::head_object, Method::head, input.target);
    add_version(request, input.version_id);
    if (input.part_number > 0) request.query.push_back({"partNumber", std::to_string(input.part_number)});
    if (!input.if_match.empty()) request.headers.set("if-match", quote_etag(input.if_match));
    add_extra(request, input.extra);
    request.headers.set("x-amz-checksum-mode", "ENABLED");
    return request;
}

Request delete_object(const DeleteObjectInput& input) {
    Request request = object_request(Op::delete_object, Method::del, input.target);
    add_version(request, input.version_id);
    add_extra(request, input.extra);
    if (!input.if_match.empty()) request.headers.set("if-match", quote_etag(input.if_match));
    return request;
}

Request copy_object(const CopyObjectInput& input) {
    Request request = object_request(Op::copy_object, Method::put, input.target);
    if (input.replace_metadata) {
        add_properties(request.headers, input.properties);
        if (!input.write_token.empty()) request.headers.set(write_token_header, input.write_token);
    } else {
        ObjectProperties kept;
        kept.storage_class = input.properties.storage_class;
        kept.extra = input.properties.extra;
        add_properties(request.headers, kept);
    }
    add_conditions(request.headers, input.conditions);
    request.headers.set("x-amz-metadata-directive", input.replace_metadata ? "REPLACE" : "COPY");
    request.headers.set("x-amz-copy-source", copy_source(input.source, input.source_version_id));
    if (!input.source_if_match.empty()) {
        request.headers.set("x-amz-copy-source-if-match", quote_etag(input.source_if_match));
    }
    return request;
}

Request head_bucket(std::string_view bucket) { return bucket_request(Op::head_bucket, Method::head, bucket); }

}  // namespace s3tug::wire
