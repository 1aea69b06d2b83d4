#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/time.h"
#include "wire/credentials.h"
#include "wire/endpoint.h"
#include "wire/request.h"

/// AWS Signature Version 4, header and query form, each stage a pure function (facts/sigv4.md section 1; checked
/// against the published vectors and the S3 documentation examples).
namespace s3tug::wire::sigv4 {

struct Timestamp {
    std::string date;       ///< YYYYMMDD
    std::string date_time;  ///< YYYYMMDDTHHMMSSZ
};
[[nodiscard]] Timestamp timestamp(WallTime t);

/// The parts a signature covers, already encoded as they go on the wire.
struct CanonicalInput {
    std::string_view method;
    std::string_view encoded_path;
    std::vector<QueryParam> query;  ///< raw; encoded and sorted here
    Headers headers;                ///< those to be signed
    std::string_view payload_word;
};

[[nodiscard]] std::string canonical_query(const std::vector<QueryParam>& query);
[[nodiscard]] std::string signed_header_names(const Headers& headers);  ///< "host;x-amz-date"
[[nodiscard]] std::string canonical_request(const CanonicalInput& input);
[[nodiscard]] std::string scope(const Timestamp& time, std::string_view region, std::string_view service);
[[nodiscard]] std::string string_to_sign(const Timestamp& time, std::string_view scope,
                                         std::string_view canonical_request);
[[nodiscard]] Sha256Digest signing_key(std::string_view secret, std::string_view date, std::string_view region,
                                       std::string_view service);
[[nodiscard]] std::string signature(const Sha256Digest& key, std::string_view string_to_sign);

/// Headers that something on the way may change or that libcurl owns; they are sent but not signed.
[[nodiscard]] bool is_never_signed(std::string_view lower_name);

/// Remembers the signing key of the last (secret, date, region): four HMACs less per request.
class KeyCache {
  public:
    [[nodiscard]] const Sha256Digest& get(std::string_view secret, std::string_view date, std::string_view region,
                                          std::string_view service);

  private:
    std::string secret_, scope_;
    Sha256Digest key_{};
};

/// Signs for one attempt. `now` is the corrected wall time (local clock plus learned offset). Without credentials
/// (`--no-sign-request`) the request goes out unsigned.
[[nodiscard]] SignedRequest sign(const Request& request, const Endpoint& endpoint, const Credentials* credentials,
                                 WallTime now, KeyCache& cache);

/// A URL that carries its own signature. `expires` is 1 s to 7 days (604800 s), else a `usage` error.
[[nodiscard]] Result<std::string> presign(const Request& request, const Endpoint& endpoint,
                                          const Credentials& credentials, WallTime now, Duration expires,
                                          KeyCache& cache);

}  // namespace s3tug::wire::sigv4
