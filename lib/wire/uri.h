#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace s3tug::wire {

/// s3://BUCKET/KEY as typed: the key is raw bytes, nothing is decoded or normalised (a `%20` typed is those 3 bytes).
struct S3Uri {
    std::string bucket;
    std::string key;  ///< may be empty, may end in '/'

    [[nodiscard]] bool names_folder() const { return key.empty() || key.back() == '/'; }
    bool operator==(const S3Uri&) const = default;
};

/// Whether this is meant as one, misspelt ("S3://", "s3:/b/k") too: then parse_s3_uri() tells what is wrong, and it is
/// not taken for a local file.
[[nodiscard]] bool looks_like_s3_uri(std::string_view text);
/// A bucket has 3 to limits::bucket_name_max of letters, digits, `.`, `-` and `_`; `?` and `#` are part of the key.
/// Errors (`usage`) name the input, what is wrong with the bucket name or key (over 1024 bytes), and the right form.
[[nodiscard]] Result<S3Uri> parse_s3_uri(std::string_view text);
[[nodiscard]] std::string to_text(const S3Uri& uri);  ///< "s3://bucket/key", printable

}  // namespace s3tug::wire
