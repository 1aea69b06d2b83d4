#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "policy/verdict.h"
#include "wire/operation.h"
#include "wire/reply.h"

namespace s3tug::policy {

/// What the classifier must know of the request to read its reply.
struct RequestContext {
    wire::Op op = wire::Op::head_object;
    uint64_t body_bytes = 0;   ///< length of the request body
    bool ranged = false;       ///< a Range header was sent
    bool of_part = false;      ///< a HEAD that asks for one part of an object: 206 is its success
    bool conditional = false;  ///< If-Match or If-None-Match was sent
    bool aws_endpoint = false;
    bool own_checksum = false;  ///< we added a checksum that the user did not ask for
    bool has_session_token = false;
    bool expect_sent = false;
    bool store_refuses_short_bodies = true;  ///< facts/idempotency.md fact 4; false for VersityGW
    Duration clock_offset{};                 ///< that the request was signed with; a stale one is a wrong clock too
    std::string region{};                    ///< that the request was signed for; empty = not known
};

/// (request, reply) -> verdict. Order of look-up: transport result not OK -> its row; else XML <Code> at any status ->
/// its row; else the status row (facts/README.md). After the table come the few rules that need more than a name:
/// - nothing sent, a short body or an operation that only reads = not_applied (facts/idempotency.md fact 4);
/// - an error answer that came before the transport failed is believed: 403 and a reset is 403;
/// - HEAD has no body: 400 may be the region or an expired token, 403 the clock, 405 a delete marker;
/// - a repair is named only when the answer holds what it needs: a valid other region, a Date that differs, a checksum
///   or Expect that we added ourselves. Without it once_after_fix becomes `no`;
/// - 200 with an error document, without its result element, or as HTML is no success; 206 must name its range;
/// - a reused connection that was dead: fresh_connection, when the effect is not_applied;
/// - DELETE without a condition of a key that is not there is success (design section 2), and so is Abort of an upload
///   that is not there;
/// - NoSuchUpload (Ceph and Swift: NoSuchKey) is final for parts and their listing, with "upload gone" in the message;
///   for Complete it may be the echo of our own success (facts/idempotency.md section 4);
/// - 409 to Complete is final: S3 wants a new upload with all parts again, which is the caller's to begin;
/// - InvalidPart is mended by comparing parts for Complete alone;
/// - DeleteObjects with an error for any key is no success ("200 with errors for some keys"): the caller reads the
///   keys and judges each by classify_key().
/// Pure, never throws; text from the answer is made printable, bounded by limits::trace_text_max_bytes and cut where it
/// echoes a signature or token.
[[nodiscard]] Verdict classify(const RequestContext& context, const wire::Reply& reply);

/// One <Error> of a DeleteObjects answer, by its code, as if it were the answer to a DeleteObject of that key: a key
/// that is not there is success; what the table would repair is final.
[[nodiscard]] Verdict classify_key(std::string_view code, std::string_view message);

/// A success of classify() whose body turned out to hold no usable result when it was parsed ("200 without its
/// result"): reads are repeated, the outcome of writes is unknown. `why` is the parser's message.
[[nodiscard]] Verdict without_result(wire::Op op, Verdict verdict, std::string_view why);

}  // namespace s3tug::policy
