#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "policy/classify.h"
#include "wire/reply.h"

/// Replies as tests of the classifier need them, and what it makes of them.
namespace s3tug::policy::test {

using HeaderList = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// 2026-11-29T21:01:30Z, the time of all replies here unless a test says otherwise.
inline const WallTime received = wall_from_unix_seconds(1'795'986'090);
inline constexpr std::string_view received_date = "Sun, 29 Nov 2026 21:01:30 GMT";

inline wire::HttpAnswer head(int status, HeaderList headers, std::string body = {}) {
    wire::HttpAnswer answer;
    answer.status = status;
    for (const auto& [name, value] : headers) answer.headers.add(name, value);
    answer.body = std::move(body);
    return answer;
}

inline wire::Reply answered(int status, HeaderList headers = {}, std::string body = {}) {
    wire::Reply reply;
    reply.outcome = head(status, headers, std::move(body));
    reply.received_at = received;
    reply.facts.request_bytes = 400;
    reply.facts.answer_begun = true;
    return reply;
}

/// <Error> with the code and further elements, such as "<Region>eu-west-1</Region>".
inline std::string error_xml(std::string_view code, std::string_view more = {}) {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + std::string(code) + "</Code>" +
           std::string(more) + "<RequestId>4F2A</RequestId></Error>";
}

inline wire::Reply refused(int status, std::string_view code, HeaderList headers = {}, std::string_view more = {}) {
    return answered(status, headers, error_xml(code, more));
}

/// A failure after the whole request went out on a new connection, with no answer byte seen.
inline wire::Reply failed(wire::TransportCode code, std::string detail = {}) {
    wire::Reply reply;
    reply.outcome = wire::TransportFailure{code, std::move(detail)};
    reply.facts.request_bytes = 400;
    return reply;
}

inline RequestContext context_of(wire::Op op) {
    RequestContext context;
    context.op = op;
    return context;
}

/// A put of 1000 bytes; replies to it say by themselves how many were sent.
inline RequestContext put_of_1000() {
    RequestContext context = context_of(wire::Op::put_object);
    context.body_bytes = 1000;
    return context;
}

inline wire::Reply with_body_sent(wire::Reply reply, uint64_t bytes) {
    reply.facts.body_bytes_sent = bytes;
    reply.facts.request_bytes += bytes;
    return reply;
}

inline void check(const Verdict& v, FailureClass cls, RetryRule retry, Effect effect) {
    CHECK(to_string(v.cls) == to_string(cls));
    CHECK(to_string(v.retry) == to_string(retry));
    CHECK(to_string(v.effect) == to_string(effect));
}

}  // namespace s3tug::policy::test
