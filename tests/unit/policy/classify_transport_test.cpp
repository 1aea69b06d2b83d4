#include "policy/classify.h"

#include <doctest/doctest.h>

#include "policy/failure_table.h"
#include "unit/policy/replies.h"

namespace s3tug::policy {

namespace {

using namespace test;
using C = FailureClass;
using R = RetryRule;
using E = Effect;
using wire::Op;
using wire::TransportCode;

}  // namespace

TEST_SUITE("policy/classify: transport") {
    TEST_CASE("transport failures of a write whose bytes all went out: by the table") {
        for (const FailureRow& row : transport_rows()) {
            CAPTURE(row.name);
            const wire::Reply reply = with_body_sent(failed(static_cast<TransportCode>(row.number)), 1000);
            const Verdict v = classify(put_of_1000(), reply);
            // PARTIAL_FILE says yes for reads; the answer to a write that was cut has to be looked at.
            const R retry = row.number == 18 ? R::verify_first : row.retry;
            check(v, row.cls, retry, row.effect);
            CHECK(v.counts_for_breaker == row.counts_for_breaker);
            CHECK(v.repair == row.repair);
            CHECK(v.code == row.name);
            CHECK(v.status == 0);
            CHECK_FALSE(v.host_answered);
        }
    }

    TEST_CASE("nothing sent proves that nothing was applied") {
        for (const auto code :
             {TransportCode::operation_timed_out, TransportCode::send_error, TransportCode::recv_error,
              TransportCode::got_nothing, TransportCode::stalled, TransportCode::answer_timeout}) {
            wire::Reply reply = failed(code);
            reply.facts.request_bytes = 0;
            const Verdict v = classify(put_of_1000(), reply);
            CHECK(v.effect == E::not_applied);
            CHECK(v.retry == R::yes);
        }
        wire::Reply cancelled = failed(TransportCode::cancelled);
        cancelled.facts.request_bytes = 0;
        check(classify(put_of_1000(), cancelled), C::local_io, R::no, E::not_applied);
    }

    TEST_CASE("a short body proves it too, where the store refuses short bodies") {
        struct Row {
            TransportCode code;
            uint64_t sent;
            bool refuses;
            R retry;
            E effect;
        };
        for (const Row row : {
                 Row{TransportCode::recv_error, 999, true, R::yes, E::not_applied},
                 Row{TransportCode::recv_error, 1000, true, R::verify_first, E::unknown},
                 Row{TransportCode::recv_error, 999, false, R::verify_first, E::unknown},  // VersityGW keeps it
                 Row{TransportCode::stalled, 10, true, R::yes, E::not_applied},
                 Row{TransportCode::stalled, 10, false, R::verify_first, E::unknown},
                 Row{TransportCode::stalled, 1000, true, R::verify_first, E::unknown},
                 Row{TransportCode::deadline, 10, true, R::no, E::not_applied},
                 Row{TransportCode::deadline, 1000, true, R::no, E::unknown},
                 Row{TransportCode::read_error, 10, true, R::no, E::not_applied},
                 // The counters are those of the second send; the first may have arrived in full.
                 Row{TransportCode::second_send_stopped, 0, true, R::verify_first, E::unknown},
                 Row{TransportCode::aborted_by_callback, 0, true, R::no, E::unknown},
             }) {
            CAPTURE(static_cast<int>(row.code));
            CAPTURE(row.sent);
            RequestContext context = put_of_1000();
            context.store_refuses_short_bodies = row.refuses;
            const Verdict v = classify(context, with_body_sent(failed(row.code), row.sent));
            CHECK(v.retry == row.retry);
            CHECK(v.effect == row.effect);
        }
        wire::Reply stopped = failed(TransportCode::second_send_stopped);
        stopped.facts.request_bytes = 0;
        CHECK(classify(put_of_1000(), stopped).effect == E::unknown);
    }

    TEST_CASE("an early 5xx to half a body has applied nothing; with the whole body it may have") {
        check(classify(put_of_1000(), with_body_sent(refused(500, "InternalError"), 500)), C::server, R::yes,
              E::not_applied);
        check(classify(put_of_1000(), with_body_sent(refused(500, "InternalError"), 1000)), C::server, R::verify_first,
              E::unknown);
        check(classify(put_of_1000(), with_body_sent(answered(503), 500)), C::throttling, R::yes, E::not_applied);
        // A 200 is no refusal, so it proves nothing.
        CHECK(classify(put_of_1000(), with_body_sent(answered(200, {}, "<Err"), 500)).effect == E::unknown);
    }

    TEST_CASE("an error that was answered before the connection broke is the reason, not the break") {
        wire::Reply early = with_body_sent(failed(TransportCode::send_error, "Broken pipe"), 300);
        early.partial_answer = head(403, {{"x-amz-request-id", "77"}}, error_xml("AccessDenied"));
        early.facts.answer_begun = true;
        const Verdict denied = classify(put_of_1000(), early);
        check(denied, C::access, R::no, E::not_applied);
        CHECK(denied.code == "AccessDenied");
        CHECK(denied.status == 403);
        CHECK(denied.request_id == "77");
        CHECK(denied.host_answered);

        early.partial_answer = head(503, {{"retry-after", "3"}}, "<Error><Code>SlowD");
        const Verdict throttled = classify(put_of_1000(), early);
        check(throttled, C::throttling, R::yes, E::not_applied);
        REQUIRE(throttled.hint.has_value());
        CHECK(throttled.hint->value == seconds(3));

        // Its body was cut, but the status is an answer: the rule for cut answers does not apply.
        wire::Reply cut_refusal = with_body_sent(failed(TransportCode::partial_file), 1000);
        cut_refusal.partial_answer = head(503, {});
        check(classify(put_of_1000(), cut_refusal), C::throttling, R::yes, E::unknown);

        early.partial_answer = head(200, {{"etag", "\"1\""}});
        early.facts.body_bytes_sent = 1000;
        const Verdict cut = classify(put_of_1000(), early);
        check(cut, C::transient_network, R::verify_first, E::unknown);
        CHECK(cut.status == 200);
        CHECK(cut.host_answered);
    }

    TEST_CASE("our own stop is the reason even when an error was being answered") {
        wire::Reply reply = failed(TransportCode::deadline);
        reply.partial_answer = head(500, {}, error_xml("InternalError"));
        const Verdict v = classify(put_of_1000(), with_body_sent(reply, 1000));
        check(v, C::local_io, R::no, E::unknown);
        CHECK(v.code == "deadline");
    }

    TEST_CASE("a kept connection that was dead is mended by a new one, when nothing can have been applied") {
        struct Row {
            RequestContext context;
            TransportCode code;
            bool reused, answer_begun;
            uint64_t request_bytes;
            Repair repair;
        };
        const RequestContext get = context_of(Op::get_object);
        for (const Row& row : {
                 Row{get, TransportCode::recv_error, true, false, 400, Repair::fresh_connection},
                 Row{get, TransportCode::second_send_stopped, true, false, 400, Repair::fresh_connection},
                 Row{get, TransportCode::recv_error, false, false, 400, Repair::none},
                 Row{get, TransportCode::recv_error, true, true, 400, Repair::none},
                 Row{get, TransportCode::answer_timeout, true, false, 400, Repair::none},
                 Row{put_of_1000(), TransportCode::send_error, true, false, 400, Repair::fresh_connection},
                 Row{context_of(Op::delete_object), TransportCode::recv_error, true, false, 400, Repair::none},
                 Row{context_of(Op::delete_object), TransportCode::send_error, true, false, 0,
                     Repair::fresh_connection},
                 Row{context_of(Op::delete_object), TransportCode::second_send_stopped, true, false, 0, Repair::none},
             }) {
            CAPTURE(wire::to_string(row.context.op));
            CAPTURE(static_cast<int>(row.code));
            wire::Reply reply = failed(row.code);
            reply.facts.reused_connection = row.reused;
            reply.facts.answer_begun = row.answer_begun;
            reply.facts.request_bytes = row.request_bytes;
            const Verdict v = classify(row.context, reply);
            CHECK(to_string(v.repair) == to_string(row.repair));
            if (row.repair != Repair::none) CHECK(v.retry == R::yes);
        }
    }

    TEST_CASE("a libcurl result that the table does not know is met with caution") {
        const Verdict v = classify(put_of_1000(), with_body_sent(failed(static_cast<TransportCode>(102), "new"), 1000));
        check(v, C::unknown, R::verify_first, E::unknown);
        CHECK(v.code == "CURLE 102");
        CHECK(v.message == "new");
    }

}  // TEST_SUITE

}  // namespace s3tug::policy
