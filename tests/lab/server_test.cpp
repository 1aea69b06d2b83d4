#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <thread>

#include "lab/digest.h"
#include "lab/lab.h"
#include "lab/raw_client.h"

namespace s3tug::lab {

namespace {

using namespace test;
using Reply = RawClient::Reply;

LabConfig config() {
    LabConfig out;
    out.buckets = {"b"};
    out.versioned_buckets = {"v"};
    return out;
}

std::string between(const std::string& text, const std::string& open, const std::string& close) {
    const size_t at = text.find(open);
    if (at == std::string::npos) return "";
    return text.substr(at + open.size(), text.find(close, at) - at - open.size());
}

std::string element(const std::string& xml, const std::string& name) {
    return between(xml, "<" + name + ">", "</" + name + ">");
}

}  // namespace

TEST_SUITE("lab/server") {
    TEST_CASE("what was put is got, with its metadata and checksum, on one connection") {
        Lab lab(config());
        RawClient client(lab.port());
        const Reply stored =
            exchange(client, put("/b/a/b", "hello", {{"content-type", "text/plain"}, {"x-amz-meta-who", "me"}}));
        CHECK(stored.status == 200);
        CHECK(stored.header("ETag") == "\"5d41402abc4b2a76b9719d911017c592\"");
        CHECK(stored.header("x-amz-request-id").size() == 16);
        const Reply got = exchange(client, get("/b/a/b", {{"x-amz-checksum-mode", "ENABLED"}}));
        CHECK(got.status == 200);
        CHECK(got.body == "hello");
        CHECK(got.header("content-type") == "text/plain");
        CHECK(got.header("x-amz-meta-who") == "me");
        CHECK(got.header("x-amz-checksum-crc64nvme") == to_base64(digest(Algorithm::crc64nvme, "hello")));
        const Reply head = exchange(client, with_method("HEAD", "/b/a/b"));
        CHECK(head.status == 200);
        CHECK(head.header("Content-Length") == "5");
        CHECK(head.header("x-amz-checksum-crc64nvme") == "");
        CHECK(exchange(client, with_method("DELETE", "/b/a/b")).status == 204);
        CHECK(exchange(client, get("/b/a/b")).code() == "NoSuchKey");
        CHECK(exchange(client, with_method("DELETE", "/b/a/b")).status == 204);
        const auto log = lab.log();
        REQUIRE(log.size() == 6);
        CHECK(log[5].connection == 1);
        CHECK(log[5].ordinal == 6);
        CHECK(log[0].applied);
        CHECK(log[4].status == 404);
        CHECK(log[4].code == "NoSuchKey");
        CHECK(lab.connections() == 1);
    }

    TEST_CASE("keys are bytes, and no path is normalised") {
        Lab lab(config());
        for (const auto& row : std::vector<std::pair<std::string, std::string>>{
                 {"/b//x", "/x"},
                 {"/b/a//b", "a//b"},
                 {"/b/a/../b", "a/../b"},
                 {"/b/.", "."},
                 {"/b/..", ".."},
                 {"/b/a/", "a/"},
                 {"/b/%20%2B%25%3F%23%26", " +%?#&"},
                 {"/b/%C3%A9%FF%01%7F", "\xc3\xa9\xff\x01\x7f"},
             }) {
            const auto& path = row.first;
            const auto& key = row.second;
            CAPTURE(path);
            CHECK(exchange(lab.port(), put(path, key)).status == 200);
            REQUIRE(lab.object("b", key));
            CHECK(lab.object("b", key)->content.all() == key);
            CHECK(exchange(lab.port(), get(path)).body == key);
        }
        CHECK(lab.keys("b").size() == 8);
    }

    TEST_CASE("a bucket in the host name is understood") {
        Lab lab(config());
        Ask ask = put("/k", "x");
        ask.host = fmt::format("b.localhost:{}", lab.port());
        CHECK(exchange(lab.port(), ask).status == 200);
        CHECK(lab.object("b", "k"));
    }

    TEST_CASE("ranges and read conditions are honoured") {
        Lab lab(config());
        lab.put("b", "k", "0123456789");
        const std::string etag = "\"" + lab.object("b", "k")->etag + "\"";
        const Reply part = exchange(lab.port(), get("/b/k", {{"range", "bytes=2-4"}, {"if-match", etag}}));
        CHECK(part.status == 206);
        CHECK(part.body == "234");
        CHECK(part.header("Content-Range") == "bytes 2-4/10");
        const Reply beyond = exchange(lab.port(), get("/b/k", {{"range", "bytes=10-"}}));
        CHECK(beyond.status == 416);
        CHECK(beyond.code() == "InvalidRange");
        CHECK(exchange(lab.port(), get("/b/k", {{"if-match", "\"other\""}})).status == 412);
        CHECK(exchange(lab.port(), get("/b/k", {{"if-none-match", etag}})).status == 304);
    }

    TEST_CASE("a conditional put is refused when the condition does not hold") {
        Lab lab(config());
        CHECK(exchange(lab.port(), put("/b/k", "1", {{"if-match", "*"}})).status == 412);
        CHECK(exchange(lab.port(), put("/b/k", "1", {{"if-match", "\"x\""}})).code() == "NoSuchKey");
        const Reply first = exchange(lab.port(), put("/b/k", "1", {{"if-none-match", "*"}}));
        CHECK(first.status == 200);
        const Reply second = exchange(lab.port(), put("/b/k", "2", {{"if-none-match", "*"}}));
        CHECK(second.status == 412);
        CHECK(second.code() == "PreconditionFailed");
        CHECK(exchange(lab.port(), put("/b/k", "3", {{"if-match", "\"x\""}})).status == 412);
        CHECK(exchange(lab.port(), put("/b/k", "4", {{"if-match", first.header("ETag")}})).status == 200);
        CHECK(lab.object("b", "k")->content.all() == "4");
    }

    TEST_CASE("a body that is not what its checksum says is refused and not stored") {
        Lab lab(config());
        struct Row {
            Fields headers;
            std::string payload_word;
            const char* code;
        };
        for (const Row& row : {Row{{{"x-amz-checksum-crc32", "AAAAAA=="}}, "", "BadDigest"},
                               Row{{{"x-amz-checksum-crc32c", "AAAAAA=="}}, "", "BadDigest"},
                               Row{{{"x-amz-checksum-sha256", to_base64(std::string(32, 'x'))}}, "", "BadDigest"},
                               Row{{{"content-md5", to_base64(std::string(16, 'x'))}}, "", "BadDigest"},
                               Row{{{"content-md5", "short"}}, "", "InvalidDigest"},
                               Row{{}, std::string(64, 'a'), "XAmzContentSHA256Mismatch"}}) {
            CAPTURE(row.code);
            Ask ask = put("/b/k", "hello", row.headers);
            ask.payload_word = row.payload_word;
            CHECK(exchange(lab.port(), ask).code() == row.code);
            CHECK_FALSE(lab.object("b", "k"));
        }
        const std::string good = to_base64(digest(Algorithm::crc32c, "hello"));
        Ask ask = put("/b/k", "hello", {{"x-amz-checksum-crc32c", good}});
        ask.payload_word = "UNSIGNED-PAYLOAD";
        const Reply stored = exchange(lab.port(), ask);
        CHECK(stored.status == 200);
        CHECK(stored.header("x-amz-checksum-crc32c") == good);
        CHECK(stored.header("x-amz-checksum-type") == "FULL_OBJECT");
    }

    TEST_CASE("of sixteen writers that race one key with If-None-Match exactly one wins, in each of twenty rounds") {
        Lab lab(config());
        std::array<std::atomic<int>, 20> winners{};
        std::vector<std::thread> writers;
        for (int w = 0; w < 16; ++w)
            writers.emplace_back([&, w] {
                RawClient client(lab.port());
                for (size_t round = 0; round < winners.size(); ++round) {
                    const Ask ask = put(fmt::format("/b/k{}", round), std::to_string(w), {{"if-none-match", "*"}});
                    if (exchange(client, ask).status == 200) ++winners[round];
                }
            });
        for (std::thread& writer : writers) writer.join();
        for (const auto& count : winners) CHECK(count == 1);
        CHECK(lab.count("PutObject") == 320);
        CHECK(lab.connections() == 16);
    }

    TEST_CASE("a copy keeps or replaces metadata and is pinned by its conditions") {
        Lab lab(config());
        lab.put("b", "src", "data", {{"x-amz-meta-a", "1"}});
        const std::string etag = lab.object("b", "src")->etag;
        const auto copy = [&](Fields headers) {
            headers.push_back({"x-amz-copy-source", "/b/src"});
            return exchange(lab.port(), with_method("PUT", "/b/dst", std::move(headers)));
        };
        CHECK(element(copy({}).body, "ETag") == "&quot;" + etag + "&quot;");
        CHECK(*find_field(lab.object("b", "dst")->headers, "x-amz-meta-a") == "1");
        CHECK(copy({{"x-amz-metadata-directive", "REPLACE"}, {"x-amz-meta-b", "2"}}).status == 200);
        CHECK(find_field(lab.object("b", "dst")->headers, "x-amz-meta-a") == nullptr);
        CHECK(*find_field(lab.object("b", "dst")->headers, "x-amz-meta-b") == "2");
        CHECK(copy({{"x-amz-copy-source-if-match", "\"x\""}}).status == 412);
        CHECK(copy({{"x-amz-copy-source-if-match", etag}}).status == 200);
        CHECK(copy({{"if-none-match", "*"}}).status == 412);
        CHECK(lab.count("CopyObject") == 5);
    }

    TEST_CASE("a copy onto its own key has to change something, or to name a version") {
        Lab lab(config());
        const std::string old = exchange(lab.port(), put("/v/k", "1")).header("x-amz-version-id");
        lab.put("v", "k", "2");
        const auto copy = [&](const std::string& source, Fields headers) {
            headers.push_back({"x-amz-copy-source", source});
            return exchange(lab.port(), with_method("PUT", "/v/k", std::move(headers)));
        };
        CHECK(element(copy("/v/k", {}).body, "Code") == "InvalidRequest");
        CHECK(copy("/v/k?versionId=" + old, {}).status == 200);
        CHECK(lab.object("v", "k")->content.all() == "1");
        CHECK(copy("/v/k", {{"x-amz-storage-class", "STANDARD_IA"}}).status == 200);
        CHECK(*find_field(lab.object("v", "k")->headers, "x-amz-storage-class") == "STANDARD_IA");
    }

    TEST_CASE("versions, delete markers and their removal") {
        Lab lab(config());
        const std::string first = exchange(lab.port(), put("/v/k", "1")).header("x-amz-version-id");
        const std::string second = exchange(lab.port(), put("/v/k", "2")).header("x-amz-version-id");
        CHECK(first != second);
        const Reply marker = exchange(lab.port(), with_method("DELETE", "/v/k"));
        CHECK(marker.header("x-amz-delete-marker") == "true");
        CHECK(exchange(lab.port(), get("/v/k")).header("x-amz-delete-marker") == "true");
        CHECK(lab.versions("v", "k").size() == 3);
        const auto pinned = [](const std::string& id) { return "/v/k?versionId=" + percent_encode(id, false); };
        CHECK(exchange(lab.port(), get(pinned(first))).body == "1");
        CHECK(exchange(lab.port(), get(pinned(marker.header("x-amz-version-id")))).status == 405);
        CHECK(exchange(lab.port(), with_method("DELETE", pinned(marker.header("x-amz-version-id")))).status == 204);
        CHECK(exchange(lab.port(), get("/v/k")).body == "2");
        CHECK(exchange(lab.port(), get(pinned("none"))).code() == "NoSuchVersion");
    }

    TEST_CASE("a listing goes on from page to page and groups by the delimiter") {
        Lab lab(config());
        for (const char* key : {"a/1", "a/2", "b", "c/x/1", "c/y", "d"}) lab.put("b", key, "x");
        std::string seen;
        std::string token;
        int pages = 0;
        do {
            const std::string query =
                (token.empty() ? "" : "continuation-token=" + percent_encode(token, false) + "&") +
                "delimiter=%2F&list-type=2&max-keys=1";
            const Reply page = exchange(lab.port(), get("/b?" + query));
            REQUIRE(page.status == 200);
            seen += element(page.body, "Key") + between(page.body, "<CommonPrefixes><Prefix>", "</Prefix>") + " ";
            token = element(page.body, "NextContinuationToken");
        } while (!token.empty() && ++pages < 20);
        CHECK(seen == "a/ b c/ d ");
        std::string old_style;
        std::string marker;
        do {
            const std::string query =
                "delimiter=%2F" + (marker.empty() ? "" : "&marker=" + percent_encode(marker, false)) + "&max-keys=1";
            const Reply page = exchange(lab.port(), get("/b?" + query));
            REQUIRE(page.status == 200);
            old_style += element(page.body, "Key") + between(page.body, "<CommonPrefixes><Prefix>", "</Prefix>") + " ";
            marker = element(page.body, "NextMarker");
        } while (!marker.empty() && ++pages < 20);
        CHECK(old_style == seen);
        const Reply inside = exchange(lab.port(), get("/b?list-type=2&prefix=c%2F"));
        CHECK(element(inside.body, "KeyCount") == "2");
    }

    TEST_CASE("many keys are deleted by one request, and each is answered") {
        Lab lab(config());
        lab.put("b", "1", "x");
        lab.put("b", "<2>", "x");
        const std::string body =
            "<Delete><Object><Key>1</Key></Object><Object><Key>&lt;2&gt;</Key></Object><Object><Key>3</Key></Object></"
            "Delete>";
        Ask ask = put("/b?delete=", body, {{"content-md5", to_base64(digest(Algorithm::md5, body))}});
        ask.method = "POST";
        const Reply reply = exchange(lab.port(), ask);
        CHECK(reply.status == 200);
        CHECK(reply.body.find("<Deleted><Key>&lt;2&gt;</Key></Deleted>") != std::string::npos);
        CHECK(lab.keys("b").empty());
    }

    TEST_CASE("a multipart upload is put together from its parts") {
        LabConfig small = config();
        small.min_part_size = 4;
        Lab lab(small);
        Ask create =
            with_method("POST", "/b/k?uploads=", {{"x-amz-meta-a", "1"}, {"x-amz-checksum-algorithm", "CRC32C"}});
        const std::string id = element(exchange(lab.port(), create).body, "UploadId");
        REQUIRE_FALSE(id.empty());
        const std::string query = "uploadId=" + percent_encode(id, false);
        const auto part = [&](int number, const std::string& bytes) {
            const std::string sum = to_base64(digest(Algorithm::crc32c, bytes));
            return exchange(lab.port(), put(fmt::format("/b/k?partNumber={}&{}", number, query), bytes,
                                            {{"x-amz-checksum-crc32c", sum}}))
                .header("ETag");
        };
        const std::string one = part(1, "abcd");
        const std::string two = part(2, "ef");
        CHECK(element(exchange(lab.port(), get("/b/k?" + query)).body, "NextPartNumberMarker") == "2");
        CHECK(lab.uploads("b").size() == 1);
        const auto complete = [&](const std::string& parts) {
            Ask ask = put("/b/k?" + query, "<CompleteMultipartUpload>" + parts + "</CompleteMultipartUpload>");
            ask.method = "POST";
            return exchange(lab.port(), ask);
        };
        const auto listed = [](int number, const std::string& etag) {
            return fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", number, etag);
        };
        CHECK(complete(listed(2, two) + listed(1, one)).code() == "InvalidPartOrder");
        CHECK(complete(listed(1, two)).code() == "InvalidPart");
        CHECK(complete("").code() == "MalformedXML");
        const Reply done = complete(listed(1, one) + listed(2, two));
        CHECK(done.status == 200);
        CHECK(lab.object("b", "k")->content.all() == "abcdef");
        CHECK(lab.object("b", "k")->etag.ends_with("-2"));
        CHECK(lab.object("b", "k")->composite);
        CHECK(*find_field(lab.object("b", "k")->headers, "x-amz-meta-a") == "1");
        CHECK(complete(listed(1, one)).code() == "NoSuchUpload");
        CHECK(lab.uploads("b").empty());
    }

    TEST_CASE("a client that asks first is told to go on, or refused before it sends") {
        Lab lab(config());
        Ask ask = put("/b/k", "hello");
        ask.expect = true;
        RawClient client(lab.port());
        client.send(signed_head(ask, lab.port()));
        client.send(ask.body);
        CHECK(client.read_reply().status == 200);
        CHECK(client.continues == 1);
        ask.secret = "wrong";
        RawClient other(lab.port());
        const Reply refused = exchange(other, ask);
        CHECK(refused.code() == "SignatureDoesNotMatch");
        CHECK(other.continues == 0);
        CHECK(refused.header("Connection") == "close");
    }

    TEST_CASE("the controls change the weather and show what was seen") {
        Lab lab(config());
        RawClient client(lab.port());
        const auto control = [&](const std::string& line, const std::string& body = "") {
            client.send(fmt::format("{} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{}", line, body.size(), body));
            return client.read_reply();
        };
        CHECK(control("POST /_lab/faults", "PutObject: 503 SlowDown").status == 200);
        CHECK(exchange(lab.port(), put("/b/k", "x")).code() == "SlowDown");
        const Reply wrong = control("POST /_lab/faults", "PutObject: 5o3");
        CHECK(wrong.status == 400);
        CHECK(wrong.body.find("faults:1:12: unknown action `5o3`") != std::string::npos);
        CHECK(control("GET /_lab/faults").body == "PutObject: 503 SlowDown  # matched 1, fired 1\n");
        CHECK(control("GET /_lab/counts").body == "PutObject 1\n");
        CHECK(control("GET /_lab/log").body.find("\"code\":\"SlowDown\"") != std::string::npos);
        CHECK(control("POST /_lab/reset").status == 200);
        CHECK(control("GET /_lab/log").body.empty());
    }

    TEST_CASE("no secret and no signature is in the log") {
        LabConfig with_token = config();
        with_token.credentials = {{"k", "canary-secret", "canary-token", std::nullopt}};
        Lab lab(with_token);
        Ask ask = put("/b/k", "x", {{"x-amz-security-token", "canary-token"}});
        ask.access_key = "k";
        ask.secret = "canary-secret";
        CHECK(exchange(lab.port(), ask).status == 200);
        const std::string line = to_json(lab.log().front());
        CHECK(line.find("canary") == std::string::npos);
        CHECK(line.find("Signature=") == std::string::npos);
    }
}

}  // namespace s3tug::lab
