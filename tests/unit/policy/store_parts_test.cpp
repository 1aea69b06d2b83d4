#include "policy/store_parts.h"

#include <doctest/doctest.h>

namespace s3tug::policy {

TEST_SUITE("policy/store_parts") {
    TEST_CASE("stores take S3's parts, but for those that are known to differ") {
        struct Row {
            std::string_view host;
            unsigned parts_max;
            bool equal_sizes;
        };
        for (const Row& row :
             {Row{"s3.eu-central-1.amazonaws.com", 10'000, false}, Row{"127.0.0.1:9000", 10'000, false},
              Row{"", 10'000, false}, Row{"s3.fr-par.scw.cloud", 1'000, false},
              Row{"S3.FR-PAR.SCW.CLOUD.:443", 1'000, false}, Row{"notscw.cloud", 10'000, false},
              Row{"0123456789abcdef.eu.r2.cloudflarestorage.com", 10'000, true}}) {
            CAPTURE(row.host);
            const StoreParts parts = store_parts(row.host);
            CHECK(parts.parts_max == row.parts_max);
            CHECK(parts.equal_sizes == row.equal_sizes);
            CHECK(parts.part_min_bytes == 5'242'880);
            CHECK(parts.part_max_bytes == 5'368'709'120);
        }
    }
}

}  // namespace s3tug::policy
