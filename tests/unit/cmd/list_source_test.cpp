#include "cmd/list_source.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "unit/cmd/captured_output.h"

namespace s3tug::cmd {
namespace {

using Lines = std::vector<std::string>;

std::string object(const std::string& key) {
    return "<Contents><Key>" + key +
           "</Key><Size>3</Size><LastModified>2026-11-29T21:01:30.000Z</LastModified><ETag>e</ETag></Contents>";
}
std::string folder(const std::string& prefix) {
    return "<CommonPrefixes><Prefix>" + prefix + "</Prefix></CommonPrefixes>";
}
const std::string more = "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>";

using Addresses = std::vector<wire::S3Uri>;

struct Listing {
    explicit Listing(std::vector<wire::S3Uri> addresses, ListWish wish = {})
        : source(std::move(addresses), std::move(wish), output) {}

    /// Answers the request that is due with a page, and gives the request.
    wire::Request page(const std::string& inside) {
        std::optional<engine::PlanningRequest> asked = source.request();
        REQUIRE(asked);
        wire::HttpAnswer answer;
        answer.status = 200;
        answer.body = "<ListBucketResult>" + inside + "</ListBucketResult>";
        wire::Reply reply;
        reply.outcome = answer;
        engine::OperationResult result;
        if (asked->spec.review) {
            policy::Verdict verdict;
            verdict.cls = policy::FailureClass::none;
            asked->spec.review(reply, verdict);
        }
        result.answer = std::move(answer);
        source.on_result(std::move(result));
        return asked->spec.build();
    }
    void fails(ErrorKind kind) {
        REQUIRE(source.request());
        engine::OperationResult result;
        result.error = Error{kind, "some trouble"};
        source.on_result(std::move(result));
    }
    static std::string query(const wire::Request& request, const std::string& name) {
        for (const auto& parameter : request.query) {
            if (parameter.name == name) return parameter.value;
        }
        return "";
    }

