#include <doctest/doctest.h>

#include "policy/classify.h"
#include "unit/policy/replies.h"

namespace s3tug::policy {

namespace {

using namespace test;
using C = FailureClass;
using R = RetryRule;
using E = Effect;
using wire::Op;
using wire::TransportCode;

constexpr std::string_view created =
    "<InitiateMultipartUploadResult><UploadId>id</UploadId></InitiateMultipartUploadResult>";
constexpr std::string_view part_copied = "<CopyPartResult><ETag>e</ETag></CopyPartResult>";
constexpr std::string_view completed =
    "<CompleteMultipartUploadResult><ETag>e-2</ETag></CompleteMultipartUploadResult>";

struct Good {
    Op op;
    int status;
    std::string_view body, etag;
};
constexpr Good good_answers[] = {
    {Op::create_multipart_upload, 200, created, ""},
    {Op::upload_part, 200, "", "\"e\""},
    {Op::upload_part_copy, 200, part_copied, ""},
    {Op::complete_multipart_upload, 200, completed, ""},
    {Op::complete_multipart_upload, 200,
     "  \n  <CompleteMultipartUploadResponse><ETag>e</ETag>"
     "</CompleteMultipartUploadResponse>",
     ""},
    {Op::abort_multipart_upload, 204, "", ""},
    {Op::abort_multipart_upload, 200, "", ""},
    {Op::list_parts, 200, "<ListPartsResult/>", ""},
    {Op::list_parts, 200, "<ListPartsResponse/>", ""},
    {Op::list_multipart_uploads, 200, "<ListMultipartUploadsResult/>", ""},
    {Op::list_objects_v2, 200, "<ListBucketResult/>", ""},
    {Op::list_buckets, 200, "<ListAllMyBucketsResult/>", ""},
    {Op::delete_objects, 200, "<DeleteResult/>", ""},
    {Op::delete_objects, 200, "<DeleteResult><Deleted><Key>Error</Key></Deleted></DeleteResult>", ""},
};

wire::Reply reply_of(const Good& good) {
    wire::Reply reply = answered(good.status, {{"x-amz-request-id", "4F2A"}}, std::string(good.body));
    if (!good.etag.empty()) std::get<wire::HttpAnswer>(reply.outcome).headers.add("etag", good.etag);
    return reply;
}

}  // namespace

TEST_SUITE("policy/classify: multipart, lists and batches") {
    TEST_CASE("success of each operation") {
        for (const Good& good : good_answers) {
            CAPTURE(wire::to_string(good.op));
            const Verdict v = classify(context_of(good.op), reply_of(good));
            CHECK(v.success());
            CHECK(v.effect == E::applied);
            CHECK(v.request_id == "4F2A");
        }
    }

    TEST_CASE("a 200 without the result is none: reads are repeated, the outcome of writes is unknown") {
        for (const Op op :
             {Op::create_multipart_upload, Op::upload_part, Op::upload_part_copy, Op::complete_multipart_upload,
              Op::delete_objects, Op::list_parts, Op::list_objects_v2, Op::list_multipart_uploads, Op::list_buckets}) {
            CAPTURE(wire::to_string(op));
            for (const std::string_view body :
                 {"", "     ", "<OtherResult/>", "<ListBucketResult><Contents>",
                  "<CompleteMultipartUploadResult><ETag/></CompleteMultipartUploadResult>"}) {
                CAPTURE(body);
                const Verdict v = classify(context_of(op), answered(200, {}, std::string(body)));
                if (wire::only_reads(op)) {
                    check(v, C::server, R::yes, E::not_applied);
                } else {
                    check(v, C::server, R::verify_first, E::unknown);
                }
                CHECK(v.counts_for_breaker);
                CHECK(v.code == "HTTP 200");
                CHECK_FALSE(v.message.empty());
            }
        }
    }

    TEST_CASE("an error in a 200 is judged by its code, after the blanks that keep the connection alive") {
        for (const Op op : {Op::complete_multipart_upload, Op::upload_part_copy}) {
            const auto body = [](std::string_view code) { return std::string(300, ' ') + error_xml(code); };
            check(classify(context_of(op), answered(200, {}, body("InternalError"))), C::server, R::verify_first,
                  E::unknown);
            check(classify(context_of(op), answered(200, {}, body("SlowDown"))), C::throttling, R::yes, E::not_applied);
            check(classify(context_of(op), answered(200, {}, body("PreconditionFailed"))), C::precondition,
                  R::verify_first, E::not_applied);
        }
    }

    TEST_CASE("a large listing is a success when both its ends are there") {
        std::string body = "<ListBucketResult>";
        for (int i = 0; i < 5000; ++i) body += "<Contents><Key>key</Key></Contents>";
        CHECK(classify(context_of(Op::list_objects_v2), answered(200, {}, body + "</ListBucketResult>")).success());
        check(classify(context_of(Op::list_objects_v2), answered(200, {}, body)), C::server, R::yes, E::not_applied);
        check(classify(context_of(Op::list_parts), answered(200, {}, body + "</ListBucketResult>")), C::server, R::yes,
              E::not_applied);
    }

    TEST_CASE("Swift's batch answer is one in spite of its content type, a proxy's page is not") {
        const auto html = [](std::string_view body) {
            return answered(200, {{"content-type", "text/html; charset=UTF-8"}, {"x-amz-request-id", "tx1"}},
                            std::string(body));
        };
        CHECK(classify(context_of(Op::delete_objects), html("<?xml version='1.0'?>\n<DeleteResult xmlns='x'/>"))
                  .success());
        check(classify(context_of(Op::delete_objects), html("<html>hi</html>")), C::unknown, R::verify_first,
              E::unknown);
        check(classify(context_of(Op::list_objects_v2), html("<html>hi</html>")), C::unknown, R::yes, E::not_applied);
    }

    TEST_CASE("NoSuchUpload is success for Abort, the end for parts, and for Complete a thing to look at") {
        struct Row {
            Op op;
            std::string_view code;
            R retry;
        };
        // Ceph 16 answers NoSuchKey to the listing of parts that are gone, Swift 2.30 to Abort after Complete.
        for (const std::string_view code : {"NoSuchUpload", "NoSuchKey"}) {
            CAPTURE(code);
            CHECK(classify(context_of(Op::abort_multipart_upload), refused(404, code)).success());
            for (const Op op : {Op::upload_part, Op::list_parts}) {
                const Verdict v = classify(context_of(op), refused(404, code, {}, "<Message>no such</Message>"));
                check(v, C::not_found, R::no, E::not_applied);
                CHECK(v.message == "upload gone: no such");
                CHECK(v.code == code);
            }
            check(classify(context_of(Op::complete_multipart_upload), refused(404, code)), C::not_found,
                  R::verify_first, E::not_applied);
        }
        CHECK(classify(context_of(Op::list_parts), refused(404, "NoSuchUpload")).message == "upload gone");
        const Verdict gone = classify(context_of(Op::upload_part_copy), refused(404, "NoSuchUpload"));
        check(gone, C::not_found, R::no, E::not_applied);
        CHECK(gone.message == "upload gone");
        // There it is the source that is missing.
        const Verdict no_source = classify(context_of(Op::upload_part_copy), refused(404, "NoSuchKey"));
        check(no_source, C::not_found, R::no, E::not_applied);
        CHECK(no_source.message.find("upload") == std::string::npos);
    }

    TEST_CASE("Abort of what is not there is done, in a bucket that is") {
        CHECK(classify(context_of(Op::abort_multipart_upload), answered(404)).success());
        check(classify(context_of(Op::abort_multipart_upload), refused(404, "NoSuchBucket")), C::not_found, R::no,
              E::not_applied);
        check(classify(context_of(Op::abort_multipart_upload), answered(404, {}, "<html>nginx</html>")), C::not_found,
              R::no, E::not_applied);
        check(classify(context_of(Op::abort_multipart_upload), refused(403, "AccessDenied")), C::access, R::no,
              E::not_applied);
    }

    TEST_CASE("409 to Complete is final, since it wants a new upload; to others it is a race") {
        check(classify(context_of(Op::complete_multipart_upload), refused(409, "ConditionalRequestConflict")),
              C::conflict, R::no, E::not_applied);
        check(classify(context_of(Op::complete_multipart_upload), answered(409)), C::conflict, R::no, E::not_applied);
        check(classify(context_of(Op::complete_multipart_upload), refused(409, "OperationAborted")), C::conflict,
              R::yes, E::not_applied);
        check(classify(context_of(Op::put_object), refused(409, "ConditionalRequestConflict")), C::conflict,
              R::verify_first, E::not_applied);
    }

    TEST_CASE("parts that are wrong by their plan are final") {
        for (const std::string_view code : {"InvalidPartOrder", "EntityTooSmall", "EntityTooLarge"}) {
            check(classify(context_of(Op::complete_multipart_upload), refused(400, code)), C::client_bug, R::no,
                  E::not_applied);
        }
        check(classify(context_of(Op::upload_part), refused(416, "InvalidPartNumber")), C::client_bug, R::no,
              E::not_applied);
        check(classify(context_of(Op::upload_part), refused(400, "BadDigest")), C::integrity, R::once_after_fix,
              E::not_applied);
    }

    TEST_CASE("a lost answer to a listing has no effect to settle, one to a write has") {
        for (const Op op : wire::all_ops) {
            CAPTURE(wire::to_string(op));
            const Verdict v = classify(context_of(op), failed(TransportCode::answer_timeout));
            CHECK(v.cls == C::timeout);
            CHECK((v.effect == E::unknown) == !wire::only_reads(op));
        }
    }

    TEST_CASE("a Complete whose document was cut on its way has done nothing") {
        RequestContext context = context_of(Op::complete_multipart_upload);
        context.body_bytes = 1000;
        check(classify(context, with_body_sent(failed(TransportCode::send_error), 999)), C::transient_network, R::yes,
              E::not_applied);
        CHECK(classify(context, with_body_sent(failed(TransportCode::recv_error), 1000)).effect == E::unknown);
    }

    TEST_CASE("a batch with an error for one key is no success as a whole") {
        const Verdict v = classify(context_of(Op::delete_objects),
                                   answered(200, {},
                                            "<DeleteResult><Deleted><Key>a</Key></Deleted><Error><Key>b</Key>"
                                            "<Code>AccessDenied</Code></Error></DeleteResult>"));
        check(v, C::unknown, R::verify_first, E::unknown);
        CHECK_FALSE(v.counts_for_breaker);
        CHECK(v.message == "200 with errors for some keys");
        check(classify(context_of(Op::delete_objects), refused(400, "InvalidMultiObjectDeleteRequest")), C::client_bug,
              R::no, E::not_applied);
    }
}

TEST_SUITE("policy/classify_key") {
    TEST_CASE("each key is judged by its own code") {
        struct Row {
            std::string_view code;
            C cls;
            R retry;
            E effect;
        };
        for (const Row& row : {Row{"SlowDown", C::throttling, R::yes, E::not_applied},
                               Row{"InternalError", C::server, R::verify_first, E::unknown},
                               Row{"AccessDenied", C::access, R::no, E::not_applied},
                               Row{"NoSuchVersion", C::not_found, R::no, E::not_applied},
                               Row{"NoSuchThingInTheTable", C::server, R::verify_first, E::unknown},
                               Row{"", C::server, R::verify_first, E::unknown},
                               // What would be mended for a request of its own is final for one key of many.
                               Row{"ExpiredToken", C::expired_credentials, R::no, E::not_applied}}) {
            CAPTURE(row.code);
            const Verdict v = classify_key(row.code, "words");
            check(v, row.cls, row.retry, row.effect);
            CHECK(v.repair == Repair::none);
            CHECK(v.host_answered);
            CHECK(v.code == row.code);
            CHECK(v.message == "words");
        }
    }

    TEST_CASE("a key that was not there is deleted") { CHECK(classify_key("NoSuchKey", "").success()); }

    TEST_CASE("words of the store are shown on one line and bounded") {
        const Verdict v = classify_key("Line\nbreak", std::string(10'000, 'x') + "\n");
        CHECK(v.code == "Line\\x0abreak");
        CHECK(v.message.find('\n') == std::string::npos);
        CHECK(v.message.size() < 1000);
    }
}

TEST_SUITE("policy/without_result") {
    TEST_CASE("a success that could not be parsed is repeated for a listing and unknown for a write") {
        const Verdict listed = classify(context_of(Op::list_objects_v2), answered(200, {}, "<ListBucketResult/>"));
        REQUIRE(listed.success());
        const Verdict list = without_result(Op::list_objects_v2, listed, "lists keys outside of the prefix");
        check(list, C::server, R::yes, E::not_applied);
        CHECK(list.counts_for_breaker);
        CHECK(list.status == 200);
        CHECK(list.code == "HTTP 200");
        CHECK(list.message == "lists keys outside of the prefix");
        const Verdict batch = classify(context_of(Op::delete_objects), answered(200, {}, "<DeleteResult/>"));
        check(without_result(Op::delete_objects, batch, "x"), C::server, R::verify_first, E::unknown);
    }
}

}  // namespace s3tug::policy
