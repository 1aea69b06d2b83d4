#include <doctest/doctest.h>

#include <string>

#include "base/limits.h"
#include "policy/idempotency.h"

namespace s3tug::policy {

namespace {

constexpr WallTime now = wall_from_unix_seconds(1'796'040'000);
const ProcessId self{200, 2000, "boot", 1};
const ProcessId owner{100, 1000, "boot", 1};

KeyRecord at_work_since(WallTime started) {
    KeyRecord record;
    record.fingerprint = "put s3://b/k sha256:abc";
    record.owner = owner;
    record.write_token = "token-of-owner";
    record.started = started;
    return record;
}

KeyRecord done_at(WallTime finished) {
    KeyRecord record = at_work_since(finished - seconds(5));
    record.done = true;
    record.finished = finished;
    record.result = "etag=abc";
    return record;
}

Claim claim(const std::optional<KeyRecord>& found, Liveness liveness,
            std::string_view fingerprint = "put s3://b/k sha256:abc") {
    return claim_key(found, fingerprint, self, "token-of-self", now, limits::idempotency_keep, liveness);
}

}  // namespace

TEST_SUITE("policy/idempotency_key") {
    TEST_CASE("a key that was never used is ours, with our token recorded before anything is sent") {
        const Claim c = claim(std::nullopt, Liveness::unknown);
        CHECK(c.kind == ClaimKind::fresh);
        CHECK(c.record.fingerprint == "put s3://b/k sha256:abc");
        CHECK(c.record.owner == self);
        CHECK(c.record.write_token == "token-of-self");
        CHECK(c.record.started == now);
        CHECK_FALSE(c.record.done);
    }

    TEST_CASE("a key that is done gives its kept result, whoever had it") {
        for (const Liveness liveness : {Liveness::alive, Liveness::dead, Liveness::unknown}) {
            const Claim c = claim(done_at(now - seconds(3599)), liveness);
            CHECK(c.kind == ClaimKind::kept);
            CHECK(c.record.result == "etag=abc");
        }
    }

    TEST_CASE("without its content, work that is done is known by what the fingerprint begins with") {
        const auto kept = [](const std::optional<KeyRecord>& found, std::string_view work) {
            return kept_record(found, work, now, limits::idempotency_keep);
        };
        const KeyRecord done = done_at(now - seconds(3599));
        REQUIRE(kept(done, "put s3://b/k"));
        CHECK(kept(done, "put s3://b/k")->result == "etag=abc");
        CHECK(!kept(done, "put s3://b/other"));
        CHECK(!kept(done_at(now - seconds(3600)), "put s3://b/k"));
        CHECK(!kept(at_work_since(now), "put s3://b/k"));
        CHECK(!kept(std::nullopt, "put s3://b/k"));
    }

    TEST_CASE("the result is kept 3600 s, then the key is free, also for something else") {
        CHECK(claim(done_at(now - seconds(3600)), Liveness::dead).kind == ClaimKind::fresh);
        CHECK(claim(done_at(now - seconds(3600)), Liveness::dead, "other").kind == ClaimKind::fresh);
        CHECK(claim(done_at(now - seconds(3599)), Liveness::dead, "other").kind == ClaimKind::other_use);
    }

    TEST_CASE("a result is kept as long as the run said that made it, whatever a later one says") {
        for (const int64_t kept : {1, 3600, 7200}) {
            KeyRecord done = done_at(now);
            done.keep = seconds(kept);
            for (const int64_t reader : {1, 3600, 7200}) {
                const auto kind = [&](int64_t after) {
                    return claim_key(done, done.fingerprint, self, "t", now + seconds(after), seconds(reader),
                                     Liveness::dead)
                        .kind;
                };
                CAPTURE(kept);
                CAPTURE(reader);
                CHECK(kind(kept - 1) == ClaimKind::kept);
                CHECK(kind(kept) == ClaimKind::fresh);
                CHECK(kept_record(done, "put", now + seconds(kept - 1), seconds(reader)).has_value());
                CHECK(!kept_record(done, "put", now + seconds(kept), seconds(reader)).has_value());
                CHECK(kept_until(done, seconds(reader)) == now + seconds(kept));
            }
        }
        CHECK(kept_until(done_at(now), seconds(7)) == now + seconds(7));  // not recorded
    }

    TEST_CASE("a key at work is another's while its owner may live") {
        struct Row {
            Liveness liveness;
            Duration since_start;
            ClaimKind kind;
        };
        const Row rows[] = {
            {Liveness::alive, seconds(1), ClaimKind::busy},
            {Liveness::alive, hours(5), ClaimKind::busy},  // a long upload, longer than results are kept
            {Liveness::dead, seconds(0), ClaimKind::taken_over},
            {Liveness::dead, seconds(3599), ClaimKind::taken_over},
            {Liveness::dead, seconds(3600), ClaimKind::fresh},
            {Liveness::unknown, minutes(15) - Duration(1), ClaimKind::busy},
            {Liveness::unknown, minutes(15), ClaimKind::taken_over},
            {Liveness::unknown, -minutes(14), ClaimKind::busy},      // clock set back a little
            {Liveness::unknown, -hours(24), ClaimKind::taken_over},  // or a day: not busy for ever
            {Liveness::dead, -hours(24), ClaimKind::taken_over},
        };
        for (const Row& row : rows) {
            CAPTURE(static_cast<int>(row.liveness));
            CAPTURE(to_ms(row.since_start));
            CHECK(claim(at_work_since(now - row.since_start), row.liveness).kind == row.kind);
        }
    }

    TEST_CASE("a dead owner's token is kept, since it is the one to be looked for") {
        const Claim c = claim(at_work_since(now - seconds(30)), Liveness::dead);
        CHECK(c.kind == ClaimKind::taken_over);
        CHECK(c.record.write_token == "token-of-owner");
        CHECK(c.record.owner == self);
        CHECK(c.record.started == now);
        CHECK_FALSE(c.record.done);
    }

    TEST_CASE("another fingerprint is another use, done, at work or left behind") {
        CHECK(claim(done_at(now), Liveness::dead, "other").kind == ClaimKind::other_use);
        CHECK(claim(at_work_since(now), Liveness::alive, "other").kind == ClaimKind::other_use);
        CHECK(claim(at_work_since(now), Liveness::dead, "other").kind == ClaimKind::other_use);
    }

    TEST_CASE("a result dated in the future by a clock that was set back is still kept") {
        CHECK(claim(done_at(now + hours(24)), Liveness::dead).kind == ClaimKind::kept);
    }

    TEST_CASE("a record survives the state file with every field, lines and bytes included") {
        KeyRecord in = done_at(now);
        in.result = "{\"etag\":\"abc\"}\nsecond\\line\x01";
        const auto out = decode_key_record(encode(in));
        REQUIRE(out.has_value());
        CHECK(out->fingerprint == in.fingerprint);
        CHECK(out->done);
        CHECK(out->result == in.result);
        CHECK(out->owner == in.owner);
        CHECK(out->write_token == in.write_token);
        CHECK(out->started == in.started);
        CHECK(out->finished == in.finished);
        CHECK(!out->keep);
        in.keep = seconds(90);
        CHECK(decode_key_record(encode(in)).value().keep == seconds(90));
        in.keep = limits::idempotency_keep_max + seconds(1);  // the state file does not hold it so long
        CHECK(decode_key_record(encode(in)).value().keep == limits::idempotency_keep_max);
    }

    TEST_CASE("damaged records are refused") {
        for (const std::string_view text : {
                 "",
                 "no field at all",
                 "fingerprint=f\n",
                 "fingerprint=\ndone=0\nresult=\nowner=1 2 3 b\nwrite_token=t\nstarted_ns=1\nfinished_ns=0\n",
                 "fingerprint=f\ndone=2\nresult=\nowner=1 2 3 b\nwrite_token=t\nstarted_ns=1\nfinished_ns=0\n",
                 "fingerprint=f\ndone=0\nresult=\nowner=1 2\nwrite_token=t\nstarted_ns=1\nfinished_ns=0\n",
                 "fingerprint=f\ndone=0\nresult=\nowner=1 2 3 b\nwrite_token=t\nstarted_ns=-1\nfinished_ns=0\n",
                 "fingerprint=f\ndone=0\nresult=\nowner=1 2 3 b\nwrite_token=t\nstarted_ns=1\nfinished_ns=x\n",
                 "fingerprint=f\ndone=0\nresult=\nowner=1 2 3 b\nstarted_ns=1\nfinished_ns=0\n",
                 "fingerprint=f\ndone=1\nresult=\nowner=1 2 3 "
                 "b\nwrite_token=t\nstarted_ns=1\nfinished_ns=1\nkeep_ns=-1\n",
                 "fingerprint=f\ndone=1\nresult=\nowner=1 2 3 "
                 "b\nwrite_token=t\nstarted_ns=1\nfinished_ns=1\nkeep_ns=x\n",
             }) {
            CAPTURE(text);
            CHECK_FALSE(decode_key_record(text).has_value());
        }
        CHECK(decode_key_record(
                  "fingerprint=f\ndone=0\nresult=\nowner=1 2 3 b\nwrite_token=\nstarted_ns=1\nfinished_ns=0\n"
                  "field_of_later=1\n")
                  .has_value());
        CHECK_FALSE(decode_key_record(std::string(limits::state_value_max_bytes + 1, 'x')).has_value());
    }
}

}  // namespace s3tug::policy
