// Answers to operations on one object, error documents, and what the classifier makes of them.
#include "base/limits.h"
#include "fuzz/fuzz.h"
#include "policy/classify.h"
#include "wire/answers.h"
#include "wire/endpoint.h"
#include "wire/multipart_answers.h"

namespace s3tug::fuzz {
namespace {

void check_body(const wire::HttpAnswer& answer) {
    const wire::ParsedBody parsed = wire::parse_body(answer);
    require(parsed.kind != wire::BodyKind::empty || parsed.error.code.empty(), "an empty body has no error code");
    require(parsed.error.code.empty() || parsed.kind == wire::BodyKind::error_document,
            "only an error document has a code");
    (void)wire::request_id_of(answer, parsed);
}

void check_write_results(const wire::HttpAnswer& answer) {
    (void)wire::parse_put_object(answer);
    (void)wire::parse_delete_object(answer);
    if (const auto copied = wire::parse_copy_object(answer)) require(!copied->etag.empty(), "a copy has an ETag");
    if (const auto created = wire::parse_create_multipart_upload(answer)) {
        require(!created->upload_id.empty() && created->upload_id.size() <= limits::upload_id_max_bytes,
                "an upload id is 1 to 2048 bytes", created->upload_id);
    }
    if (const auto part = wire::parse_upload_part(answer)) require(!part->etag.empty(), "a part has an ETag");
    if (const auto part = wire::parse_upload_part_copy(answer)) require(!part->etag.empty(), "a part has an ETag");
    if (wire::parse_complete_multipart_upload(answer)) {
        const auto kind = wire::parse_body(answer).kind;
        require(kind != wire::BodyKind::error_document && kind != wire::BodyKind::empty, "an error completes nothing",
                answer.body);
    }
}

void check_verdict(const wire::HttpAnswer& answer, wire::Op op) {
    wire::Reply reply;
    reply.outcome = answer;
    reply.facts.request_bytes = 400;
    reply.facts.answer_begun = true;
    policy::RequestContext context;
    context.op = op;
    const policy::Verdict verdict = policy::classify(context, reply);
    require(verdict.message.size() <= 4 * limits::trace_text_max_bytes + 3, "a message is bounded");
    require(shows_safely(verdict.message) && shows_safely(verdict.code) && shows_safely(verdict.request_id),
            "what is shown is printable", verdict.message);
    require(verdict.region.empty() || wire::valid_region(verdict.region), "a region is valid", verdict.region);
    require(!verdict.hint || verdict.hint->value >= Duration::zero(), "a hint is not negative");
    const bool error_document = wire::parse_body(answer).kind == wire::BodyKind::error_document;
    const bool speaks_of_absence = op == wire::Op::delete_object || op == wire::Op::abort_multipart_upload;
    if (verdict.success() && !speaks_of_absence && !answer.body_truncated) {
        require(!error_document || op == wire::Op::get_object || op == wire::Op::head_object,
                "an error document is no success", answer.body);
        require(answer.status / 100 == 2, "success has a status of 2xx");
    }
}

}  // namespace
}  // namespace s3tug::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace s3tug::fuzz;
    const s3tug::wire::HttpAnswer answer = take_answer(text_of(data, size));
    check_body(answer);
    check_write_results(answer);
    for (const s3tug::wire::Op op : s3tug::wire::all_ops) check_verdict(answer, op);
    return 0;
}
