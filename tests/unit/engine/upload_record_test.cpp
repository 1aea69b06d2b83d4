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

    TEST_CASE("of recorded parts those that can be read are taken, of a torn page none") {
        const std::vector<DonePart> parts = {{1, 10, "e1", Checksum{ChecksumAlgorithm::crc64nvme, "AAAAAAAAAAE="}},
                                             {2, 20, "e2", std::nullopt}};
        const std::string text = encode(parts);
        REQUIRE(decode_parts(text).size() == 2);
        CHECK(decode_parts(text).at(0).checksum == parts.at(0).checksum);
        CHECK(decode_parts(text).at(1).size == 20);
        CHECK(decode_parts("garbage").empty());
        CHECK(decode_parts("part=0 10 e\npart=10001 10 e\npart=x 10 e\npart=3 x e\npart=4 10\npart=5 10 e\n").size() ==
              1);
    }

    TEST_CASE("an upload of no file, or one that its run could not hand on, can only be aborted") {
        struct Row {
            const char* what;
            std::string_view path, options;
            bool only_abort;
        };
        for (const Row& row : {Row{"of a file", "/f", "token", false}, Row{"of a stream", "", "token", true},
                               Row{"aside", "/f", only_to_abort, true}}) {
            CAPTURE(row.what);
            UploadRecord record;
            record.path = row.path;
            record.options = row.options;
            CHECK(good_only_to_abort(record) == row.only_abort);
        }
    }
}

}  // namespace s3tug::engine