    CapturedOutput output;
    ListSource source;
};

}  // namespace

TEST_SUITE("cmd/list_source") {
    TEST_CASE("a folder's content has names without the folder, folders first, a page in one write") {
        Listing list(Addresses{{"b", "dir/"}});
        CHECK(Listing::query(list.page(folder("dir/sub/") + object("dir/") + object("dir/a") + more), "delimiter") ==
              "/");
        CHECK(!list.source.ended());
        list.page(object("dir/z"));
        CHECK(list.source.ended());
        CHECK(list.output.data_lines == Lines{"                           PRE sub/\n"
                                              "2026-11-29 21:01:30          3 ./\n"
                                              "2026-11-29 21:01:30          3 a",
                                              "2026-11-29 21:01:30          3 z"});
        CHECK(!list.source.next());
    }

    TEST_CASE("a name is the object and the folder of that name, wherever the folder stands, and nothing else") {
        Listing near(Addresses{{"b", "log"}});
        near.page(folder("log/") + object("log") + object("log-1"));
        CHECK(near.source.ended());
        CHECK(near.output.data_lines ==
              Lines{"                           PRE log/\n2026-11-29 21:01:30          3 log"});

        Listing far(Addresses{{"b", "log"}});
        far.page(object("log") + object("log-1") + more);
        const wire::Request probe = far.page(object("log/x") + more);
        CHECK(Listing::query(probe, "prefix") == "log/");
        CHECK(Listing::query(probe, "max-keys") == "1");
        CHECK(far.source.ended());
        CHECK(far.output.data_lines ==
              Lines{"2026-11-29 21:01:30          3 log", "                           PRE log/"});

        Listing past(Addresses{{"b", "log"}});
        past.page(object("log") + object("log0") + more);  // a folder would have come before it
        CHECK(past.source.ended());
    }

    TEST_CASE("recursive has whole keys, of the object itself and of all below") {
        Listing list(Addresses{{"b", "log"}}, {.recursive = true});
        list.page(object("log") + more);
        const wire::Request below = list.page(object("log/x"));
        CHECK(Listing::query(below, "prefix") == "log/");
        CHECK(Listing::query(below, "delimiter").empty());
        CHECK(list.output.data_lines ==
              Lines{"2026-11-29 21:01:30          3 log", "2026-11-29 21:01:30          3 log/x"});
    }

    TEST_CASE("a pattern is held against whole keys; --raw takes it as it is") {
        Listing list(Addresses{{"b", "x/*.csv"}});
        CHECK(Listing::query(list.page(object("x/a.csv") + object("x/b.txt")), "prefix") == "x/");
        CHECK(list.output.data_lines == Lines{"2026-11-29 21:01:30          3 x/a.csv"});
        Listing raw(Addresses{{"b", "*"}}, {.raw_keys = true});
        raw.page(object("*"));
        CHECK(raw.output.data_lines == Lines{"2026-11-29 21:01:30          3 *"});
    }

    TEST_CASE("a name that nothing has is not found, an empty bucket is no failure") {
        Listing empty(Addresses{{"b", ""}});
        empty.page("");
        CHECK(empty.source.ended());
        Listing list(Addresses{{"b", "gone/"}, {"b", "there"}});
        list.page("");
        const std::optional<engine::Transfer> missing = list.source.next();
        REQUIRE(missing);
        CHECK(missing->refused->kind == ErrorKind::not_found);
        CHECK(engine::item_name(*missing) == "list s3://b/gone/");
        list.page(object("there"));
        CHECK(list.source.ended());
    }

    TEST_CASE("a listing that fails after its first page is incomplete, and no sum is printed") {
        Listing list(Addresses{{"b", ""}}, {.summarize = true});
        list.page(object("a") + more);
        list.fails(ErrorKind::access_denied);
        const std::optional<engine::Transfer> failed = list.source.next();
        REQUIRE(failed);
        CHECK(failed->refused->kind == ErrorKind::access_denied);
        CHECK(failed->refused->message == "some trouble; the listing is incomplete");
        CHECK(list.source.ended());
        CHECK(list.output.data_lines.size() == 1);
    }

    TEST_CASE("addresses that were listed count as done, and a failure keeps what the store said") {
        Listing list(Addresses{{"b", "x"}, {"b", "gone"}, {"b", ""}, {"c", ""}});
        CHECK(list.source.done_itself() == 0);
        list.page(object("x"));
        CHECK(list.source.done_itself() == 1);
        list.page("");
        REQUIRE(list.source.next());
        list.page("");  // an empty bucket is no failure
        CHECK(list.source.done_itself() == 2);
        REQUIRE(list.source.request());
        engine::OperationResult result;
        result.error = Error{ErrorKind::access_denied, "some trouble"};
        result.verdict.status = 403;
        result.verdict.code = "AccessDenied";
        result.verdict.request_id = "4F2A";
        list.source.on_result(std::move(result));
        const std::optional<engine::Transfer> denied = list.source.next();
        REQUIRE(denied);
        CHECK(denied->refused_by.status == 403);
        CHECK(denied->refused_by.code == "AccessDenied");
        CHECK(denied->refused_by.request_id == "4F2A");
        CHECK(list.source.done_itself() == 2);
        CHECK(list.source.objects() == 1);
        CHECK(list.source.bytes() == 3);
    }

    TEST_CASE("the sum is that of all addresses") {
        Listing list(Addresses{{"b", "x"}, {"b", "y"}}, {.summarize = true});
        list.page(object("x"));
        list.page(object("y"));
        CHECK(list.output.data_lines.back() == "\nTotal Objects: 2\n   Total Size: 6");
    }

    TEST_CASE("JSON has whole keys, and percent-encoded ones where they are not UTF-8") {
        Listing list(Addresses{{"b", "d/"}}, {.json = true});
        list.page("<EncodingType>url</EncodingType>" + folder("d/s/") + object("d/%FF"));
        REQUIRE(list.output.data_lines.size() == 1);
        const std::string& text = list.output.data_lines[0];
        CHECK(text.starts_with("{\"type\":\"prefix\",\"bucket\":\"b\",\"key\":\"d/s/\"}\n"));
        CHECK(text.find("\"key_encoded\":\"d/%FF\",\"size\":3,\"last_modified\":\"2026-11-29T21:01:30.000Z\"") !=
              std::string::npos);
    }
}

}  // namespace s3tug::cmd
