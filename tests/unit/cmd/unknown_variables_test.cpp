#include "cmd/unknown_variables.h"

#include <doctest/doctest.h>

namespace s3tug::cmd {

TEST_SUITE("cmd/unknown_variables") {
    TEST_CASE("a variable that looks like one of ours mistyped or cut short is told with the right name") {
        struct Row {
            std::string name, right;
        };
        for (const Row& row : {Row{"S3TUG_RETRYS", "S3TUG_RETRIES"},
                               {"S3TUG_RETRIES_", "S3TUG_RETRIES"},
                               {"S3TUG_retries", "S3TUG_RETRIES"},
                               {"S3TUG_ENDPOINT", "S3TUG_ENDPOINT_URL"},
                               {"S3TUG_BACKOF_MAX", "S3TUG_BACKOFF_MAX"},
                               {"S3TUG_STATE", "S3TUG_STATE_FILE"}}) {
            CAPTURE(row.name);
            const std::vector<std::string> told = unknown_variables(std::vector{row.name});
            REQUIRE(told.size() == 1);
            CHECK(told[0] == row.name + " is set, and no such variable is known; did you mean " + row.right + "?");
        }
    }

    TEST_CASE("variables of ours, and of scripts around it, are none") {
        for (const char* name : {"S3TUG_RETRIES", "S3TUG_CONFIG", "S3TUG_DRY_RUN", "S3TUG_VERSION",
                                 "S3TUG_BENCH_BINARY", "S3TUG_BENCH_LAB", "S3TUG_BIG", "S3TUG_SHARED", "S3TUG_SANITIZE",
                                 "S3TUG_RELEASE_BINARY", "S3TUG_BUCKET", "S3TUG_"}) {
            CAPTURE(name);
            CHECK(unknown_variables(std::vector<std::string>{name}).empty());
        }
        CHECK(unknown_variables({}).empty());
    }

    TEST_CASE("a name cannot drive the terminal") {
        const std::vector<std::string> told = unknown_variables(std::vector<std::string>{"S3TUG_RETRIES\x1b"});
        REQUIRE(told.size() == 1);
        CHECK(told[0].find('\x1b') == std::string::npos);
    }
}

}  // namespace s3tug::cmd
