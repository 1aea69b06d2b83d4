#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace s3tug::wire {

/// The S3 operations that we send, by their API names. A new one needs a builder, a parser, a row in
/// policy/idempotency and a case in the lab.
enum class Op : uint8_t {
    head_bucket,
    head_object,
    get_object,
    put_object,
    delete_object,
    copy_object,
    create_multipart_upload,
    upload_part,
    upload_part_copy,
    complete_multipart_upload,
    abort_multipart_upload,
    list_parts,
    list_multipart_uploads,
    list_objects_v2,
    delete_objects,
    list_buckets,
};

/// All of them, in the order of their values.
inline constexpr std::array all_ops{
    Op::head_bucket,
    Op::head_object,
    Op::get_object,
    Op::put_object,
    Op::delete_object,
    Op::copy_object,
    Op::create_multipart_upload,
    Op::upload_part,
    Op::upload_part_copy,
    Op::complete_multipart_upload,
    Op::abort_multipart_upload,
    Op::list_parts,
    Op::list_multipart_uploads,
    Op::list_objects_v2,
    Op::delete_objects,
    Op::list_buckets,
};

[[nodiscard]] std::string_view to_string(Op op);  ///< "PutObject"

/// Nothing in the store can change by it, so a lost answer costs a repeat and nothing else.
[[nodiscard]] constexpr bool only_reads(Op op) {
    switch (op) {
        case Op::head_bucket:
        case Op::head_object:
        case Op::get_object:
        case Op::list_parts:
        case Op::list_multipart_uploads:
        case Op::list_objects_v2:
        case Op::list_buckets: return true;
        case Op::put_object:
        case Op::delete_object:
        case Op::copy_object:
        case Op::create_multipart_upload:
        case Op::upload_part:
        case Op::upload_part_copy:
        case Op::complete_multipart_upload:
        case Op::abort_multipart_upload:
        case Op::delete_objects: return false;
    }
    return false;
}

/// The store may work for minutes before its answer, or send blanks meanwhile (limits::slow_answer_timeout;
/// facts/idempotency.md section 4 step 1).
[[nodiscard]] constexpr bool answers_late(Op op) {
    return op == Op::copy_object || op == Op::upload_part_copy || op == Op::complete_multipart_upload;
}

enum class Method : uint8_t { get, head, put, post, del };
[[nodiscard]] std::string_view to_string(Method method);  ///< "PUT"

}  // namespace s3tug::wire
