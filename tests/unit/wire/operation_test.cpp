#include "wire/operation.h"

#include <doctest/doctest.h>

#include <set>

namespace s3tug::wire {

TEST_SUITE("wire/operation") {
    TEST_CASE("operations are named as in the S3 API reference, methods as in HTTP") {
        CHECK(to_string(Op::head_bucket) == "HeadBucket");
        CHECK(to_string(Op::head_object) == "HeadObject");
        CHECK(to_string(Op::get_object) == "GetObject");
        CHECK(to_string(Op::put_object) == "PutObject");
        CHECK(to_string(Op::delete_object) == "DeleteObject");
        CHECK(to_string(Op::copy_object) == "CopyObject");
        CHECK(to_string(Op::create_multipart_upload) == "CreateMultipartUpload");
        CHECK(to_string(Op::upload_part) == "UploadPart");
        CHECK(to_string(Op::upload_part_copy) == "UploadPartCopy");
        CHECK(to_string(Op::complete_multipart_upload) == "CompleteMultipartUpload");
        CHECK(to_string(Op::abort_multipart_upload) == "AbortMultipartUpload");
        CHECK(to_string(Op::list_parts) == "ListParts");
        CHECK(to_string(Op::list_multipart_uploads) == "ListMultipartUploads");
        CHECK(to_string(Op::list_objects_v2) == "ListObjectsV2");
        CHECK(to_string(Op::delete_objects) == "DeleteObjects");
        CHECK(to_string(Op::list_buckets) == "ListBuckets");
        CHECK(to_string(Method::get) == "GET");
        CHECK(to_string(Method::head) == "HEAD");
        CHECK(to_string(Method::put) == "PUT");
        CHECK(to_string(Method::post) == "POST");
        CHECK(to_string(Method::del) == "DELETE");
    }

    TEST_CASE("all operations are named once, and each is in the place of its value") {
        std::set<std::string_view> names;
        for (std::size_t i = 0; i < all_ops.size(); ++i) {
            CHECK(static_cast<std::size_t>(all_ops[i]) == i);
            CHECK(names.insert(to_string(all_ops[i])).second);
        }
        CHECK(!names.contains("Unknown"));
    }

    TEST_CASE("heads, gets and lists only read; copies and Complete answer late") {
        for (const Op op : all_ops) {
            const std::string_view name = to_string(op);
            CAPTURE(name);
            CHECK(only_reads(op) == (name.starts_with("Head") || name.starts_with("Get") || name.starts_with("List")));
            CHECK(answers_late(op) == (name.find("Copy") != name.npos || name.starts_with("Complete")));
        }
    }
}

}  // namespace s3tug::wire
