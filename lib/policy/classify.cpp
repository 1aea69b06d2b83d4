#include "policy/classify.h"

#include <string>

#include "base/text.h"
#include "policy/answer_facts.h"
#include "policy/failure_table.h"
#include "policy/repair.h"
#include "wire/answers.h"
#include "wire/batch_answers.h"
#include "wire/content_range.h"
#include "wire/multipart_answers.h"

namespace s3tug::policy {

namespace {

using wire::BodyKind;
using wire::HttpAnswer;
using wire::only_reads;
using wire::Op;
using wire::ParsedBody;
using wire::TransportCode;

bool is_2xx(int status) { return status >= 200 && status < 300; }

void take_row(const FailureRow& row, Verdict& v) {
    v.cls = row.cls;
    v.retry = row.retry;
    v.effect = row.effect;
    v.repair = row.repair;
    v.counts_for_breaker = row.counts_for_breaker;
}

/// The store's code: from the error document or, for HEAD, from the headers that AWS and MinIO set beside the status.
std::string_view code_of(const HttpAnswer& answer, const ParsedBody& body) {
    if (body.kind == BodyKind::error_document) return trim(body.error.code);
    if (body.kind != BodyKind::empty || answer.status < 400) return {};
    for (const std::string_view name : {"x-amz-error-code", "x-minio-error-code"}) {
        const auto code = answer.headers.find(name);
        if (code && find_code(trim(*code)) != nullptr) return trim(*code);
    }
    return {};
}

/// A captive portal says 200 to everything. An object may be HTML too, but comes with an ETag.
bool is_foreign_page(const HttpAnswer& answer, const ParsedBody& body) {
    if (body.kind == BodyKind::html) return true;
    const auto type = answer.headers.find("content-type");
    return type && to_lower(*type).starts_with("text/html") && !answer.headers.find("etag") &&
           !answer.headers.find("x-amz-request-id") && !answer.headers.find("x-amzn-requestid");
}

const FailureRow* unless(bool fine, UnusualAnswer answer) { return fine ? nullptr : &find_unusual(answer); }

const FailureRow* judge_download(const RequestContext& context, const HttpAnswer& answer, BodyKind body) {
    if (answer.status != 200 && answer.status != 206) return &find_status(answer.status);
    // Every store names the object it serves. Without an ETag it is somebody else's page, and no object; without a
    // single byte it is no page either, but an answer that lost what it should hold, as for a write.
    if (!answer.headers.find("etag"))
        return &find_unusual(body == BodyKind::empty ? UnusualAnswer::no_result_in_200 : UnusualAnswer::not_from_s3);
    if (answer.status == 200) return unless(!context.ranged, UnusualAnswer::range_ignored);
    const auto range = wire::parse_content_range(answer.headers.find("content-range").value_or(std::string_view{}));
    return unless(context.ranged && range.has_value(), UnusualAnswer::other_range);
}

/// Does a 200 hold what the operation needs to go on? Of a listing only that it is one and whole: its parser reads it
/// once, later, and without_result() takes it from there.
bool has_result(Op op, const HttpAnswer& answer, const ParsedBody& body) {
    const auto is_listing = [&body](std::string_view root) {
        return body.kind == BodyKind::other_xml && body.root_element.starts_with(root);
    };
    switch (op) {
        case Op::put_object: return answer.headers.find("etag").has_value();  // the store's word that it has it
        case Op::copy_object: return wire::parse_copy_object(answer).ok();
        case Op::create_multipart_upload: return wire::parse_create_multipart_upload(answer).ok();
        case Op::upload_part: return wire::parse_upload_part(answer).ok();
        case Op::upload_part_copy: return wire::parse_upload_part_copy(answer).ok();
        case Op::complete_multipart_upload: return wire::parse_complete_multipart_upload(answer).ok();
        case Op::list_parts: return is_listing("ListPartsRes");
        case Op::list_multipart_uploads: return is_listing("ListMultipartUploadsRes");
        case Op::list_objects_v2: return is_listing("ListBucketRes");
        case Op::list_buckets: return is_listing("ListAllMyBuckets");
        case Op::delete_objects: return is_listing("DeleteRes");
        // S3's word for it, and that of every store in facts/servers.md; a proxy's empty 200 says nothing.
        case Op::delete_object: return answer.status == 204;
        case Op::head_bucket:
        case Op::head_object:
        case Op::get_object:
        case Op::abort_multipart_upload: break;
    }
    return true;
}

/// What a 2xx without an error document is: null = success.
const FailureRow* judge_2xx(const RequestContext& context, const HttpAnswer& answer, const ParsedBody& body) {
    if (is_foreign_page(answer, body)) return &find_unusual(UnusualAnswer::not_from_s3);
    if (context.op == Op::get_object) return judge_download(context, answer, body.kind);
    const bool done = answer.status == 200 || answer.status == 201 || answer.status == 204 ||
                      (answer.status == 206 && context.of_part && context.op == Op::head_object);
    if (!done) return &find_unusual(UnusualAnswer::not_from_s3);
    if (body.kind == BodyKind::truncated_xml || !has_result(context.op, answer, body)) {
        return &find_unusual(UnusualAnswer::no_result_in_200);
    }
    const bool some_failed = context.op == Op::delete_objects && wire::has_failed_keys(answer);
    return unless(!some_failed, UnusualAnswer::errors_for_keys);
}

/// How stores say that an upload id is no longer one: Ceph and Swift name the key instead (facts/servers.md names their
/// versions).
bool says_upload_gone(std::string_view code) { return code == "NoSuchUpload" || code == "NoSuchKey"; }

/// Removing what is not there is done. Not so with a condition: If-Match on a missing key has not held.
bool removed_already(const RequestContext& context, std::string_view code, const HttpAnswer& answer,
                     const ParsedBody& body) {
    if (answer.status != 404) return false;
    const bool wordless = code.empty() && body.kind == BodyKind::empty;
    if (context.op == Op::abort_multipart_upload) return wordless || says_upload_gone(code);
    if (context.op != Op::delete_object || context.conditional) return false;
    return wordless || code == "NoSuchKey";
}

/// What a code means for an operation of a multipart upload and for no other (facts/idempotency.md section 4).
void judge_multipart(Op op, Verdict& v) {
    const bool gone = v.cls == FailureClass::not_found && says_upload_gone(v.code);
    const bool needs_upload =
        op == Op::upload_part || op == Op::list_parts || (op == Op::upload_part_copy && v.code == "NoSuchUpload");
    if (gone && needs_upload) {
        // No later try finds it again: somebody completed or aborted it.
        v.retry = RetryRule::no;
        v.message = v.message.empty() ? "upload gone" : "upload gone: " + v.message;
    }
    if (op != Op::complete_multipart_upload) return;
    if (gone) v.retry = RetryRule::verify_first;
    // AWS gives up the upload id then: a new upload with all parts is what is left, which is not this request's to do.
    if (v.cls == FailureClass::conflict && v.retry == RetryRule::verify_first) v.retry = RetryRule::no;
}

std::string server_of(const HttpAnswer& answer) {
    const auto server = answer.headers.find("server");
    return server ? " (" + safe_text(*server) + ")" : std::string{};
}

std::string message_of(const HttpAnswer& answer, const ParsedBody& body, const FailureRow& row) {
    switch (body.kind) {
        case BodyKind::error_document:
            if (!body.error.message.empty()) return safe_text(body.error.message);
            break;
        case BodyKind::html: return "an HTML page, so a proxy or gateway answered" + server_of(answer);
        case BodyKind::other: return "not an S3 answer, so a proxy or gateway answered" + server_of(answer);
        case BodyKind::empty:
        case BodyKind::other_xml:
        case BodyKind::truncated_xml: break;
    }
    return is_2xx(answer.status) ? std::string(row.name) : std::string{};  // the status alone would read as success
}

Verdict judge_answer(const RequestContext& context, const HttpAnswer& answer, WallTime received_at) {
    const ParsedBody body = wire::parse_body(answer);
    const std::string_view code = code_of(answer, body);

    Verdict v;
    v.host_answered = true;
    v.status = answer.status;
    v.request_id = safe_text(wire::request_id_of(answer, body));

    const FailureRow* row = code.empty() ? nullptr : find_code(code);
    const bool by_status = row == nullptr;
    if (by_status && is_2xx(answer.status)) {
        row = body.kind == BodyKind::error_document ? &find_unusual(UnusualAnswer::error_in_200)
                                                    : judge_2xx(context, answer, body);
        if (row == nullptr) return v;
    }
    if (removed_already(context, code, answer, body)) return v;
    if (row == nullptr) {
        row = answer.status < 200 ? &find_unusual(UnusualAnswer::only_interim) : &find_status(answer.status);
    }

    take_row(*row, v);
    v.code = code.empty() ? "HTTP " + std::to_string(v.status) : by_status ? safe_text(code) : std::string(row->name);
    v.message = message_of(answer, body, *row);
    v.region = named_region(answer.headers, body.error);
    if (v.cls == FailureClass::redirect)
        v.endpoint = safe_text(body.error.endpoint.empty() ? answer.headers.find("location").value_or("")
                                                           : std::string_view(body.error.endpoint));
    v.hint = server_hint(answer.headers);
    const auto marker = answer.headers.find("x-amz-delete-marker");
    if (v.status == 405 && only_reads(context.op) && marker && to_lower(trim(*marker)) == "true") {
        v.cls = FailureClass::not_found;
        v.message = "the version is a delete marker";
    }
    judge_multipart(context.op, v);
    choose_repair(context, {answer, body, by_status, received_at}, v);
    return v;
}

/// Our own side ended the attempt: whatever the store had begun to say is not the reason.
bool ended_by_us(TransportCode code) {
    switch (code) {
        case TransportCode::write_error:
        case TransportCode::read_error:
        case TransportCode::aborted_by_callback:
        case TransportCode::cancelled:
        case TransportCode::deadline: return true;
        default: return false;
    }
}

Verdict judge_failure(const wire::Reply& reply, const wire::TransportFailure& failure) {
    Verdict v;
    const int number = static_cast<int>(failure.code);
    if (const FailureRow* row = find_transport(number)) {
        take_row(*row, v);
        v.code = std::string(row->name);
    } else {
        take_row(find_unusual(UnusualAnswer::not_from_s3), v);
        v.code = "CURLE " + std::to_string(number);
    }
    v.status = reply.partial_answer.status;
    v.host_answered = reply.facts.answer_begun || v.status != 0;
    v.message = safe_text(failure.detail);
    v.request_id = safe_text(wire::request_id_of(reply.partial_answer, {}));
    return v;
}

/// A stop by PREREQFUNCTION means that an earlier send of the same request went out; the counters are those of the
/// second (facts/idempotency.md facts 4 and 5).
bool counters_prove_nothing(const wire::TransportFailure* failure) {
    return failure != nullptr &&
           (failure->code == TransportCode::second_send_stopped || failure->code == TransportCode::aborted_by_callback);
}

bool proven_not_applied(const RequestContext& context, const wire::Reply& reply) {
    const wire::TransportFailure* failure = reply.failure();
    if (counters_prove_nothing(failure)) return false;
    if (failure != nullptr && reply.facts.request_bytes == 0) return true;
    if (failure == nullptr && is_2xx(reply.answer()->status)) return false;
    return context.store_refuses_short_bodies && reply.facts.body_bytes_sent < context.body_bytes;
}

/// Nothing can have changed in the store, so there is nothing to verify.
void settle_read(const RequestContext& context, Verdict& v) {
    v.effect = Effect::not_applied;
    if (v.retry != RetryRule::verify_first) return;
    const bool condition = v.cls == FailureClass::precondition;
    const bool range = v.cls == FailureClass::client_bug;  // 416
    if (!condition && !range) {
        v.retry = v.cls == FailureClass::not_found ? RetryRule::no : RetryRule::yes;
    } else if (context.ranged && (range || context.conditional)) {
        // The rest of a download that was pinned to an object which is another one now, or shorter: from byte 0.
        v.retry = RetryRule::once_after_fix;
        v.repair = Repair::restart;
    } else {
        v.retry = RetryRule::no;
    }
}

void settle_effect(const RequestContext& context, const wire::Reply& reply, Verdict& v) {
    if (only_reads(context.op)) {
        settle_read(context, v);
    } else if (v.effect == Effect::unknown && proven_not_applied(context, reply)) {
        v.effect = Effect::not_applied;
        if (v.retry == RetryRule::verify_first) v.retry = RetryRule::yes;
    }
    const wire::TransportFailure* failure = reply.failure();
    if (failure == nullptr || v.status >= 300) return;
    if (failure->code == TransportCode::partial_file && v.effect == Effect::unknown) v.retry = RetryRule::verify_first;
    // A kept connection that had died in the meantime says nothing about the store.
    const bool dead_reuse = reply.facts.reused_connection && !v.host_answered &&
                            v.cls == FailureClass::transient_network && v.effect == Effect::not_applied;
    if (dead_reuse && v.retry == RetryRule::yes) v.repair = Repair::fresh_connection;
}

}  // namespace

Verdict classify(const RequestContext& context, const wire::Reply& reply) {
    const wire::TransportFailure* failure = reply.failure();
    Verdict v;
    if (failure == nullptr) {
        v = judge_answer(context, *reply.answer(), reply.received_at);
    } else if (reply.partial_answer.status >= 300 && !ended_by_us(failure->code)) {
        v = judge_answer(context, reply.partial_answer, reply.received_at);
    } else {
        v = judge_failure(reply, *failure);
    }
    if (!v.success()) settle_effect(context, reply, v);
    return v;
}

Verdict classify_key(std::string_view code, std::string_view message) {
    Verdict v;
    v.host_answered = true;
    v.status = 200;
    if (code == "NoSuchKey") return v;
    const FailureRow* row = find_code(code);
    take_row(row != nullptr ? *row : find_unusual(UnusualAnswer::error_in_200), v);
    v.code = row != nullptr ? std::string(row->name) : safe_text(code);
    v.message = safe_text(message);
    // What can be mended is mended for the request as a whole, not for one of its keys.
    v.repair = Repair::none;
    if (v.retry == RetryRule::once_after_fix) v.retry = RetryRule::no;
    return v;
}

Verdict without_result(Op op, Verdict verdict, std::string_view why) {
    take_row(find_unusual(UnusualAnswer::no_result_in_200), verdict);
    verdict.code = "HTTP " + std::to_string(verdict.status);
    verdict.message = safe_text(why);
    if (only_reads(op)) {
        verdict.effect = Effect::not_applied;
        verdict.retry = RetryRule::yes;
    }
    return verdict;
}

}  // namespace s3tug::policy
