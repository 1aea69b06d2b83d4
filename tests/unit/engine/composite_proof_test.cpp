#include "engine/composite_proof.h"

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "support/sim_world.h"

namespace s3tug::engine {
namespace {

using State = CompositeProof::State;
using Sizes = std::vector<uint64_t>;

const std::string text = "012345678901234567890123456789";

wire::StoredChecksum composite(ChecksumAlgorithm algorithm, const char* base64, unsigned parts) {
    return {{algorithm, base64}, wire::ChecksumScope::composite, parts};
}

/// A store's answers to HEADs of the parts of an object of these sizes.
struct Teller {
    Sizes sizes;
    bool counts = true;
    bool ranges = true;
    std::string etag = "e-3";        ///< of the parts
    std::string whole_etag = "e-3";  ///< by the time of the last look

    [[nodiscard]] wire::HttpAnswer about_whole() const {
        wire::HttpAnswer head;
        head.status = 200;
        head.headers.add("etag", "\"" + whole_etag + "\"");
        head.headers.add("content-length", "30");
        return head;
    }
    [[nodiscard]] wire::HttpAnswer about(unsigned number) const {
        if (number == CompositeProof::whole) return about_whole();
        const uint64_t first = std::accumulate(sizes.begin(), sizes.begin() + number - 1, uint64_t{0});
        const uint64_t bytes = sizes.at(number - 1);
        wire::HttpAnswer head;
        head.status = 206;
        head.headers.add("etag", "\"" + etag + "\"");
        head.headers.add("content-length", std::to_string(bytes));
        if (counts) head.headers.add("x-amz-mp-parts-count", std::to_string(sizes.size()));
        if (ranges && bytes > 0)
            head.headers.add("content-range",
                             "bytes " + std::to_string(first) + "-" + std::to_string(first + bytes - 1) + "/30");
        return head;
    }
};

struct File {
    explicit File(const std::string& bytes) : target(files.open_target("/out", {}).value()) {
        REQUIRE(target->write_at(0, as_bytes(bytes)).ok());
    }
    sim::SimFiles files;
    std::unique_ptr<port::TargetFile> target;
};

/// Number of HEADs that it took.
unsigned drive(CompositeProof& proof, const Teller& teller) {
    unsigned looks = 0;
    while (proof.state() == State::asking || proof.busy()) {
        if (proof.busy()) {
            REQUIRE(proof.work().ok());
        } else {
            std::vector<unsigned> asked;
            while (const auto number = proof.next_look()) asked.push_back(*number);
            REQUIRE_FALSE(asked.empty());
            looks += static_cast<unsigned>(asked.size());
            for (auto number = asked.rbegin(); number != asked.rend(); ++number)  // in any order
                proof.told(*number, teller.about(*number));
        }
    }
    return looks;
}

/// The first of three uneven parts is told, the bytes do not match even ones, and the last part is asked for.
void ask_for_last(CompositeProof& proof) {
    REQUIRE(proof.next_look() == 1U);
    proof.told(1, Teller{{12, 10, 8}}.about(1));
    while (proof.busy()) REQUIRE(proof.work().ok());
    REQUIRE(proof.next_look() == 3U);
}

}  // namespace

TEST_SUITE("engine/composite_proof") {
    TEST_CASE("bytes in parts of 12, 12 and 6 are proven by the digest of the parts' digests and one look") {
        // Computed by python's hashlib and zlib, CRC32C and CRC64NVME by their bitwise definitions.
        struct Row {
            ChecksumAlgorithm algorithm;
            const char* value;
        };
        for (const Row& row : {Row{ChecksumAlgorithm::crc32, "Qkw5Hg=="}, Row{ChecksumAlgorithm::crc32c, "lsrKBA=="},
                               Row{ChecksumAlgorithm::crc64nvme, "puzkktNPe1c="},
                               Row{ChecksumAlgorithm::sha1, "xOEOswAud73pPgikDmKZN9JL/FY="},
                               Row{ChecksumAlgorithm::sha256, "EzUpq2D0UBOBGS6Mj74Y1UpjyF/sFXq8GqpxxRt8eAA="}}) {
            File file(text);
            CompositeProof proof(*file.target, composite(row.algorithm, row.value, 3), "e-3", text.size());
            CHECK(drive(proof, {{12, 12, 6}}) == 1);
            CHECK(proof.state() == State::matches);
            CHECK(proof.verified_by() == std::string(wire_name(row.algorithm)) + ":" + row.value + "-3");
        }
    }

    TEST_CASE("good bytes match however they were cut, and only a value that no known sizes give is damage") {
        std::string damaged = text;
        damaged[13] ^= 1;
        struct Row {
            Sizes sizes;
            const char* crc32;
            unsigned looks;          ///< good bytes
            unsigned looks_damaged;  ///< all parts, when one bit is another
        };
        const Row rows[] = {
            {{30}, "rpm+sQ==", 0, 0},
            {{20, 10}, "Uqxi/g==", 1, 2},
            {{10, 20}, "1SYljQ==", 2, 2},
            {{10, 10, 10}, "eNs+hA==", 1, 3},
            {{12, 12, 6}, "Qkw5Hg==", 1, 3},
            {{12, 10, 8}, "tZC63A==", 3, 3},  // the first one lets presume 12, 12 and 6
            {{5, 20, 5}, "L4oRpA==", 3, 3},
        };
        for (const Row& row : rows) {
            CAPTURE(row.crc32);
            const auto parts = static_cast<unsigned>(row.sizes.size());
            const wire::StoredChecksum expected = composite(ChecksumAlgorithm::crc32, row.crc32, parts);
            for (const bool good : {true, false}) {
                CAPTURE(good);
                File file(good ? text : damaged);
                CompositeProof proof(*file.target, expected, "e-3", text.size());
                CHECK(drive(proof, {row.sizes}) == (good ? row.looks : row.looks_damaged));
                CHECK((proof.state() == State::matches) == good);
                CHECK((proof.state() == State::damaged) == !good);
                if (good) continue;
                CHECK(proof.why().find("the store says crc32:" + std::string(row.crc32)) != std::string::npos);
                REQUIRE(file.target->write_at(0, as_bytes(text)).ok());
                proof.again();
                CHECK(drive(proof, {row.sizes}) == 0);
                CHECK(proof.state() == State::matches);
            }
        }
    }

    TEST_CASE("a file that was cut short is damage like any other") {
        File file(text.substr(0, 20));
        CompositeProof proof(*file.target, composite(ChecksumAlgorithm::crc32, "Qkw5Hg==", 3), "e-3", text.size());
        CHECK(drive(proof, {{12, 12, 6}}) == 3);
        CHECK(proof.state() == State::damaged);
    }

    TEST_CASE("sizes that are not told, or not surely, prove no damage") {
        std::string damaged = text;
        damaged[13] ^= 1;
        struct Row {
            const char* what;
            Teller teller;
            unsigned looks;
        };
        const Row rows[] = {
            {"another number of parts", {{12, 12, 3, 3}}, 1},
            {"no number of parts", {{12, 12, 6}, false}, 3},
            {"less than the object", {{12, 12, 5}, true, false}, 3},
            {"more than the object", {{12, 12, 12}, true, false}, 3},
            {"a part that is larger than all", {{31, 1, 1}, true, false}, 1},
            {"no part but the whole", {{30, 30, 30}, false, false}, 3},
        };
        for (const Row& row : rows) {
            CAPTURE(row.what);
            File file(damaged);
            CompositeProof proof(*file.target, composite(ChecksumAlgorithm::crc32, "Qkw5Hg==", 3), "e-3", text.size());
            CHECK(drive(proof, row.teller) == row.looks);
            CHECK(proof.state() == State::unknown);
        }
        File file(text);
        CompositeProof proof(*file.target, composite(ChecksumAlgorithm::crc32, "Qkw5Hg==", 3), "e-3", text.size());
        REQUIRE(proof.next_look() == 1U);
        proof.not_told(1, "access denied");
        CHECK(proof.state() == State::unknown);
        CHECK(proof.why().find("access denied") != std::string::npos);
    }

    TEST_CASE("where parts have ETags of their own, a look at the whole says that they are the object's") {
        std::string damaged = text;
        damaged[13] ^= 1;
        for (const bool good : {true, false}) {
            for (const bool refuses : {true, false}) {
                CAPTURE(good);
                CAPTURE(refuses);
                File file(good ? text : damaged);
                const auto expected = composite(ChecksumAlgorithm::crc32, "tZC63A==", 3);
                CompositeProof proof(*file.target, expected, "e-3", text.size());
                if (refuses) {
                    REQUIRE(proof.next_look() == 1U);
                    CHECK(proof.pins(1));
                    proof.pin_refused(1);
                    CHECK_FALSE(proof.pins(1));
                    CHECK(proof.pins(CompositeProof::whole));
                }
                CHECK(drive(proof, {{12, 10, 8}, true, true, "p"}) == 4);
                CHECK(proof.state() == (good ? State::matches : State::damaged));
            }
        }
        File file(text);
        CompositeProof changed(*file.target, composite(ChecksumAlgorithm::crc32, "tZC63A==", 3), "e-3", text.size());
        REQUIRE(changed.next_look() == 1U);
        changed.pin_refused(1);
        REQUIRE(changed.next_look() == 1U);
        changed.pin_refused(1);  // which says nothing
        CHECK(changed.next_look() == CompositeProof::whole);
        CHECK(changed.state() == State::asking);
        changed.not_told(CompositeProof::whole, "403");
        CHECK(changed.state() == State::unknown);
    }

    TEST_CASE("what an object that came in its place tells of its parts says nothing, and is not taken for silence") {
        const auto expected = composite(ChecksumAlgorithm::crc32, "tZC63A==", 3);
        const Teller others[] = {
            {{12, 12, 6}, true, true, "p", "e-4"},     // of as many parts
            {{12, 12, 3, 3}, true, true, "p", "e-4"},  // of more
            {{12, 10, 8}, true, true, "e-4", "e-4"},   // of the same, where If-Match is ignored
        };
        for (const Teller& other : others) {
            CAPTURE(other.sizes.size());
            CAPTURE(other.etag);
            File file(text);
            CompositeProof proof(*file.target, expected, "e-3", text.size());
            REQUIRE(proof.next_look() == 1U);
            if (other.etag == "p")
                proof.pin_refused(1);
            else
                proof.told(1, other.about(1));
            drive(proof, other);
            CHECK(proof.state() == State::changed);
        }
        for (const bool still_there : {true, false}) {
            CAPTURE(still_there);
            File file(text);
            CompositeProof proof(*file.target, expected, "e-3", text.size());
            REQUIRE(proof.next_look() == 1U);
            proof.pin_refused(1);
            REQUIRE(proof.next_look() == 1U);
            proof.not_told(1, "416");
            REQUIRE(proof.next_look() == CompositeProof::whole);
            proof.told(CompositeProof::whole, Teller{{}, true, true, "p", still_there ? "e-3" : "e-4"}.about_whole());
            CHECK(proof.state() == (still_there ? State::unknown : State::changed));
            if (still_there) CHECK(proof.why().find("416") != std::string::npos);
        }
    }

    TEST_CASE("a part that is refused where another was told may be gone: the whole tells") {
        const auto expected = composite(ChecksumAlgorithm::crc32, "tZC63A==", 3);
        for (const bool still_there : {true, false}) {
            CAPTURE(still_there);
            File file(text);
            CompositeProof proof(*file.target, expected, "e-3", text.size());
            ask_for_last(proof);
            proof.not_told(3, "416");
            REQUIRE(proof.next_look() == CompositeProof::whole);
            proof.told(2, Teller{{12, 10, 8}}.about(2));  // sent before
            proof.told(CompositeProof::whole, Teller{{}, true, true, "", still_there ? "e-3" : "e-4"}.about_whole());
            CHECK(proof.state() == (still_there ? State::asking : State::changed));
            if (!still_there) continue;
            REQUIRE(proof.next_look() == 3U);  // once more
            REQUIRE(proof.next_look() == 2U);
            CHECK(!proof.next_look());
            proof.told(2, Teller{{12, 10, 8}}.about(2));
            proof.told(2, Teller{{12, 10, 8}}.about(2));  // of the time before
            CHECK(proof.state() == State::asking);
            proof.not_told(3, "403");
            REQUIRE(proof.next_look() == CompositeProof::whole);
            proof.told(CompositeProof::whole, Teller{}.about_whole());
            CHECK(proof.state() == State::unknown);
        }
    }

    TEST_CASE("a pin that fails after the first part, or nothing there: the object has changed") {
        const auto expected = composite(ChecksumAlgorithm::crc32, "tZC63A==", 3);
        for (const bool removed : {true, false}) {
            File file(text);
            CompositeProof proof(*file.target, expected, "e-3", text.size());
            ask_for_last(proof);
            removed ? proof.gone() : proof.pin_refused(3);
            CHECK(proof.state() == State::changed);
        }
    }

    TEST_CASE("bytes that match sizes which a store does not count are proven all the same") {
        File file(text);
        CompositeProof proof(*file.target, composite(ChecksumAlgorithm::crc32, "Qkw5Hg==", 3), "e-3", text.size());
        CHECK(drive(proof, {{12, 12, 6}, false, false}) == 1);
        CHECK(proof.state() == State::matches);
    }

    TEST_CASE("an object that came without an ETag differs from none") {
        File file(text);
        CompositeProof proof(*file.target, composite(ChecksumAlgorithm::crc32, "tZC63A==", 3), "", text.size());
        CHECK(drive(proof, {{12, 10, 8}}) == 3);
        CHECK(proof.state() == State::matches);
    }

    TEST_CASE("an empty last part is a part") {
        // crc32 of crc32("0..." 30 bytes) and crc32(""), by zlib.
        File file(text);
        CompositeProof proof(*file.target, composite(ChecksumAlgorithm::crc32, "2qeaRQ==", 2), "e-3", text.size());
        CHECK(drive(proof, {{30, 0}}) == 2);
        CHECK(proof.state() == State::matches);
    }

    TEST_CASE("answers that come when it is decided change nothing") {
        File file(text);
        CompositeProof proof(*file.target, composite(ChecksumAlgorithm::crc32, "Qkw5Hg==", 3), "e-3", text.size());
        REQUIRE(proof.next_look() == 1);
        proof.not_told(1, "403");
        const std::string why = proof.why();
        proof.told(1, Teller{{12, 12, 6}}.about(1));
        proof.not_told(2, "404");
        proof.gone();
        CHECK(proof.state() == State::unknown);
        CHECK(proof.why() == why);
        CHECK(!proof.next_look());
    }
}

}  // namespace s3tug::engine
