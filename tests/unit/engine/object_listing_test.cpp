#include "engine/object_listing.h"

#include <doctest/doctest.h>

#include "support/sim_s3.h"

using namespace s3tug;
using namespace s3tug::engine;

namespace {

wire::Reply page_reply(const std::string& inside) {
    wire::HttpAnswer answer;
    answer.status = 200;
    answer.body = "<ListBucketResult>" + inside + "</ListBucketResult>";
    wire::Reply reply;
    reply.outcome = std::move(answer);
    return reply;
}

policy::Verdict judge(const PlanningRequest& request, const wire::Reply& reply) {
    policy::Verdict verdict = policy::classify({.op = request.spec.op}, reply);
    request.spec.review(reply, verdict);
    return verdict;
}

ObjectListing listing_below(const std::string& prefix) {
    wire::ListObjectsInput scope;
    scope.bucket = "b";
    scope.prefix = prefix;
    return ObjectListing(std::move(scope));
}

}  // namespace

TEST_CASE("a listing is asked for page by page until the store says that it was the last one") {
    ObjectListing listing = listing_below("log/");
    PlanningRequest first = listing.request();
    CHECK(item_name(first.about) == "list s3://b/log/");
    CHECK(first.spec.op == wire::Op::list_objects_v2);
    CHECK(judge(first, page_reply("<IsTruncated>true</IsTruncated><NextContinuationToken>t1</NextContinuationToken>"
                                  "<Contents><Key>log/a</Key><Size>1</Size></Contents>"))
              .success());
    const auto page = listing.take({});
    REQUIRE(page);
    REQUIRE(page->objects.size() == 1);
    CHECK(page->objects[0].key == "log/a");
    CHECK_FALSE(listing.ended());

    PlanningRequest second = listing.request();
    const wire::Request request = second.spec.build();
    CHECK(std::any_of(request.query.begin(), request.query.end(),
                      [](const auto& p) { return p.name == "continuation-token" && p.value == "t1"; }));
    CHECK(judge(second, page_reply("<IsTruncated>false</IsTruncated>")).success());
    CHECK(listing.take({}).value().objects.empty());
    CHECK(listing.ended());
}

TEST_CASE("a page that is wrong is judged as a read that failed, so it is asked for again") {
    ObjectListing listing = listing_below("log/");
    const PlanningRequest request = listing.request();
    // Cut, but leads nowhere; and keys of another prefix.
    for (const char* inside : {"<IsTruncated>true</IsTruncated>", "<Contents><Key>other</Key></Contents>"}) {
        CAPTURE(inside);
        const policy::Verdict verdict = judge(request, page_reply(inside));
        CHECK_FALSE(verdict.success());
        CHECK(verdict.effect == policy::Effect::not_applied);
        CHECK(verdict.retry == policy::RetryRule::yes);
    }
}

TEST_CASE("a listing that failed has ended, with the error of its request") {
    ObjectListing listing = listing_below("log/");
    (void)listing.request();
    OperationResult result;
    result.error = Error{ErrorKind::access_denied, "access denied"};
    const auto page = listing.take(std::move(result));
    REQUIRE_FALSE(page);
    CHECK(page.error().kind == ErrorKind::access_denied);
    CHECK(listing.ended());
}
