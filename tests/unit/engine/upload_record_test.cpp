#include "engine/upload_record.h"

#include <doctest/doctest.h>

namespace s3tug::engine {
namespace {

const std::string md5_of_it = "900150983cd24fb0d6963f7d28e17f72";

wire::StoredChecksum crc(const char* base64, ChecksumAlgorithm algorithm = ChecksumAlgorithm::crc64nvme) {
    return {Checksum{algorithm, base64}, wire::ChecksumScope::full_object, 0};
}

}  // namespace

TEST_SUITE("engine/upload_record") {
    TEST_CASE("a listed part is ours by its size, and its checksum or an ETag that is the MD5, and by nothing less") {
        struct Row {
            const char* what;
            uint64_t size;
            std::string etag;
            std::vector<wire::StoredChecksum> checksums;
            bool ours;
            bool md5_taken;
        };
        const auto other_kind = ChecksumAlgorithm::crc32c;
        for (const Row& row : {
                 Row{"same checksum", 10, "e", {crc("AAAAAAAAAAE=")}, true, false},
                 Row{"other checksum", 10, md5_of_it, {crc("AAAAAAAAAAI=")}, false, false},
                 Row{"other size", 9, "e", {crc("AAAAAAAAAAE=")}, false, false},
                 Row{"other size, and the MD5", 9, md5_of_it, {}, false, false},
                 Row{"nothing to name it by in Complete", 10, "", {crc("AAAAAAAAAAE=")}, false, false},
                 Row{"the MD5", 10, md5_of_it, {}, true, true},
                 Row{"a checksum of another kind, and the MD5",
                     10,
                     md5_of_it,
                     {crc("AAAAAA==", other_kind)},
                     true,
                     true},
                 Row{"another MD5", 10, std::string(32, '0'), {}, false, true},
                 Row{"an ETag that is no MD5", 10, "e", {}, false, false},
             }) {
            CAPTURE(row.what);
            Part local;
            local.number = 3;
            local.size = 10;
            local.checksum = Checksum{ChecksumAlgorithm::crc64nvme, "AAAAAAAAAAE="};
            wire::ListedPart listed;
            listed.number = 3;
            listed.size = row.size;
            listed.etag = row.etag;
            listed.checksums = row.checksums;
            bool md5_taken = false;
            const auto local_md5 = [&]() -> Result<std::string> {
                md5_taken = true;
                return md5_of_it;
            };
            CHECK(is_our_part(listed, local, local_md5).value() == row.ours);
            CHECK(md5_taken == row.md5_taken);
            listed.number = 4;
            CHECK(!is_our_part(listed, local, [] { return Result(md5_of_it); }).value());
        }
    }
}

}  // namespace s3tug::engine
