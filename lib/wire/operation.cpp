#include "wire/operation.h"

namespace s3tug::wire {

std::string_view to_string(Op op) {
    switch (op) {
        case Op::head_bucket: return "HeadBucket";
        case Op::head_object: return "HeadObject";
        case Op::get_object: return "GetObject";
        case Op::put_object: return "PutObject";
        case Op::delete_object: return "DeleteObject";
        case Op::copy_object: return "CopyObject";
        case Op::create_multipart_upload: return "CreateMultipartUpload";
        case Op::upload_part: return "UploadPart";
        case Op::upload_part_copy: return "UploadPartCopy";
        case Op::complete_multipart_upload: return "CompleteMultipartUpload";
        case Op::abort_multipart_upload: return "AbortMultipartUpload";
        case Op::list_parts: return "ListParts";
        case Op::list_multipart_uploads: return "ListMultipartUploads";
        case Op::list_objects_v2: return "ListObjectsV2";
        case Op::delete_objects: return "DeleteObjects";
        case Op::list_buckets: return "ListBuckets";
    }
    return "Unknown";
}

std::string_view to_string(Method method) {
    switch (method) {
        case Method::get: return "GET";
        case Method::head: return "HEAD";
        case Method::put: return "PUT";
        case Method::post: return "POST";
        case Method::del: return "DELETE";
    }
    return "GET";
}

}  // namespace s3tug::wire
