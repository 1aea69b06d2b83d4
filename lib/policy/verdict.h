#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"

namespace s3tug::policy {

/// What a reply means. The classes are those of facts/errors.csv.
enum class FailureClass : uint8_t {
    none,  ///< success
    throttling,
    server,
    transient_network,
    timeout,
    clock_skew,
    redirect,
    expired_credentials,
    access,
    not_found,
    precondition,
    conflict,
    integrity,
    client_bug,
    unsupported,
    quota,
    tls_trust,
    local_io,
    unknown,
};
[[nodiscard]] std::string_view to_string(FailureClass c);

/// What the answer says about this attempt's effect on the store.
enum class Effect : uint8_t { not_applied, applied, unknown };
[[nodiscard]] std::string_view to_string(Effect e);

/// The `retry` column of facts/errors.csv.
enum class RetryRule : uint8_t { no, yes, once_after_fix, verify_first };
[[nodiscard]] std::string_view to_string(RetryRule r);

/// What can be mended before the same request is sent again; each kind at most once per request.
enum class Repair : uint8_t {
    none,
    clock_offset,      ///< sign with the server's time
    region,            ///< sign for (and on AWS go to) the bucket's region
    credentials,       ///< read the credentials again
    checksum_style,    ///< leave out the checksum that we added by ourselves
    fresh_connection,  ///< do not reuse the connection
    reread_source,     ///< source unchanged? then hash and send again
    drop_expect,       ///< no Expect: 100-continue
    restart,           ///< begin the download again from byte 0
    list_parts,        ///< multipart only: compare parts, send the missing ones
};
[[nodiscard]] std::string_view to_string(Repair r);

/// How long the server asked us to wait.
struct ServerHint {
    enum class Unit : uint8_t { retry_after, amz_retry_after } unit;
    Duration value;  ///< already relative to the server's own Date; never negative
};

struct Verdict {
    FailureClass cls = FailureClass::none;
    Effect effect = Effect::applied;
    RetryRule retry = RetryRule::no;
    Repair repair = Repair::none;  ///< needed for once_after_fix; fresh_connection may come with `yes` too
    bool counts_for_breaker = false;
    bool host_answered = false;  ///< any HTTP answer: a living host (breaker success when it does not count)
    int status = 0;              ///< HTTP status, 0 when there was none
    std::string code;            ///< S3 error code, or libcurl result name, or "HTTP 502"
    std::string message;         ///< the store's words, printable and bounded
    std::string request_id;
    std::optional<ServerHint> hint;
    std::optional<Duration> clock_offset;  ///< server Date minus local wall time, when |offset| is repairable
    std::string region;                    ///< validated region the answer named
    std::string endpoint;                  ///< host or address the answer named; shown, never followed

    [[nodiscard]] bool success() const { return cls == FailureClass::none; }
};

/// How a class ends an item when nothing more can be done (design section 2, column "classes").
[[nodiscard]] ErrorKind error_kind_of(const Verdict& verdict);

}  // namespace s3tug::policy
