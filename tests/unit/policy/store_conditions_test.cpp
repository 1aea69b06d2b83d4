#include <doctest/doctest.h>

#include "policy/idempotency.h"

namespace s3tug::policy {

TEST_SUITE("policy/store_conditions") {
    TEST_CASE("what stores do with conditions is what was measured") {
        struct Row {
            std::string_view host;
            Honours none_match, match, complete, copy_destination, copy_source, delete_match;
        };
        constexpr auto yes = Honours::yes;
        constexpr auto no = Honours::no;
        constexpr auto refuses = Honours::refuses;
        constexpr auto unknown = Honours::unknown;
        const Row rows[] = {
            {"s3.eu-central-1.amazonaws.com", yes, yes, yes, yes, yes, yes},
            {"my.bucket.s3.dualstack.eu-west-1.amazonaws.com", yes, yes, yes, yes, yes, yes},
            {"s3.cn-north-1.amazonaws.com.cn", yes, yes, yes, yes, yes, yes},
            {"0123456789abcdef.r2.cloudflarestorage.com", yes, yes, yes, no, yes, unknown},
            {"0123456789abcdef.eu.r2.cloudflarestorage.com", yes, yes, yes, no, yes, unknown},
            {"fsn1.your-objectstorage.com", yes, unknown, no, no, yes, unknown},
            {"fra1.digitaloceanspaces.com", yes, unknown, no, no, no, unknown},
            {"s3.us-west-004.backblazeb2.com", refuses, refuses, refuses, refuses, yes, unknown},
            {"s3.eu-central-2.wasabisys.com", no, unknown, no, no, no, unknown},
            {"storage.googleapis.com", no, no, no, no, yes, no},
            {"gateway.storjshare.io", yes, yes, yes, unknown, unknown, unknown},
            {"ns.compat.objectstorage.eu-frankfurt-1.oraclecloud.com", yes, no, unknown, unknown, unknown, unknown},
            {"cwobject.com", yes, yes, yes, yes, unknown, unknown},
            {"minio.example.org", unknown, unknown, unknown, unknown, unknown, unknown},
            {"127.0.0.1:9000", unknown, unknown, unknown, unknown, unknown, unknown},
            {"[::1]:9000", unknown, unknown, unknown, unknown, unknown, unknown},
            {"", unknown, unknown, unknown, unknown, unknown, unknown},
        };
        for (const Row& row : rows) {
            CAPTURE(row.host);
            CHECK(store_honours(row.host, ConditionUse::put_if_none_match) == row.none_match);
            CHECK(store_honours(row.host, ConditionUse::put_if_match) == row.match);
            CHECK(store_honours(row.host, ConditionUse::complete_if_none_match) == row.complete);
            CHECK(store_honours(row.host, ConditionUse::copy_destination) == row.copy_destination);
            CHECK(store_honours(row.host, ConditionUse::copy_source) == row.copy_source);
            CHECK(store_honours(row.host, ConditionUse::delete_if_match) == row.delete_match);
        }
    }

    TEST_CASE("case, port and final dot of the host do no harm") {
        for (const std::string_view host :
             {"S3.WasabiSys.COM", "s3.wasabisys.com:443", "s3.wasabisys.com.", "wasabisys.com.:443"}) {
            CAPTURE(host);
            CHECK(store_honours(host, ConditionUse::put_if_none_match) == Honours::no);
        }
    }

    TEST_CASE("a name that only looks like a store's tells nothing") {
        for (const std::string_view host :
             {"s3.evilamazonaws.com", "amazonaws.com.example.org", "xwasabisys.com", "googleapis.com", "aws.com"}) {
            CAPTURE(host);
            CHECK(store_honours(host, ConditionUse::put_if_none_match) == Honours::unknown);
        }
    }
}

}  // namespace s3tug::policy
