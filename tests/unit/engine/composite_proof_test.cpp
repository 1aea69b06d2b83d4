#include "engine/composite_proof.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace s3tug::engine {
namespace {

const std::string text = "012345678901234567890123456789";

TEST_SUITE("composite proof") {
    TEST_CASE("bytes in parts of 12, 12 and 6 have the digest of the parts' digests, however they come") {
        // Computed by python's hashlib and zlib, CRC32C by its bitwise definition.
        struct Row {
            ChecksumAlgorithm algorithm;
            const char* value;
        };
        for (const Row& row :
             {Row{ChecksumAlgorithm::crc32, "crc32:Qkw5Hg==-3"}, Row{ChecksumAlgorithm::crc32c, "crc32c:lsrKBA==-3"},
              Row{ChecksumAlgorithm::sha1, "sha1:xOEOswAud73pPgikDmKZN9JL/FY=-3"},
              Row{ChecksumAlgorithm::sha256, "sha256:EzUpq2D0UBOBGS6Mj74Y1UpjyF/sFXq8GqpxxRt8eAA=-3"}}) {
            for (const std::size_t step : {1U, 7U, 12U, 30U}) {
                CompositeProof proof(row.algorithm, 12);
                for (std::size_t at = 0; at < text.size(); at += step)
                    proof.update(as_bytes(text).subspan(at, std::min(step, text.size() - at)));
                CHECK(wire::to_text(proof.finish()) == row.value);
            }
        }
    }

    TEST_CASE("the layout is known only when the same object has as many parts of the first one's size") {
        struct Row {
            const char* etag;
            const char* count;
            const char* first;
            bool known;
        };
        for (const Row& row :
             {Row{"\"e-3\"", "3", "12", true}, Row{"\"e-3\"", "3", "10", true}, Row{"\"e-3\"", "3", "15", false},
              Row{"\"e-3\"", "3", "9", false}, Row{"\"e-3\"", "3", "30", false}, Row{"\"e-3\"", "3", "0", false},
              Row{"\"e-3\"", "4", "12", false}, Row{"\"other\"", "3", "12", false}}) {
            wire::HttpAnswer head;
            head.status = 206;
            head.headers.add("etag", row.etag);
            head.headers.add("x-amz-mp-parts-count", row.count);
            head.headers.add("content-length", row.first);
            CHECK(part_bytes_of(head, "e-3", 30, 3).has_value() == row.known);
        }
    }
}

}  // namespace
}  // namespace s3tug::engine
