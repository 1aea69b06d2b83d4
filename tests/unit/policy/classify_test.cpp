#include "policy/classify.h"

#include <doctest/doctest.h>

#include "base/limits.h"
#include "unit/policy/replies.h"

namespace s3tug::policy {

namespace {

using namespace test;
using C = FailureClass;
using R = RetryRule;
using E = Effect;
using wire::Op;
using wire::TransportCode;

constexpr std::string_view copy_result =
    "<CopyObjectResult><LastModified>2026-11-29T21:01:30.000Z</LastModified>"
    "<ETag>&quot;9b2cf535f27731c974343645a3985328&quot;</ETag></CopyObjectResult>";
constexpr std::string_view html = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";

}  // namespace

TEST_SUITE("policy/classify") {
    TEST_CASE("success of each operation") {
        struct Row {
            Op op;
            int status;
            std::string_view body;
        };
        for (const Row row :
             {Row{Op::put_object, 200, ""}, Row{Op::put_object, 201, ""}, Row{Op::put_object, 204, ""},
              Row{Op::delete_object, 204, ""}, Row{Op::head_object, 200, ""}, Row{Op::head_bucket, 200, ""},
              Row{Op::get_object, 200, ""}, Row{Op::copy_object, 200, copy_result},
              Row{Op::copy_object, 200, "   \n  <CopyObjectResult><ETag>abc</ETag></CopyObjectResult>"}}) {
            CAPTURE(wire::to_string(row.op));
            const Verdict v = classify(
                context_of(row.op),
                answered(row.status, {{"x-amz-request-id", "4F2A"}, {"etag", "\"1\""}}, std::string(row.body)));
            CHECK(v.success());
            CHECK(v.effect == E::applied);
            CHECK(v.host_answered);
            CHECK_FALSE(v.counts_for_breaker);
            CHECK(v.status == row.status);
            CHECK(v.request_id == "4F2A");
        }
    }

    TEST_CASE("a code is looked up before the status, whatever the status is") {
        struct Row {
            int status;
            std::string_view code;
            C cls;
            R retry;
            E effect;
            bool counts;
        };
        for (const Row row : {
                 Row{503, "SlowDown", C::throttling, R::yes, E::not_applied, true},
                 Row{403, "RequestRateLimitExceeded", C::throttling, R::yes, E::not_applied, true},  // Wasabi
                 Row{400, "XMinioBackendDown", C::server, R::yes, E::unknown, true},
                 Row{400, "RequestTimeout", C::timeout, R::yes, E::not_applied, true},
                 Row{408, "RequestTimeout", C::timeout, R::yes, E::not_applied, true},
                 Row{503, "RequestTimeout", C::timeout, R::yes, E::not_applied, true},
                 Row{500, "InternalError", C::server, R::verify_first, E::unknown, true},
                 Row{200, "InternalError", C::server, R::verify_first, E::unknown, true},
                 Row{200, "SlowDown", C::throttling, R::yes, E::not_applied, true},
                 Row{200, "AccessDenied", C::access, R::no, E::not_applied, false},
                 Row{200, "NoSuchThingInTheTable", C::server, R::verify_first, E::unknown, true},
                 Row{404, "NoSuchBucket", C::not_found, R::no, E::not_applied, false},
                 Row{409, "ConditionalRequestConflict", C::conflict, R::verify_first, E::not_applied, false},
                 Row{412, "PreconditionFailed", C::precondition, R::verify_first, E::not_applied, false},
                 Row{507, "XMinioStorageFull", C::quota, R::no, E::not_applied, false},
                 // A code that nobody knows: by status.
                 Row{503, "NoSuchThingInTheTable", C::throttling, R::yes, E::unknown, true},
                 Row{418, "NoSuchThingInTheTable", C::client_bug, R::no, E::not_applied, false},
                 Row{500, "", C::server, R::verify_first, E::unknown, true},
             }) {
            CAPTURE(row.status);
            CAPTURE(row.code);
            for (const Op op : {Op::put_object, Op::copy_object, Op::delete_object}) {
                const Verdict v = classify(context_of(op), refused(row.status, row.code));
                check(v, row.cls, row.retry, row.effect);
                CHECK(v.counts_for_breaker == row.counts);
                CHECK(v.host_answered);
                CHECK(v.status == row.status);
                CHECK(v.code == (row.code.empty() ? "HTTP 500" : row.code));
                CHECK(v.request_id == "4F2A");
            }
        }
    }

    TEST_CASE("the status in front of a code is not part of its name") {
        const Verdict v = classify(context_of(Op::put_object), refused(503, "503 SlowDown"));
        check(v, C::throttling, R::yes, E::not_applied);
        CHECK(v.code == "SlowDown");
    }

    TEST_CASE("only 204 says that an object is deleted: an empty 200 may be a proxy's") {
        for (const int status : {200, 201}) {
            CAPTURE(status);
            const Verdict v =
                classify(context_of(Op::delete_object), answered(status, {{"x-amz-request-id", "4F2A"}}, ""));
            CHECK_FALSE(v.success());
            CHECK(v.effect == E::unknown);
        }
    }

    TEST_CASE("a copy that answers 200 without its result has an unknown outcome") {
        for (const std::string_view body :
             {"", "      ", "<CopyObjectResult><ETag>&quot;9b2cf", "<CopyObjectResult></CopyObjectResult>",
              "<ListBucketResult/>", "no XML at all"}) {
            CAPTURE(body);
            const Verdict v = classify(context_of(Op::copy_object), answered(200, {}, std::string(body)));
            check(v, C::server, R::verify_first, E::unknown);
            CHECK(v.counts_for_breaker);
            CHECK(v.code == "HTTP 200");
            CHECK_FALSE(v.message.empty());
        }
    }

    TEST_CASE("a page of a proxy or captive portal is no success and says so") {
        for (const Op op : {Op::put_object, Op::delete_object, Op::copy_object}) {
            const Verdict v =
                classify(context_of(op), answered(200, {{"content-type", "text/html"}}, std::string(html)));
            check(v, C::unknown, R::verify_first, E::unknown);
            CHECK(v.message.find("proxy") != std::string::npos);
        }
        // HEAD has no body, and that of GET went to a file: an object would have an ETag.
        for (const Op op : {Op::head_object, Op::head_bucket, Op::get_object}) {
            wire::Reply reply = answered(200, {{"content-type", "text/html; charset=utf-8"}});
            std::get<wire::HttpAnswer>(reply.outcome).body_to_sink = op == Op::get_object;
            check(classify(context_of(op), reply), C::unknown, R::yes, E::not_applied);
        }
        const wire::Reply object = answered(200, {{"content-type", "text/html"}, {"etag", "\"1\""}});
        CHECK(classify(context_of(Op::get_object), object).success());
    }

    TEST_CASE("an error page is judged by its status and the message names the proxy") {
        struct Row {
            int status;
            C cls;
            R retry;
            E effect;
        };
        for (const Row row : {
                 Row{502, C::server, R::verify_first, E::unknown},
                 Row{503, C::throttling, R::yes, E::unknown},
                 Row{504, C::timeout, R::verify_first, E::unknown},
                 Row{413, C::client_bug, R::no, E::not_applied},
                 Row{407, C::access, R::no, E::not_applied},
                 Row{511, C::access, R::no, E::not_applied},
                 Row{400, C::client_bug, R::no, E::not_applied},
                 Row{403, C::access, R::no, E::not_applied},
                 Row{404, C::not_found, R::no, E::not_applied},
                 Row{418, C::client_bug, R::no, E::not_applied},
                 Row{527, C::server, R::verify_first, E::unknown},
             }) {
            CAPTURE(row.status);
            for (const std::string_view body : {html, std::string_view("upstream connect error")}) {
                const Verdict v = classify(context_of(Op::put_object),
                                           answered(row.status, {{"server", "nginx/1.22.1"}}, std::string(body)));
                check(v, row.cls, row.retry, row.effect);
                CHECK(v.code == "HTTP " + std::to_string(row.status));
                CHECK(v.message.find("proxy or gateway") != std::string::npos);
                CHECK(v.message.find("nginx/1.22.1") != std::string::npos);
            }
        }
    }

    TEST_CASE("HEAD is judged by its status, a delete marker is not found") {
        struct Row {
            int status;
            C cls;
            R retry;
        };
        for (const Row row :
             {Row{404, C::not_found, R::no}, Row{403, C::access, R::no}, Row{400, C::client_bug, R::no},
              Row{405, C::unsupported, R::no}, Row{412, C::precondition, R::no}, Row{304, C::precondition, R::no},
              Row{500, C::server, R::yes}, Row{503, C::throttling, R::yes}, Row{409, C::conflict, R::yes},
              Row{429, C::throttling, R::yes}}) {
            CAPTURE(row.status);
            check(classify(context_of(Op::head_object), answered(row.status)), row.cls, row.retry, E::not_applied);
        }
        const wire::Reply marker = answered(405, {{"x-amz-delete-marker", "true"}});
        check(classify(context_of(Op::head_object), marker), C::not_found, R::no, E::not_applied);
        check(classify(context_of(Op::get_object), marker), C::not_found, R::no, E::not_applied);
        check(classify(context_of(Op::put_object), marker), C::unsupported, R::no, E::not_applied);
    }

    TEST_CASE("HEAD answers of AWS and MinIO carry the code in a header") {
        struct Row {
            std::string_view header, code;
            C cls;
        };
        for (const Row row : {Row{"x-amz-error-code", "NoSuchBucket", C::not_found},
                              Row{"x-minio-error-code", "SlowDownRead", C::throttling},
                              Row{"x-minio-error-code", "Found", C::access}}) {  // unknown there: by status
            const Verdict v = classify(context_of(Op::head_object), answered(403, {{row.header, row.code}}));
            CHECK(v.cls == row.cls);
            CHECK(v.code == (row.cls == C::access ? "HTTP 403" : row.code));
        }
        CHECK(classify(context_of(Op::head_object), answered(200, {{"x-amz-error-code", "NoSuchKey"}})).success());
    }

    TEST_CASE("reading never has an unknown effect, so nothing has to be verified before it is repeated") {
        for (const Op op : {Op::get_object, Op::head_object, Op::head_bucket}) {
            check(classify(context_of(op), refused(500, "InternalError")), C::server, R::yes, E::not_applied);
            check(classify(context_of(op), answered(504)), C::timeout, R::yes, E::not_applied);
            check(classify(context_of(op), failed(TransportCode::recv_error)), C::transient_network, R::yes,
                  E::not_applied);
            check(classify(context_of(op), failed(TransportCode::second_send_stopped)), C::transient_network, R::yes,
                  E::not_applied);
            check(classify(context_of(op), failed(TransportCode::partial_file)), C::transient_network, R::yes,
                  E::not_applied);
            check(classify(context_of(op), failed(TransportCode::write_error)), C::local_io, R::no, E::not_applied);
            check(classify(context_of(op), failed(TransportCode::cancelled)), C::local_io, R::no, E::not_applied);
        }
    }

    TEST_CASE("downloads: 206 must name its range, 200 to a range begins again, 204 is no object") {
        RequestContext ranged = context_of(Op::get_object);
        ranged.ranged = true;
        const RequestContext whole = context_of(Op::get_object);

        const std::pair<std::string_view, std::string_view> etag{"etag", "\"1\""};
        CHECK(classify(ranged, answered(206, {{"content-range", "bytes 0-9/100"}, etag})).success());
        struct Row {
            RequestContext context;
            wire::Reply reply;
            C cls;
            R retry;
            Repair repair;
        };
        for (const Row& row : {
                 Row{ranged, answered(200, {etag}), C::unsupported, R::once_after_fix, Repair::restart},
                 Row{ranged, answered(206, {etag}), C::integrity, R::once_after_fix, Repair::restart},
                 Row{ranged, answered(206, {{"content-range", "bytes 9-0/100"}, etag}), C::integrity, R::once_after_fix,
                     Repair::restart},
                 Row{whole, answered(206, {{"content-range", "bytes 0-9/100"}, etag}), C::integrity, R::once_after_fix,
                     Repair::restart},
                 Row{whole, answered(200, {}, "Welcome"), C::unknown, R::yes, Repair::none},
                 Row{ranged, answered(206, {{"content-range", "bytes 0-9/100"}}, "Welcome"), C::unknown, R::yes,
                     Repair::none},
                 // An answer that lost what it holds, as an empty one to a write.
                 Row{whole, answered(200), C::server, R::yes, Repair::none},
                 Row{ranged, answered(206, {{"content-range", "bytes 0-9/100"}}), C::server, R::yes, Repair::none},
                 Row{whole, answered(204), C::unknown, R::no, Repair::none},
                 Row{whole, answered(202), C::unknown, R::yes, Repair::none},
                 Row{whole, refused(206, "XMinioObjectTampered"), C::integrity, R::no, Repair::none},
             }) {
            const Verdict v = classify(row.context, row.reply);
            check(v, row.cls, row.retry, E::not_applied);
            CHECK(v.repair == row.repair);
        }
    }

    TEST_CASE("206 is the success of a HEAD that asks for one part, and of no other") {
        RequestContext part = context_of(Op::head_object);
        part.of_part = true;
        CHECK(classify(part, answered(206, {{"etag", "\"1\""}})).success());
        CHECK(classify(part, answered(200, {{"etag", "\"1\""}})).success());
        CHECK_FALSE(classify(context_of(Op::head_object), answered(206, {{"etag", "\"1\""}})).success());
    }

    TEST_CASE("a put that is answered without an ETag may have been stored or not, and is looked at") {
        check(classify(context_of(Op::put_object), answered(200)), C::server, R::verify_first, E::unknown);
    }

    TEST_CASE("an object whose content looks like an S3 error is still an object") {
        wire::Reply reply = answered(200, {{"etag", "\"1\""}}, error_xml("AccessDenied"));
        std::get<wire::HttpAnswer>(reply.outcome).body_to_sink = true;
        CHECK(classify(context_of(Op::get_object), reply).success());
    }

    TEST_CASE("412 and 416 to a resumed download begin it again, to others they are final") {
        struct Row {
            bool ranged, conditional;
            wire::Reply reply;
            C cls;
            R retry;
            Repair repair;
        };
        for (const Row& row : {
                 Row{true, true, refused(412, "PreconditionFailed"), C::precondition, R::once_after_fix,
                     Repair::restart},
                 Row{true, true, answered(412), C::precondition, R::once_after_fix, Repair::restart},
                 Row{false, true, refused(412, "PreconditionFailed"), C::precondition, R::no, Repair::none},
                 Row{true, false, refused(416, "InvalidRange"), C::client_bug, R::once_after_fix, Repair::restart},
                 Row{true, true, answered(416), C::client_bug, R::once_after_fix, Repair::restart},
                 Row{false, false, answered(416), C::client_bug, R::no, Repair::none},
                 Row{false, true, answered(304), C::precondition, R::no, Repair::none},
             }) {
            RequestContext context = context_of(Op::get_object);
            context.ranged = row.ranged;
            context.conditional = row.conditional;
            const Verdict v = classify(context, row.reply);
            check(v, row.cls, row.retry, E::not_applied);
            CHECK(v.repair == row.repair);
        }
    }

    TEST_CASE("deleting a key that is not there is success, unless a condition was to hold or the bucket is missing") {
        const RequestContext plain = context_of(Op::delete_object);
        RequestContext guarded = plain;
        guarded.conditional = true;
        CHECK(classify(plain, refused(404, "NoSuchKey")).success());
        CHECK(classify(plain, answered(404)).success());
        CHECK(classify(guarded, refused(404, "NoSuchKey")).cls == C::not_found);
        CHECK(classify(plain, refused(404, "NoSuchBucket")).cls == C::not_found);
        CHECK(classify(plain, answered(404, {}, std::string(html))).cls == C::not_found);
        CHECK(classify(context_of(Op::get_object), refused(404, "NoSuchKey")).cls == C::not_found);
    }

    TEST_CASE("text of an answer is bounded, printable and without secrets") {
        const std::string secret = "wJalrXUtnFEMI";
        for (const std::string& message :
             {"Authorization: AWS4-HMAC-SHA256 " + secret, "you sent Credential=" + secret, "got Signature=" + secret,
              "header x-amz-security-token:" + secret + " is bad"}) {
            const Verdict v = classify(context_of(Op::put_object),
                                       refused(403, "AccessDenied", {}, "<Message>" + message + "</Message>"));
            CAPTURE(v.message);
            CHECK(v.message.find(secret) == std::string::npos);
            CHECK(v.message.ends_with("[cut]"));
        }
        const std::string region_words =
            "The authorization header is malformed; the region 'us-east-1' is wrong; expecting 'eu-west-1'";
        CHECK(classify(context_of(Op::put_object),
                       refused(400, "AuthorizationHeaderMalformed", {}, "<Message>" + region_words + "</Message>"))
                  .message == region_words);

        const Verdict v =
            classify(context_of(Op::put_object),
                     refused(599, "Evil\x1b[2JCode", {}, "<Message>" + std::string(100'000, 'x') + "</Message>"));
        CHECK(v.code.find('\x1b') == std::string::npos);
        CHECK(v.message.size() <= 4 * limits::trace_text_max_bytes + 3);
        CHECK(classify(context_of(Op::put_object), failed(TransportCode::recv_error, "a\nb")).message.find('\n') ==
              std::string::npos);
    }

    TEST_CASE("an empty message, as Ceph sends it, is no trouble") {
        const Verdict v = classify(context_of(Op::put_object), refused(403, "AccessDenied", {}, "<Message></Message>"));
        CHECK(v.code == "AccessDenied");
        CHECK(v.message.empty());
    }

}  // TEST_SUITE

}  // namespace s3tug::policy
