#include "cmd/tally.h"

#include <doctest/doctest.h>

#include <csignal>
#include <vector>

namespace s3tug::cmd {

namespace {

engine::Transfer put(std::string key) {
    engine::Transfer t;
    t.kind = engine::TransferKind::put;
    t.target = {"b", std::move(key)};
    return t;
}

engine::Outcome failed(ErrorKind kind) {
    engine::Outcome outcome;
    outcome.error = Error{kind, "x"};
    return outcome;
}

const engine::Outcome done;

Tally tally_of(const std::vector<engine::Outcome>& outcomes) {
    Tally tally;
    for (const engine::Outcome& outcome : outcomes) tally.add(put("k"), outcome);
    return tally;
}

int code_of(const std::vector<engine::Outcome>& outcomes) { return tally_of(outcomes).exit_code(); }

}  // namespace

TEST_SUITE("cmd/tally") {
    TEST_CASE("the code of several items is theirs when all failed alike, else 1") {
        const auto denied = failed(ErrorKind::access_denied);
        const auto refused = failed(ErrorKind::credentials_refused);
        const auto missing = failed(ErrorKind::not_found);
        CHECK(code_of({}) == 0);
        CHECK(code_of({done, done}) == 0);
        CHECK(code_of({denied}) == 77);
        CHECK(code_of({denied, denied}) == 77);
        CHECK(code_of({denied, refused}) == 77);
        CHECK(code_of({denied, missing}) == 1);
        CHECK(code_of({denied, missing, denied}) == 1);
        CHECK(code_of({done, denied}) == 1);
        CHECK(code_of({denied, done}) == 1);
    }

    TEST_CASE("an interruption wins over what else happened") {
        CHECK(code_of({done, failed(ErrorKind::not_found), failed(ErrorKind::interrupted)}) == 130);
        CHECK(code_of({failed(ErrorKind::broken_pipe)}) == 141);
        Tally terminated;
        terminated.add(put("k"), failed(ErrorKind::interrupted), SIGTERM);
        terminated.add(put("l"), done, SIGTERM);
        CHECK(terminated.exit_code() == 143);
    }

    TEST_CASE("a signal or the deadline that leaves the rest undone gives the code, as a failure would") {
        Tally interrupted = tally_of({done});
        interrupted.not_begun(std::nullopt, 130);
        CHECK(interrupted.exit_code() == 130);
        Tally nothing_done;
        nothing_done.not_begun(4, 124);
        CHECK(nothing_done.exit_code() == 124);
        Tally some_done = tally_of({done});
        some_done.not_begun(4, 124);
        CHECK(some_done.exit_code() == 124);
        Tally one_cut = tally_of({done, failed(ErrorKind::deadline)});
        CHECK(one_cut.exit_code() == 124);
        for (const int code : {130, 124}) {
            Tally none_left = tally_of({done});
            none_left.not_begun(0, code);
            CHECK(none_left.exit_code() == 0);
        }
    }

    TEST_CASE("an outage of all items is told to be tried later, whoever of them met the breaker") {
        CHECK(code_of({failed(ErrorKind::gave_up), failed(ErrorKind::breaker_open)}) == 75);
        CHECK(code_of({done, failed(ErrorKind::gave_up), failed(ErrorKind::breaker_open)}) == 1);
        CHECK(code_of({failed(ErrorKind::access_denied), failed(ErrorKind::breaker_open)}) == 1);
    }

    TEST_CASE("items that were not begun are not done, and do not hide the one cause") {
        Tally cut = tally_of({done});
        cut.not_begun(3);
        CHECK(cut.exit_code() == 1);
        CHECK(cut.cut_short());
        Tally unknown = tally_of({done});
        unknown.not_begun(std::nullopt);
        CHECK(unknown.exit_code() == 1);
        Tally whole = tally_of({done});
        whole.not_begun(0);
        CHECK(whole.exit_code() == 0);
        CHECK_FALSE(whole.cut_short());
        Tally one_cause = tally_of({failed(ErrorKind::access_denied)});
        one_cause.not_begun(7);
        CHECK(one_cause.exit_code() == 77);
    }

    TEST_CASE("it counts what ended, and keeps the first failure with its item") {
        Tally tally;
        engine::Outcome sent;
        sent.size = 10;
        engine::Outcome skipped;
        skipped.skipped = true;
        skipped.size = 99;
        engine::Outcome kept;
        kept.cached = true;
        kept.size = 99;
        tally.add(put("a"), sent);
        tally.add(put("b"), skipped);
        tally.add(put("c"), failed(ErrorKind::not_found));
        tally.add(put("d"), failed(ErrorKind::access_denied));
        tally.add(put("e"), kept);
        CHECK(tally.items() == 5);
        CHECK(tally.done() == 3);
        CHECK(tally.failed() == 2);
        CHECK(tally.skipped() == 1);
        CHECK(tally.bytes() == 10);
        REQUIRE(tally.first());
        CHECK(tally.first()->item == "put s3://b/c");
        CHECK(tally.first()->error.kind == ErrorKind::not_found);
    }
}

}  // namespace s3tug::cmd
