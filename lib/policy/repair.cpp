#include "policy/repair.h"

#include <chrono>

#include "base/limits.h"
#include "base/text.h"
#include "policy/answer_facts.h"

namespace s3tug::policy {

namespace {

void make_final(Verdict& v) {
    v.retry = RetryRule::no;
    v.repair = Repair::none;
}

void mend(Verdict& v, Repair repair) {
    v.retry = RetryRule::once_after_fix;
    v.repair = repair;
}

bool names_other_region(const RequestContext& context, const Verdict& v) {
    return !v.region.empty() && v.region != context.region;
}

/// A wrong clock is one reason among several for these; only the Dates can tell. The others name it themselves.
bool needs_proof_of_skew(const Verdict& v) { return v.cls == FailureClass::access || v.code == "AuthFailure"; }

/// True when the answer allows to correct the clock. The signature's time counts, not the bare clock: an offset that
/// was learned when the clock was wrong is itself wrong once the clock is set right.
bool mend_clock(const RequestContext& context, const RefusingAnswer& answer, Verdict& v) {
    const auto difference = clock_difference(answer.head.headers, answer.body.error.server_time, answer.received_at);
    if (!difference) return false;
    if (needs_proof_of_skew(v) && std::chrono::abs(*difference - context.clock_offset) <= limits::skew_tolerated) {
        return false;
    }
    v.clock_offset = difference;
    mend(v, Repair::clock_offset);
    return true;
}

bool speaks_of_checksums(const Verdict& v) {
    const std::string words = to_lower(v.message);
    return words.find("checksum") != std::string::npos || words.find("x-amz-sdk-") != std::string::npos;
}

/// May the checksum that we added ourselves be what the store stumbled over? Never for class integrity: there it did
/// its work. Known cases: facts/errors.csv NotImplemented; facts/sigv4.md, Payload; facts/peers.md (coopcycle#4832: a
/// store that signs other headers than we do).
bool refuses_own_checksum(const RequestContext& context, const Verdict& v) {
    if (!context.own_checksum) return false;
    if (v.cls == FailureClass::unsupported) return v.status == 501 || v.code == "UnsupportedArgument";
    // Swift 2.30 checks the list of parts against a schema that knows no checksums (measured).
    const bool odd_part_list = context.op == wire::Op::complete_multipart_upload && v.code == "MalformedXML";
    if (v.cls == FailureClass::client_bug) return odd_part_list || speaks_of_checksums(v);
    return v.code == "SignatureDoesNotMatch" && !context.aws_endpoint;
}

/// A 400 or 403 without a body: to HEAD, or from a store that is short of words.
void judge_bare_status(const RequestContext& context, const RefusingAnswer& answer, Verdict& v) {
    if (answer.body.kind != wire::BodyKind::empty) return make_final(v);
    if (v.status == 403) {
        if (!mend_clock(context, answer, v)) make_final(v);
    } else if (names_other_region(context, v)) {
        v.cls = FailureClass::redirect;
        mend(v, Repair::region);
    } else if (context.has_session_token) {
        v.cls = FailureClass::expired_credentials;
        mend(v, Repair::credentials);
    } else {
        make_final(v);
    }
}

void check_suggested(const RequestContext& context, const RefusingAnswer& answer, Verdict& v) {
    switch (v.repair) {
        case Repair::region:
            if (!names_other_region(context, v)) make_final(v);
            return;
        case Repair::clock_offset:
            if (mend_clock(context, answer, v)) return;
            if (v.code == "AuthFailure") v.cls = FailureClass::access;
            return make_final(v);
        case Repair::checksum_style:
            if (!context.own_checksum) make_final(v);
            return;
        case Repair::drop_expect:
            if (!context.expect_sent) make_final(v);
            return;
        case Repair::none: return make_final(v);
        case Repair::credentials:
        case Repair::fresh_connection:
        case Repair::reread_source:
        case Repair::restart: return;
        case Repair::list_parts:
            if (context.op != wire::Op::complete_multipart_upload) make_final(v);
            return;
    }
}

}  // namespace

void choose_repair(const RequestContext& context, const RefusingAnswer& answer, Verdict& v) {
    if (answer.by_status && (v.status == 400 || v.status == 403)) {
        judge_bare_status(context, answer, v);
    } else if (v.retry == RetryRule::once_after_fix) {
        check_suggested(context, answer, v);
    }
    if (v.retry == RetryRule::no && refuses_own_checksum(context, v)) mend(v, Repair::checksum_style);
    // The same connection leads to the same wrong server.
    if (v.status == 421 && answer.by_status) v.repair = Repair::fresh_connection;
}

}  // namespace s3tug::policy
