#pragma once

#include <string_view>

namespace s3tug::wire {

/// S3's own default for objects without a type.
inline constexpr std::string_view default_content_type = "binary/octet-stream";

/// Content-Type by the last extension of a file name or path (any case), default_content_type when it is not known.
/// It names the bytes as they are: `a.tar.gz`, `a.tgz` and `a.txt.gz` are application/gzip and carry no
/// Content-Encoding, so that nobody on the way unpacks them. A name that only begins with a dot has no extension.
[[nodiscard]] std::string_view content_type_of(std::string_view file_name);

}  // namespace s3tug::wire
