#include <doctest/doctest.h>

#include "lab/lab.h"
#include "lab/raw_client.h"

namespace s3tug::lab {

namespace {

using namespace test;
using Reply = RawClient::Reply;

LabConfig config(std::string faults) {
    LabConfig out;
    out.buckets = {"b"};
    out.versioned_buckets = {"v"};
    out.faults = std::move(faults);
    return out;
}

const std::string body_10 = "0123456789";

}  // namespace

TEST_SUITE("lab/faults on the wire") {
    TEST_CASE("the connection ends at the stage that was told, and only then") {
        struct Row {
            const char* action;
            const char* ending;  ///< as the client sees it
            bool applied;
            uint64_t body_received;
        };
        for (const Row row : {
                 Row{"reset before-read", "reset", false, 0},
                 Row{"close before-read", "fin", false, 0},
                 Row{"reset after-headers", "reset", false, 0},
                 Row{"close after-headers", "fin", false, 0},
                 Row{"reset mid-body", "reset", false, 5},
                 Row{"close mid-body@3", "fin", false, 3},
                 Row{"reset after-body", "reset", false, 10},
                 Row{"reset before-answer", "reset", true, 10},
                 Row{"close before-answer", "fin", true, 10},
                 Row{"reset mid-head@20", "reset", true, 10},
                 Row{"close mid-head", "fin", true, 10},
                 Row{"late 1h", "reset", false, 10},
             }) {
            CAPTURE(row.action);
            Lab lab(config(std::string("PutObject 1: ") + row.action));
            RawClient client(lab.port());
            const Reply reply = exchange(client, put("/b/k", body_10));
            CHECK(reply.status == 0);
            CHECK(reply.ending == row.ending);
            REQUIRE(lab.wait_idle());
            CHECK((lab.object("b", "k") != nullptr) == row.applied);
            const Seen seen = lab.log().front();
            CHECK(seen.applied == row.applied);
            CHECK(seen.body_received == row.body_received);
            CHECK(seen.status == (std::string(row.action).find("mid-head") == std::string::npos ? 0 : 200));
            CHECK(exchange(lab.port(), put("/b/k", body_10)).status == 200);
            CHECK(lab.count("PutObject") == 2);
        }
    }

    TEST_CASE("a hanging server lets go when the client leaves") {
        for (const char* stage :
             {"before-read", "after-headers", "mid-body", "after-body", "before-answer", "mid-answer"}) {
            CAPTURE(stage);
            Lab lab(config(std::string("PutObject 1: hang ") + stage));
            {
                RawClient client(lab.port());
                client.send(signed_head(put("/b/k", body_10), lab.port()) + body_10);
                while (lab.log().empty() || lab.log().front().ending != std::string("hang ") + stage) continue;
            }
            CHECK(lab.wait_idle());
        }
    }

    TEST_CASE("a kept connection that dies after an answer is found dead by the next request") {
        Lab lab(config("PutObject 1: close after-answer"));
        RawClient client(lab.port());
        const Reply first = exchange(client, put("/b/k", "x"));
        CHECK(first.status == 200);
        CHECK(first.header("Connection") == "");
        CHECK(exchange(client, put("/b/k", "y")).status == 0);
        CHECK(lab.count("PutObject") == 1);
    }

    TEST_CASE("rules can tell a reused connection from a fresh one") {
        Lab lab(config("PutObject conn=reused 1: reset before-read"));
        RawClient client(lab.port());
        CHECK(exchange(client, put("/b/k", "x")).status == 200);
        CHECK(exchange(client, put("/b/k", "y")).ending == "reset");
        CHECK(lab.log().back().ordinal == 2);
        CHECK(lab.object("b", "k")->content.all() == "x");
    }

    TEST_CASE("a download breaks off at the byte that was told") {
        struct Row {
            const char* action;
            size_t bytes;
            const char* ending;
        };
        for (const Row row : {Row{"reset mid-answer@4", 4, "reset"}, Row{"close mid-answer", 5, "fin"},
                              Row{"cut 3", 7, "fin"}, Row{"cut 30", 0, "fin"}}) {
            CAPTURE(row.action);
            Lab lab(config(std::string("GetObject: ") + row.action));
            lab.put("b", "k", body_10);
            const Reply reply = exchange(lab.port(), get("/b/k"));
            CHECK(reply.status == 200);
            CHECK(reply.header("Content-Length") == "10");
            CHECK(reply.body == body_10.substr(0, row.bytes));
            CHECK(reply.ending == row.ending);
        }
    }

    TEST_CASE("errors come in the form that was told, with hints, and nothing is applied") {
        Lab lab(
            config("PutObject 1: 503 SlowDown retry-after=7 x-amz-retry-after=1500\nPutObject 2: 500 html\n"
                   "PutObject 3: 429 empty\nPutObject 4: html\nPutObject 5: 400 RequestTimeout message=\"slow\"\n"
                   "PutObject 6: 503 no-length\nPutObject 7: 503 chunked\nPutObject 8: deny\n"
                   "PutObject 9: 503 retry-after-date=60"));
        const auto next = [&] { return exchange(lab.port(), put("/b/k", "x")); };
        const Reply slow = next();
        CHECK(slow.status == 503);
        CHECK(slow.code() == "SlowDown");
        CHECK(slow.header("Retry-After") == "7");
        CHECK(slow.header("x-amz-retry-after") == "1500");
        const Reply page = next();
        CHECK(page.status == 500);
        CHECK(page.header("Content-Type") == "text/html");
        const Reply empty = next();
        CHECK(empty.status == 429);
        CHECK(empty.body.empty());
        CHECK(next().status == 502);
        CHECK(next().body.find("<Message>slow</Message>") != std::string::npos);
        const Reply endless = next();
        CHECK(endless.header("Content-Length") == "");
        CHECK(endless.code() == "ServiceUnavailable");
        CHECK(endless.ending == "");
        CHECK(next().body.ends_with("0\r\n\r\n"));
        CHECK(next().status == 403);
        CHECK(next().header("Retry-After").ends_with(" GMT"));
        CHECK_FALSE(lab.object("b", "k"));
        CHECK(next().status == 200);
    }

    TEST_CASE("an error can lie about what was done, and a success too") {
        Lab lab(
            config("PutObject key=a: apply-then 500 InternalError\nCopyObject 1: 200-with-error InternalError\n"
                   "CopyObject 2: apply-then empty-200\nCopyObject 3: empty-200"));
        CHECK(exchange(lab.port(), put("/b/a", "x")).status == 500);
        CHECK(lab.object("b", "a"));
        CHECK(lab.log().front().applied);
        const auto copy = [&](const std::string& to) {
            return exchange(lab.port(), with_method("PUT", to, {{"x-amz-copy-source", "b/a"}}));
        };
        const Reply lying = copy("/b/c1");
        CHECK(lying.status == 200);
        CHECK(lying.code() == "InternalError");
        CHECK_FALSE(lab.object("b", "c1"));
        CHECK(copy("/b/c2").body.empty());
        CHECK(lab.object("b", "c2"));
        CHECK(copy("/b/c3").body.empty());
        CHECK_FALSE(lab.object("b", "c3"));
    }

    TEST_CASE("an early refusal comes before the body, and says that the connection ends") {
        Lab lab(
            config("PutObject 1: 503 SlowDown after-headers\nPutObject 2: 503 SlowDown\nPutObject 3: 503 after-body"));
        Ask ask = put("/b/k", body_10);
        const Reply early = exchange(lab.port(), ask);
        CHECK(early.status == 503);
        CHECK(early.header("Connection") == "close");
        CHECK(lab.log().back().body_received == 0);
        ask.expect = true;
        RawClient client(lab.port());
        CHECK(exchange(client, ask).status == 503);
        CHECK(client.continues == 0);
        RawClient other(lab.port());
        other.send(signed_head(ask, lab.port()) + ask.body);
        CHECK(other.read_reply().status == 503);
        CHECK(other.continues == 1);
    }

    TEST_CASE("a late effect takes place after its connection was lost") {
        Lab lab(config("PutObject 1: late 1h"));
        CHECK(exchange(lab.port(), put("/b/k", "late")).ending == "reset");
        CHECK(exchange(lab.port(), with_method("HEAD", "/b/k")).status == 404);
        lab.flush_late();
        CHECK(lab.object("b", "k")->content.all() == "late");
        CHECK(lab.log().front().applied);
    }

    TEST_CASE("a hidden object is found after as many look-ups as were told") {
        Lab lab(config("PutObject 1: hide 2"));
        CHECK(exchange(lab.port(), put("/b/k", "x")).status == 200);
        const auto look = [&] { return exchange(lab.port(), with_method("HEAD", "/b/k")).status; };
        CHECK(look() == 404);
        CHECK(look() == 404);
        CHECK(look() == 200);
    }

    TEST_CASE("bits flip on the way in, at rest and on the way out") {
        Lab lab(
            config("PutObject key=up: flip up 0\nPutObject key=rest: flip stored 0\nGetObject key=down: flip down 9"));
        Ask unsigned_put = put("/b/up", body_10);
        unsigned_put.payload_word = "UNSIGNED-PAYLOAD";
        CHECK(exchange(lab.port(), unsigned_put).header("ETag") != "\"781e5e245d69b566979b86e28d23f2c7\"");
        CHECK(lab.object("b", "up")->content.all() == "1123456789");
        CHECK(exchange(lab.port(), put("/b/up", body_10)).code() == "XAmzContentSHA256Mismatch");
        CHECK(exchange(lab.port(), put("/b/rest", body_10)).header("ETag") == "\"781e5e245d69b566979b86e28d23f2c7\"");
        CHECK(exchange(lab.port(), get("/b/rest")).body == "1123456789");
        lab.put("b", "down", body_10);
        CHECK(exchange(lab.port(), get("/b/down")).body == "0123456788");
    }

    TEST_CASE("the clock, the region and the credentials can be wrong") {
        Lab lab(config("* key=skew: skew 3600\n* key=region: region eu-west-1\n* key=expire 1: expire"));
        const Reply skewed = exchange(lab.port(), put("/b/skew", "x"));
        CHECK(skewed.code() == "RequestTimeTooSkewed");
        Ask later = put("/b/skew", "x");
        later.clock += 3600;
        CHECK(exchange(lab.port(), later).status == 200);
        const Reply elsewhere = exchange(lab.port(), put("/b/region", "x"));
        CHECK(elsewhere.code() == "AuthorizationHeaderMalformed");
        CHECK(elsewhere.header("x-amz-bucket-region") == "eu-west-1");
        CHECK(elsewhere.body.find("<Region>eu-west-1</Region>") != std::string::npos);
        Ask there = put("/b/region", "x");
        there.region = "eu-west-1";
        CHECK(exchange(lab.port(), there).status == 200);
        CHECK(exchange(lab.port(), put("/b/expire", "x")).code() == "ExpiredToken");
        CHECK(exchange(lab.port(), put("/b/other", "x")).code() == "ExpiredToken");
        lab.set_credentials({{"fresh", "secret", "", std::nullopt}});
        Ask fresh = put("/b/expire", "x");
        fresh.access_key = "fresh";
        fresh.secret = "secret";
        CHECK(exchange(lab.port(), fresh).status == 200);
    }

    TEST_CASE("conditions can be ignored, checksums refused, effects doubled") {
        Lab lab(config("PutObject key=i: ignore-conditions\nPutObject key=c: no-checksum\n* key=d: dup"));
        lab.put("b", "i", "old");
        CHECK(exchange(lab.port(), put("/b/i", "new", {{"if-none-match", "*"}})).status == 200);
        CHECK(exchange(lab.port(), put("/b/c", "x", {{"x-amz-checksum-crc32", "AAAAAA=="}})).status == 501);
        CHECK(exchange(lab.port(), put("/v/d", "x")).status == 200);
        CHECK(lab.versions("v", "d").size() == 2);
        CHECK(exchange(lab.port(), put("/b/d", "x", {{"if-none-match", "*"}})).status == 412);
    }

    TEST_CASE("garbage and redirects are as told") {
        Lab lab(config("PutObject 1: garbage\nPutObject 2: redirect 307 other.example region=eu-west-1"));
        RawClient client(lab.port());
        client.send(signed_head(put("/b/k", "x"), lab.port()) + "x");
        CHECK(client.read_all().find("this is not HTTP") != std::string::npos);
        const Reply redirect = exchange(lab.port(), put("/b/k", "x"));
        CHECK(redirect.status == 307);
        CHECK(redirect.header("Location") == "http://other.example/b/k");
        CHECK(redirect.header("x-amz-bucket-region") == "eu-west-1");
    }

    TEST_CASE("dripped bytes arrive all, both ways") {
        Lab lab(config("PutObject: drip up 4/1ms\nGetObject: drip 3/1ms"));
        CHECK(exchange(lab.port(), put("/b/k", body_10)).status == 200);
        CHECK(exchange(lab.port(), get("/b/k")).body == body_10);
    }

    TEST_CASE("a closed port refuses connections and drops those that stand") {
        Lab lab(config(""));
        RawClient standing(lab.port());
        CHECK(exchange(standing, put("/b/k", "x")).status == 200);
        lab.set_faults("*: refuse");
        CHECK_FALSE(RawClient(lab.port()).connected());
        CHECK(exchange(standing, put("/b/k", "y")).status == 0);
        lab.clear_faults();
        CHECK(exchange(lab.port(), put("/b/k", "z")).status == 200);
        CHECK(lab.object("b", "k")->content.all() == "z");
    }

    TEST_CASE("connections can be ended before their first request") {
        Lab lab(config("Connection 1: reset\nConnection 2: close\nConnection 3: garbage"));
        CHECK(exchange(lab.port(), put("/b/k", "x")).ending == "reset");
        CHECK(exchange(lab.port(), put("/b/k", "x")).status == 0);
        CHECK(RawClient(lab.port()).read_all().find("this is not HTTP") != std::string::npos);
        CHECK(exchange(lab.port(), put("/b/k", "x")).status == 200);
        CHECK(lab.connections() == 4);
    }

    TEST_CASE("a wrong script stops the start and changes nothing while running") {
        CHECK_THROWS_WITH(Lab(config("PutObject: 5o3")),
                          "faults:1:12: unknown action `5o3`; known: STATUS html garbage "
                          "empty-200 200-with-error deny redirect reset close hang delay "
                          "apply-then drip cut flip late hide fail-keys skew region no-checksum expire "
                          "ignore-conditions dup chunked no-length refuse");
        Lab lab(config("PutObject: 503"));
        CHECK_THROWS(lab.set_faults("GetObject"));
        CHECK(exchange(lab.port(), put("/b/k", "x")).status == 503);
    }

    TEST_CASE("quirks make a store of another kind") {
        LabConfig odd = config("");
        for (const char* quirk : {"ignore-if-none-match", "etag-not-md5", "no-range", "empty-messages", "no-head"})
            CHECK(set_quirk(odd.quirks, quirk));
        CHECK_FALSE(set_quirk(odd.quirks, "no-such-quirk"));
        Lab lab(odd);
        lab.put("b", "k", body_10);
        CHECK(exchange(lab.port(), put("/b/k", body_10, {{"if-none-match", "*"}})).header("ETag") !=
              "\"781e5e245d69b566979b86e28d23f2c7\"");
        CHECK(exchange(lab.port(), get("/b/k", {{"range", "bytes=1-2"}})).body == body_10);
        CHECK(exchange(lab.port(), with_method("HEAD", "/b/k")).status == 403);
        CHECK(exchange(lab.port(), get("/b/none")).body.find("<Message></Message>") != std::string::npos);
    }
}

}  // namespace s3tug::lab
