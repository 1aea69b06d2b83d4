#include "wire/batch_requests.h"

#include <doctest/doctest.h>

#include "base/limits.h"
#include "unit/wire/request_lines.h"

namespace s3tug::wire {

namespace {

using test::head_of;
using test::lines_of;

}  // namespace

TEST_SUITE("wire/batch_requests") {
    TEST_CASE("keys and versions stand in the body, escaped as XML wants it, with its MD5 beside") {
        DeleteObjectsInput input;
        input.bucket = "bucket";
        input.targets = {{"a b/<&>\"'", ""}, {"tab\tcr\rlf\nnel\xC2\x85ls\xE2\x80\xA8\xC3\xBC+%25", "v.1_-"}};
        input.quiet = true;
        const Result<Request> made = delete_objects(input);
        REQUIRE(made.ok());
        CHECK(made->op == Op::delete_objects);
        CHECK(head_of(*made) == "POST bucket/?delete=");
        CHECK(made->body ==
              "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
              "<Object><Key>a b/&lt;&amp;&gt;&quot;&apos;</Key></Object>"
              "<Object><Key>tab&#x9;cr&#xD;lf&#xA;nel&#x85;ls&#x2028;\xC3\xBC+%25</Key>"
              "<VersionId>v.1_-</VersionId></Object><Quiet>true</Quiet></Delete>");
        CHECK(made->has_body);
        CHECK(made->body_bytes == 244);
        CHECK(made->body_limit == limits::list_body_max_bytes);
        // sha256sum and `openssl dgst -md5 -binary | base64` of the text above.
        CHECK(made->payload_word == "ca3106a3bb9c842132ac5446297c6237b5d3f85f046f83ec3ba25d34c88a939e");
        CHECK(lines_of(*made) == "content-md5: ryeyPLqGDdiCG3+TeeqMnw==\ncontent-type: application/xml\n");

        input.quiet = false;
        CHECK(delete_objects(input)->body.find("Quiet") == std::string::npos);
    }

    TEST_CASE("a key fits into a batch when XML 1.0 can carry it") {
        struct Row {
            std::string_view key;
            bool fits;
        };
        using namespace std::string_view_literals;
        for (const Row& row : {Row{"a", true}, Row{" ", true}, Row{"\t\r\n", true}, Row{"\x7f", true},
                               Row{"\xC2\x80\xEF\xBF\xBD\xF4\x8F\xBF\xBF", true},  // U+0080, U+FFFD, U+10FFFF
                               Row{"", false}, Row{"\0"sv, false}, Row{"a\x01", false}, Row{"\x1f", false},
                               Row{"\x0b", false}, Row{"\xEF\xBF\xBE", false},  // U+FFFE
                               Row{"\xEF\xBF\xBF", false},                      // U+FFFF
                               Row{"\xED\xA0\x80", false},                      // a surrogate
                               Row{"\xC0\xAF", false},                          // overlong
                               Row{"\xF4\x90\x80\x80", false},                  // above U+10FFFF
                               Row{"\xFF", false}, Row{"a\xC3", false}}) {
            CAPTURE(row.key);
            CHECK(fits_batch_delete(row.key) == row.fits);
        }
    }

    TEST_CASE("a batch with a key that does not fit is not sent, and the error names the key on one line") {
        DeleteObjectsInput input;
        input.targets = {{"good", ""}, {"bad\x01key", ""}};
        const Result<Request> made = delete_objects(input);
        REQUIRE(!made.ok());
        CHECK(made.error().kind == ErrorKind::usage);
        CHECK(made.error().message.find("bad\\x01key") != std::string::npos);
        input.targets = {{"good", "v\x01"}};
        CHECK(!delete_objects(input).ok());
    }

    TEST_CASE("a batch has 1 to 1000 keys, and 1000 of the longest fit into one request") {
        DeleteObjectsInput input;
        CHECK(!delete_objects(input).ok());
        input.targets.assign(limits::delete_keys_max, {std::string(limits::key_max_bytes, '"'), ""});
        const Result<Request> longest = delete_objects(input);
        REQUIRE(longest.ok());
        CHECK(longest->body.size() < 2 * limits::list_body_max_bytes);
        input.targets.push_back({"one more", ""});
        const Result<Request> refused = delete_objects(input);
        REQUIRE(!refused.ok());
        CHECK(refused.error().message.find("1001") != std::string::npos);
    }
}

}  // namespace s3tug::wire
