#include "wire/list_requests.h"

#include <doctest/doctest.h>

#include "unit/wire/request_lines.h"

namespace s3tug::wire {

namespace {

using test::head_of;
using test::lines_of;

}  // namespace

TEST_SUITE("wire/list_requests") {
    TEST_CASE("the first page of a listing asks for encoded names, the next for what the token stands for") {
        ListObjectsInput input;
        input.bucket = "bucket";
        CHECK(head_of(list_objects_v2(input)) == "GET bucket/?encoding-type=url&list-type=2&max-keys=1000");

        input.prefix = "a b/+";
        input.delimiter = "/";
        input.start_after = "a b/+c";
        input.max_keys = 7;
        CHECK(head_of(list_objects_v2(input)) ==
              "GET bucket/?delimiter=%2F&encoding-type=url&list-type=2&max-keys=7&prefix=a%20b%2F%2B&"
              "start-after=a%20b%2F%2Bc");

        input.position.token = "1/+=";
        CHECK(head_of(list_objects_v2(input)) ==
              "GET bucket/?continuation-token=1%2F%2B%3D&delimiter=%2F&encoding-type=url&list-type=2&max-keys=7&"
              "prefix=a%20b%2F%2B");

        const Request request = list_objects_v2(input);
        CHECK(request.op == Op::list_objects_v2);
        CHECK(request.key.empty());
        CHECK_FALSE(request.has_body);
        CHECK(request.body_limit == limits::list_body_max_bytes);
        CHECK(lines_of(request).empty());
    }

    TEST_CASE("a store that knows markers alone is asked by version 1") {
        ListObjectsInput input;
        input.bucket = "bucket";
        input.start_after = "0";
        input.position.marker = "last key";
        CHECK(head_of(list_objects_v2(input)) == "GET bucket/?encoding-type=url&marker=last%20key&max-keys=1000");
    }

    TEST_CASE("buckets are asked for at the endpoint itself, all at once") {
        CHECK(head_of(list_buckets({})) == "GET /?");
        CHECK(head_of(list_buckets({.token = "a+b", .extra = {}})) == "GET /?continuation-token=a%2Bb");
    }

    TEST_CASE("parts are listed after a number, uploads after a key and an id") {
        const S3Uri target{.bucket = "bucket", .key = "a b"};
        ListPartsInput parts{.target = target, .upload_id = "i d", .extra = {}};
        CHECK(head_of(list_parts(parts)) == "GET bucket/a b?max-parts=1000&uploadId=i%20d");
        parts.after = 12;
        CHECK(head_of(list_parts(parts)) == "GET bucket/a b?max-parts=1000&part-number-marker=12&uploadId=i%20d");
        CHECK(list_parts(parts).body_limit == limits::list_body_max_bytes);
        CHECK(list_parts(parts).op == Op::list_parts);

        ListMultipartUploadsInput uploads;
        uploads.bucket = "bucket";
        uploads.upload_id_marker = "without a key it means nothing";
        CHECK(head_of(list_multipart_uploads(uploads)) == "GET bucket/?max-uploads=1000&uploads=");
        uploads.prefix = "a b";
        uploads.key_marker = "a b";
        uploads.upload_id_marker = "id";
        CHECK(head_of(list_multipart_uploads(uploads)) ==
              "GET bucket/?key-marker=a%20b&max-uploads=1000&prefix=a%20b&upload-id-marker=id&uploads=");
        CHECK(list_multipart_uploads(uploads).body_limit == limits::list_body_max_bytes);
        CHECK(list_multipart_uploads(uploads).op == Op::list_multipart_uploads);
    }

    TEST_CASE("of the user's headers those go along that every request needs") {
        const std::vector<Header> extra = {{.name = "x-amz-request-payer", .value = "requester"},
                                           {.name = "x-amz-acl", .value = "private"}};
        ListObjectsInput objects;
        objects.extra = extra;
        CHECK(lines_of(list_objects_v2(objects)) == "x-amz-request-payer: requester\n");
        ListPartsInput parts;
        parts.extra = extra;
        CHECK(lines_of(list_parts(parts)) == "x-amz-request-payer: requester\n");
        ListMultipartUploadsInput uploads;
        uploads.extra = extra;
        CHECK(lines_of(list_multipart_uploads(uploads)) == "x-amz-request-payer: requester\n");
    }
}

}  // namespace s3tug::wire
