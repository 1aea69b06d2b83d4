#include "wire/uri.h"

#include <algorithm>
#include <string>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/text.h"

namespace s3tug::wire {

namespace {

constexpr std::string_view scheme = "s3://";
constexpr std::size_t bucket_name_min = 3;

bool is_bucket_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
}

Error bad_uri(std::string_view text, std::string_view reason) {
    return {ErrorKind::usage, "'" + printable(text, limits::trace_text_max_bytes) + "': " + std::string(reason) +
                                  "; write s3://BUCKET/KEY"};
}

/// What is wrong with a bucket name; empty when nothing is. Looser than AWS (3 to 63 of [a-z0-9.-]), since other stores
/// and old buckets have names that AWS no longer gives out.
std::string bucket_fault(std::string_view bucket) {
    if (bucket.empty()) return "the bucket name is missing";
    if (bucket.starts_with("arn:")) return "ARNs are not taken as bucket names, use the access point's alias";
    const auto odd = std::ranges::find_if_not(bucket, is_bucket_byte);
    if (odd != bucket.end()) {
        return "a bucket name has only letters, digits, '.', '-' and '_', not '" + printable({&*odd, 1}) + "'";
    }
    if (bucket.size() < bucket_name_min) return "a bucket name has at least 3 characters";
    if (bucket.size() > limits::bucket_name_max) {
        return "a bucket name has at most " + std::to_string(limits::bucket_name_max) + " characters, this one has " +
               std::to_string(bucket.size());
    }
    return {};
}

}  // namespace

bool looks_like_s3_uri(std::string_view text) { return to_lower(text.substr(0, 4)) == "s3:/"; }

Result<S3Uri> parse_s3_uri(std::string_view text) {
    if (!text.starts_with(scheme)) {
        if (to_lower(text.substr(0, scheme.size())) == scheme) return bad_uri(text, "the scheme is lower-case");
        if (looks_like_s3_uri(text)) return bad_uri(text, "two slashes follow 's3:'");
        return bad_uri(text, "not an s3:// address");
    }
    const std::string_view rest = text.substr(scheme.size());
    const std::size_t slash = rest.find('/');
    const std::string_view bucket = rest.substr(0, slash);
    const std::string_view key = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
    if (const std::string fault = bucket_fault(bucket); !fault.empty()) return bad_uri(text, fault);
    if (key.size() > limits::key_max_bytes) {
        return bad_uri(text, "a key has at most " + std::to_string(limits::key_max_bytes) + " bytes, this one has " +
                                 std::to_string(key.size()));
    }
    return S3Uri{.bucket = std::string(bucket), .key = std::string(key)};
}

std::string to_text(const S3Uri& uri) {
    std::string text(scheme);
    text.append(uri.bucket).append("/").append(uri.key);
    return printable(text, scheme.size() + limits::bucket_name_max + 1 + limits::key_max_bytes);
}

}  // namespace s3tug::wire
