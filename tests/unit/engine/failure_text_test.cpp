#include "engine/failure_text.h"

#include <doctest/doctest.h>

namespace s3tug::engine {

TEST_SUITE("engine/failure_text") {
    TEST_CASE("a wrong region or endpoint says where the store points to") {
        policy::Verdict verdict;
        verdict.cls = policy::FailureClass::redirect;
        verdict.status = 301;
        verdict.code = "PermanentRedirect";
        CHECK(failure_error(ErrorKind::wrong_region, verdict, "", 1, {}).message ==
              "wrong region or endpoint (301 PermanentRedirect)");
        verdict.region = "eu-west-1";
        CHECK(failure_error(ErrorKind::wrong_region, verdict, "", 1, {}).message ==
              "wrong region or endpoint, the bucket is in region eu-west-1 (301 PermanentRedirect)");
        verdict.region.clear();
        verdict.endpoint = "s3.eu-west-1.example.com";
        CHECK(failure_error(ErrorKind::wrong_region, verdict, "", 1, {}).message ==
              "wrong region or endpoint, the store names s3.eu-west-1.example.com (301 PermanentRedirect)");
    }
}

}  // namespace s3tug::engine
