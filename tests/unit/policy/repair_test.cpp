#include "policy/repair.h"

#include <doctest/doctest.h>

#include <optional>

#include "unit/policy/replies.h"

namespace s3tug::policy {

namespace {

using namespace test;
using C = FailureClass;
using R = RetryRule;
using wire::Op;

/// One hour behind and one hour ahead of `received`, and within what is tolerated.
constexpr std::string_view hour_before = "Sun, 29 Nov 2026 20:01:30 GMT";
constexpr std::string_view hour_after = "Sun, 29 Nov 2026 22:01:30 GMT";
constexpr std::string_view four_minutes_after = "Sun, 29 Nov 2026 21:05:30 GMT";
constexpr std::string_view second_more = "Sun, 29 Nov 2026 21:05:31 GMT";

RequestContext put() { return context_of(Op::put_object); }
RequestContext head_object() { return context_of(Op::head_object); }

void check(const Verdict& v, C cls, R retry, Repair repair) {
    CHECK(to_string(v.cls) == to_string(cls));
    CHECK(to_string(v.retry) == to_string(retry));
    CHECK(to_string(v.repair) == to_string(repair));
}

}  // namespace

TEST_SUITE("policy/repair") {
    TEST_CASE("a store that names the clock gives the offset, whatever its size") {
        struct Row {
            std::string_view code, date;
            C cls;
            Duration offset;
        };
        for (const Row& row : {
                 Row{"RequestTimeTooSkewed", hour_before, C::clock_skew, -hours(1)},
                 Row{"RequestTimeTooSkewed", hour_after, C::clock_skew, hours(1)},
                 // The signature was old, or an offset that was learned long ago is wrong now.
                 Row{"RequestTimeTooSkewed", received_date, C::clock_skew, seconds(0)},
                 Row{"RequestInTheFuture", hour_before, C::clock_skew, -hours(1)},
                 Row{"RequestExpired", hour_after, C::clock_skew, hours(1)},
                 Row{"ExpiredRequest", hour_after, C::expired_credentials, hours(1)},
                 Row{"AuthFailure", hour_after, C::clock_skew, hours(1)},
             }) {
            CAPTURE(row.code);
            const Verdict v = classify(put(), refused(403, row.code, {{"date", row.date}}));
            check(v, row.cls, R::once_after_fix, Repair::clock_offset);
            CHECK(v.clock_offset == row.offset);
        }
    }

    TEST_CASE("without a Date the error document's time serves, without both nothing can be mended") {
        const std::string_view server_time = "<ServerTime>2026-11-29T22:01:30Z</ServerTime>";
        CHECK(classify(put(), refused(403, "RequestTimeTooSkewed", {}, server_time)).clock_offset ==
              Duration(hours(1)));
        // The Date header comes first.
        CHECK(
            classify(put(), refused(403, "RequestTimeTooSkewed", {{"date", hour_before}}, server_time)).clock_offset ==
            -Duration(hours(1)));

        const Verdict v = classify(put(), refused(403, "RequestTimeTooSkewed"));
        check(v, C::clock_skew, R::no, Repair::none);
        CHECK_FALSE(v.clock_offset.has_value());
    }

    TEST_CASE("a refused signature is the clock's fault only when the Dates differ by more than is tolerated") {
        struct Row {
            std::string_view date;
            Duration signed_with;  ///< the offset of the request
            bool mended;
        };
        for (const std::string_view code : {"SignatureDoesNotMatch", "InvalidSignatureException", "AuthFailure"}) {
            for (const Row& row : {
                     Row{received_date, seconds(0), false},
                     Row{four_minutes_after, seconds(0), false},
                     Row{second_more, seconds(0), true},
                     Row{hour_before, seconds(0), true},
                     Row{hour_after, hours(1), false},    // already corrected: something else is wrong
                     Row{received_date, hours(1), true},  // the clock was set right, the learned offset is not
                     Row{"not a date", seconds(0), false},
                 }) {
                CAPTURE(code);
                CAPTURE(row.date);
                RequestContext context = put();
                context.clock_offset = row.signed_with;
                const Verdict v = classify(context, refused(403, code, {{"date", row.date}}));
                CHECK(v.retry == (row.mended ? R::once_after_fix : R::no));
                CHECK(v.repair == (row.mended ? Repair::clock_offset : Repair::none));
                CHECK(v.clock_offset.has_value() == row.mended);
                if (!row.mended) CHECK(v.cls == C::access);
            }
        }
    }

    TEST_CASE("a 403 without a body may be the clock, with a body that is not S3's it is final") {
        check(classify(head_object(), answered(403, {{"date", hour_after}})), C::access, R::once_after_fix,
              Repair::clock_offset);
        check(classify(head_object(), answered(403, {{"date", received_date}})), C::access, R::no, Repair::none);
        check(classify(head_object(), answered(403)), C::access, R::no, Repair::none);
        check(classify(put(), answered(403, {{"date", hour_after}}, "<html></html>")), C::access, R::no, Repair::none);
        check(classify(put(), refused(403, "AccessDenied", {{"date", hour_after}})), C::access, R::no, Repair::none);
    }

    TEST_CASE("a region is believed when it is well-formed and another one") {
        struct Row {
            std::string_view header, element, ours, named;
            bool mended;
        };
        for (const Row& row : {
                 Row{"eu-west-1", "", "us-east-1", "eu-west-1", true},
                 Row{"", "eu-west-1", "us-east-1", "eu-west-1", true},
                 Row{"eu-west-1", "ap-south-1", "us-east-1", "eu-west-1", true},  // the header first
                 Row{"", "eu-west-1", "", "eu-west-1", true},                     // ours not known: the caller compares
                 Row{"eu-west-1", "", "eu-west-1", "eu-west-1", false},
                 Row{"", "", "us-east-1", "", false},
                 Row{"evil.example.com/", "", "us-east-1", "", false},
                 Row{"evil.example.com/", "eu-west-1", "us-east-1", "eu-west-1", true},
                 Row{"", "a b", "us-east-1", "", false},
             }) {
            for (const std::string_view code :
                 {"AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect",
                  "IllegalLocationConstraintException", "InvalidRegion"}) {
                CAPTURE(code);
                CAPTURE(row.header);
                CAPTURE(row.element);
                RequestContext context = put();
                context.region = row.ours;
                const Verdict v = classify(context, refused(400, code, {{"x-amz-bucket-region", row.header}},
                                                            "<Region>" + std::string(row.element) + "</Region>"));
                check(v, C::redirect, row.mended ? R::once_after_fix : R::no,
                      row.mended ? Repair::region : Repair::none);
                CHECK(v.region == row.named);
            }
        }
    }

    TEST_CASE("redirects without a body take the region from the header") {
        for (const int status : {301, 302, 307, 308}) {
            check(classify(head_object(), answered(status, {{"x-amz-bucket-region", "eu-west-1"}})), C::redirect,
                  R::once_after_fix, Repair::region);
            check(classify(head_object(), answered(status, {{"location", "https://elsewhere.example/"}})), C::redirect,
                  R::no, Repair::none);
        }
    }

    TEST_CASE("a bare 400 is a wrong region, else an expired token, else final") {
        struct Row {
            std::string_view region;
            bool token;
            C cls;
            R retry;
            Repair repair;
        };
        for (const Row& row : {
                 Row{"eu-west-1", false, C::redirect, R::once_after_fix, Repair::region},
                 Row{"eu-west-1", true, C::redirect, R::once_after_fix, Repair::region},
                 Row{"us-east-1", true, C::expired_credentials, R::once_after_fix, Repair::credentials},
                 Row{"", true, C::expired_credentials, R::once_after_fix, Repair::credentials},
                 Row{"us-east-1", false, C::client_bug, R::no, Repair::none},
                 Row{"", false, C::client_bug, R::no, Repair::none},
             }) {
            CAPTURE(row.region);
            CAPTURE(row.token);
            RequestContext context = head_object();
            context.region = "us-east-1";
            context.has_session_token = row.token;
            const Verdict v = classify(context, answered(400, {{"x-amz-bucket-region", row.region}}));
            check(v, row.cls, row.retry, row.repair);
            // With words that are not S3's a proxy spoke, and no key or region is to blame.
            check(classify(context, answered(400, {{"x-amz-bucket-region", row.region}}, "Bad Request")), C::client_bug,
                  R::no, Repair::none);
        }
    }

    TEST_CASE("refused and expired credentials are read again") {
        for (const std::string_view code : {"ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidTokenId"}) {
            check(classify(put(), refused(400, code)), C::expired_credentials, R::once_after_fix, Repair::credentials);
        }
        check(classify(put(), refused(403, "InvalidAccessKeyId")), C::access, R::once_after_fix, Repair::credentials);
    }

    TEST_CASE("only a checksum that we added ourselves is left out, and never after damage") {
        const std::string_view about_checksums =
            "<Message>Value for x-amz-checksum-crc64nvme header is invalid.</Message>";
        const std::string_view about_else = "<Message>The part size is wrong</Message>";
        struct Row {
            wire::Reply reply;
            bool aws, mended;
            C cls;
        };
        for (const Row& row : {
                 Row{refused(501, "NotImplemented"), false, true, C::unsupported},
                 Row{answered(501), false, true, C::unsupported},
                 Row{refused(400, "UnsupportedArgument"), false, true, C::unsupported},
                 Row{refused(405, "MethodNotAllowed"), false, false, C::unsupported},
                 Row{refused(400, "InvalidArgument", {}, about_checksums), false, true, C::client_bug},
                 Row{refused(400, "InvalidRequest", {}, about_checksums), false, true, C::client_bug},
                 Row{refused(400, "InvalidArgument", {}, about_else), false, false, C::client_bug},
                 // Some gateways sign other headers than we do; AWS does not.
                 Row{refused(403, "SignatureDoesNotMatch", {{"date", received_date}}), false, true, C::access},
                 Row{refused(403, "SignatureDoesNotMatch", {{"date", received_date}}), true, false, C::access},
                 Row{refused(403, "AccessDenied"), false, false, C::access},
             }) {
            RequestContext context = put();
            context.aws_endpoint = row.aws;
            check(classify(context, row.reply), row.cls, R::no, Repair::none);
            context.own_checksum = true;
            check(classify(context, row.reply), row.cls, row.mended ? R::once_after_fix : R::no,
                  row.mended ? Repair::checksum_style : Repair::none);
            // A condition stays, so a second 501 is final and says what the store lacks.
            context.conditional = true;
            CHECK(classify(context, row.reply).repair == (row.mended ? Repair::checksum_style : Repair::none));
        }
        RequestContext complete = context_of(wire::Op::complete_multipart_upload);
        check(classify(complete, refused(400, "MalformedXML")), C::client_bug, R::no, Repair::none);
        complete.own_checksum = true;
        check(classify(complete, refused(400, "MalformedXML")), C::client_bug, R::once_after_fix,
              Repair::checksum_style);
        RequestContext context = put();
        context.own_checksum = true;
        check(classify(context, refused(400, "MalformedXML")), C::client_bug, R::no, Repair::none);
        for (const std::string_view code : {"BadDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch"}) {
            check(classify(context, refused(400, code)), C::integrity, R::once_after_fix, Repair::reread_source);
        }
    }

    TEST_CASE("the clock comes before the checksum for a refused signature") {
        RequestContext context = put();
        context.own_checksum = true;
        check(classify(context, refused(403, "SignatureDoesNotMatch", {{"date", hour_after}})), C::access,
              R::once_after_fix, Repair::clock_offset);
    }

    TEST_CASE(
        "Expect is dropped only when it was sent, a missing length cannot be mended, 421 wants another connection") {
        RequestContext context = put();
        check(classify(context, answered(417)), C::unsupported, R::no, Repair::none);
        context.expect_sent = true;
        check(classify(context, answered(417)), C::unsupported, R::once_after_fix, Repair::drop_expect);

        check(classify(put(), answered(411)), C::client_bug, R::no, Repair::none);
        check(classify(put(), refused(411, "MissingContentLength")), C::client_bug, R::no, Repair::none);
        check(classify(put(), answered(421)), C::transient_network, R::yes, Repair::fresh_connection);
    }

    TEST_CASE("a refused short body and a missing part name their repairs") {
        check(classify(put(), refused(400, "IncompleteBody")), C::transient_network, R::once_after_fix,
              Repair::reread_source);
        check(classify(context_of(Op::complete_multipart_upload), refused(400, "InvalidPart")), C::integrity,
              R::once_after_fix, Repair::list_parts);
        // Only Complete names parts that can be compared.
        for (const Op op : {Op::put_object, Op::upload_part, Op::upload_part_copy}) {
            check(classify(context_of(op), refused(400, "InvalidPart")), C::integrity, R::no, Repair::none);
        }
    }

}  // TEST_SUITE

}  // namespace s3tug::policy
