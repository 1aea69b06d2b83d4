#include "wire/operation.h"

#include <doctest/doctest.h>

namespace s3tug::wire {

TEST_SUITE("wire/operation") {
    TEST_CASE("operations are named as in the S3 API reference, methods as in HTTP") {
        CHECK(to_string(Op::head_bucket) == "HeadBucket");
        CHECK(to_string(Op::head_object) == "HeadObject");
        CHECK(to_string(Op::get_object) == "GetObject");
        CHECK(to_string(Op::put_object) == "PutObject");
        CHECK(to_string(Op::delete_object) == "DeleteObject");
        CHECK(to_string(Op::copy_object) == "CopyObject");
        CHECK(to_string(Method::get) == "GET");
        CHECK(to_string(Method::head) == "HEAD");
        CHECK(to_string(Method::put) == "PUT");
        CHECK(to_string(Method::post) == "POST");
        CHECK(to_string(Method::del) == "DELETE");
    }
}

}  // namespace s3tug::wire
