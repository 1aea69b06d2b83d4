#include "engine/whole_checksum.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace s3tug::engine {
namespace {

using A = ChecksumAlgorithm;

DonePart part(unsigned number, uint64_t size, std::optional<Checksum> checksum) {
    DonePart done;
    done.number = number;
    done.size = size;
    done.checksum = std::move(checksum);
    return done;
}

DoneParts parts_of(const std::vector<std::optional<Checksum>>& checksums) {
    DoneParts parts;
    for (const std::optional<Checksum>& checksum : checksums) {
        const unsigned number = static_cast<unsigned>(parts.size()) + 1;
        parts[number] = part(number, 5, checksum);
    }
    return parts;
}

}  // namespace

TEST_SUITE("engine/whole_checksum") {
    TEST_CASE("what parts say of the whole needs a right value of one kind from each of them") {
        // "01234", "56789" and both in one, by python's zlib.
        const Checksum crc_a{A::crc32, "3aRwJA=="};
        const Checksum crc_b{A::crc32, "Ex2gcA=="};
        struct Row {
            const char* what;
            std::vector<std::optional<Checksum>> parts;
            const char* whole;  ///< null: nothing is said
        };
        const std::vector<Row> rows = {
            {"two values", {crc_a, crc_b}, "poTHxg=="},
            {"no parts", {}, nullptr},
            {"a part without a value", {crc_a, std::nullopt}, nullptr},
            {"two kinds", {crc_a, Checksum{A::crc32c, "Ex2gcA=="}}, nullptr},
            {"no base64", {crc_a, Checksum{A::crc32, "Ex2g!"}}, nullptr},
            {"too short for its kind", {Checksum{A::crc64nvme, "3aRwJA=="}}, nullptr},
            {"a hash that is too short", {Checksum{A::sha256, "3aRwJA=="}}, nullptr},
        };
        for (const Row& row : rows) {
            CAPTURE(row.what);
            const std::optional<wire::StoredChecksum> whole = whole_checksum(parts_of(row.parts));
            REQUIRE(whole.has_value() == (row.whole != nullptr));
            if (!whole) continue;
            CHECK(whole->value.base64 == row.whole);
            CHECK(whole->scope == wire::ChecksumScope::full_object);
            CHECK(whole->parts == row.parts.size());
        }
    }
}

}  // namespace s3tug::engine
