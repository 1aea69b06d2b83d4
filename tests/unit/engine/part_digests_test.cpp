#include "engine/part_digests.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/bytes.h"

namespace s3tug::engine {

namespace {

constexpr std::array<std::string_view, 4> parts = {"hello, ", "parts of ", "", "an object"};

struct Row {
    ChecksumAlgorithm algorithm;
    std::array<std::string_view, 4> of_parts;
    std::string_view of_whole, of_checksums;
};
// Computed by Python (zlib, hashlib, and bitwise CRCs checked against their published check values).
constexpr Row rows[] = {
    {ChecksumAlgorithm::crc64nvme,
     {"3NCkdKpsN54=", "p3xNoM/IdsQ=", "AAAAAAAAAAA=", "Da8CSCZFmeg="},
     "F4/ZL9t0pl4=",
     "S3SLndrNflc="},
    {ChecksumAlgorithm::crc32, {"EepWmQ==", "tK2sXg==", "AAAAAA==", "vqIAEw=="}, "p4n89A==", "ZGkxDA=="},
    {ChecksumAlgorithm::crc32c, {"etyfiQ==", "xhyaww==", "AAAAAA==", "tAhQbQ=="}, "4wn9vg==", "iSismw=="},
    {ChecksumAlgorithm::sha1,
     {"UrAqqRrFeNxB6nAzXbNQfLW3mdU=", "wcEQ6KTif8wSMywV5U6nA9P1N4k=", "2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
      "bSSrAr+tc+sF6VkMqWmPU1plL8w="},
     "",
     "4etbVCAF50wEMNmByMlttooJaHg="},
    {ChecksumAlgorithm::sha256,
     {"QKEdWcZIs1iuTMOkCstnlwwdIzRbHaflBS9oVGyF7Xs=", "WtzA3ju9Cs78rEO4c9Qo2SEQPuicJKzZ6bRiYdtqdI4=",
      "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "xEsnM59Qfi5MgN2aqdQu90C8i2GecX86pFhi3ieHQok="},
     "",
     "116Z5lltIK1ykIqlwJMbqLAE9R+QT4LLA3xQmUn0GAE="},
};

std::vector<PartChecksum> parts_of(const Row& row) {
    std::vector<PartChecksum> all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        all.push_back({{row.algorithm, std::string(row.of_parts[i])}, parts[i].size()});
    }
    return all;
}

}  // namespace

TEST_SUITE("engine/part_digests") {
    TEST_CASE("CRCs of parts make that of the whole object; digests cannot be combined") {
        for (const Row& row : rows) {
            CAPTURE(wire_name(row.algorithm));
            const auto whole = full_object_checksum(parts_of(row));
            if (row.of_whole.empty()) {
                CHECK(!whole);
            } else {
                REQUIRE(whole.has_value());
                CHECK(*whole == Checksum{row.algorithm, std::string(row.of_whole)});
            }
        }
    }

    TEST_CASE("a composite checksum is that of the parts' raw checksums, and tells their number") {
        for (const Row& row : rows) {
            CAPTURE(wire_name(row.algorithm));
            const auto composite = composite_checksum(parts_of(row));
            REQUIRE(composite.has_value());
            CHECK(composite->value == Checksum{row.algorithm, std::string(row.of_checksums)});
            CHECK(composite->scope == wire::ChecksumScope::composite);
            CHECK(composite->parts == 4);
        }
    }

    TEST_CASE("one part alone has its own value as the whole object's") {
        const std::vector<PartChecksum> one = {{{ChecksumAlgorithm::crc64nvme, "3NCkdKpsN54="}, 7}};
        CHECK(full_object_checksum(one)->base64 == "3NCkdKpsN54=");
    }

    TEST_CASE("nothing, a mixture and what is no checksum make none") {
        const PartChecksum crc{{ChecksumAlgorithm::crc32, "EepWmQ=="}, 7};
        for (const std::vector<PartChecksum>& bad : std::vector<std::vector<PartChecksum>>{
                 {},
                 {crc, {{ChecksumAlgorithm::crc32c, "EepWmQ=="}, 7}},
                 {crc, {{ChecksumAlgorithm::crc32, "EepWmQ"}, 7}},
                 {crc, {{ChecksumAlgorithm::crc32, ""}, 7}},
                 {crc, {{ChecksumAlgorithm::crc32, "AAAAAAAAAAA="}, 7}},
                 {{{ChecksumAlgorithm::crc64nvme, "EepWmQ=="}, 7}},
             }) {
            CHECK(!full_object_checksum(bad));
            CHECK(!composite_checksum(bad));
        }
    }

    TEST_CASE("the ETag of parts is the MD5 of their MD5s and their number") {
        std::vector<Md5Digest> digests;
        for (const std::string_view hex : {"0b76896c047e4a9070813cfe8bdd83f5", "0cb64fd009cce256b116e3ff42ee28e6",
                                           "d41d8cd98f00b204e9800998ecf8427e", "c5d2e83d5c17a3d29807c060e97c675f"}) {
            const auto raw = from_hex(hex);
            REQUIRE(raw.ok());
            Md5Digest digest{};
            std::ranges::copy(*raw, digest.begin());
            digests.push_back(digest);
        }
        CHECK(multipart_etag(digests) == "209fb09113f2b8a4d1b7e2580346c7fe-4");
        // Swift, moto and this: parts of 5 MiB of "A" and of "B" (facts of those servers' answers).
        std::vector<Md5Digest> two = {md5(as_bytes(std::string(5U << 20, 'A'))), md5(as_bytes("B"))};
        CHECK(multipart_etag(two) == "f508fb2124051f6498dc6fd2018a7c29-2");
    }
}

}  // namespace s3tug::engine
