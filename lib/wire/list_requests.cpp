#include "wire/list_requests.h"

#include "wire/request_parts.h"

namespace s3tug::wire {

namespace {

void add_given(Request& request, std::string_view name, std::string_view value) {
    if (!value.empty()) add_parameter(request, name, value);
}

}  // namespace

Request list_objects_v2(const ListObjectsInput& input) {
    Request request = bucket_request(Op::list_objects_v2, Method::get, input.bucket);
    request.body_limit = limits::list_body_max_bytes;
    add_parameter(request, "encoding-type", "url");
    add_parameter(request, "max-keys", std::to_string(input.max_keys));
    add_given(request, "prefix", input.prefix);
    add_given(request, "delimiter", input.delimiter);
    if (!input.position.marker.empty()) {
        add_parameter(request, "marker", input.position.marker);
    } else {
        add_parameter(request, "list-type", "2");
        add_given(request, "continuation-token", input.position.token);
        if (input.position.at_start()) add_given(request, "start-after", input.start_after);
    }
    add_request_extra(request, input.extra);
    return request;
}

Request list_buckets(const ListBucketsInput& input) {
    Request request = bucket_request(Op::list_buckets, Method::get, {});
    request.body_limit = limits::list_body_max_bytes;
    add_given(request, "continuation-token", input.token);
    add_request_extra(request, input.extra);
    return request;
}

Request list_parts(const ListPartsInput& input) {
    Request request = object_request(Op::list_parts, Method::get, input.target);
    request.body_limit = limits::list_body_max_bytes;
    add_parameter(request, "uploadId", input.upload_id);
    add_parameter(request, "max-parts", std::to_string(input.max_parts));
    if (input.after > 0) add_parameter(request, "part-number-marker", std::to_string(input.after));
    add_request_extra(request, input.extra);
    return request;
}

Request list_multipart_uploads(const ListMultipartUploadsInput& input) {
    Request request = bucket_request(Op::list_multipart_uploads, Method::get, input.bucket);
    request.body_limit = limits::list_body_max_bytes;
    add_parameter(request, "uploads", "");
    add_parameter(request, "max-uploads", std::to_string(input.max_uploads));
    add_given(request, "prefix", input.prefix);
    add_given(request, "key-marker", input.key_marker);
    if (!input.key_marker.empty()) add_given(request, "upload-id-marker", input.upload_id_marker);
    add_request_extra(request, input.extra);
    return request;
}

}  // namespace s3tug::wire
