#pragma once

#include <cstdint>
#include <string_view>

namespace s3tug::wire {

/// The S3 operations that we send, by their API names. A new one needs a builder, a parser, a row in
/// policy/idempotency and a case in the lab.
enum class Op : uint8_t { head_bucket, head_object, get_object, put_object, delete_object, copy_object };

[[nodiscard]] std::string_view to_string(Op op);  ///< "PutObject"

enum class Method : uint8_t { get, head, put, post, del };
[[nodiscard]] std::string_view to_string(Method method);  ///< "PUT"

}  // namespace s3tug::wire
