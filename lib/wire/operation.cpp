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
