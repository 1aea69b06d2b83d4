#pragma once

#include "policy/verdict.h"
#include "wire/operation.h"
#include "wire/reply.h"

namespace s3tug::policy {

/// What the classifier must know of the request to read its reply.
struct RequestContext {
    wire::Op op = wire::Op::head_object;
    uint64_t body_bytes = 0;   ///< length of the request body
    bool ranged = false;       ///< a Range header was sent
    bool conditional = false;  ///< If-Match or If-None-Match was sent
    bool aws_endpoint = false;
    bool own_checksum = false;  ///< we added a checksum that the user did not ask for
    bool has_session_token = false;
    bool expect_sent = false;
    bool store_refuses_short_bodies = true;  ///< facts/idempotency.md fact 4; false for VersityGW
};

/// (request, reply) -> verdict. Order of look-up: transport result not OK -> its row; else XML <Code> at any status ->
/// its row; else the status row (facts/README.md). After the table come the few rules that need more than a name:
/// nothing sent or a short body = not_applied, HEAD without a body, skew only when the Dates say so, region only when
/// the answer names a valid one, 200 with an error document or without its result element.
[[nodiscard]] Verdict classify(const RequestContext& context, const wire::Reply& reply);

}  // namespace s3tug::policy
