#include "base/checksum.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "base/rng.h"

namespace s3tug {

namespace {

/// One bit at a time, from the definition: shares nothing with the code under test.
template <class Word>
Word crc_by_bits(std::string_view bytes, Word polynomial) {
    Word state = static_cast<Word>(~Word{0});
    for (const char c : bytes) {
        state ^= static_cast<uint8_t>(c);
        for (int bit = 0; bit < 8; ++bit) state = static_cast<Word>(state >> 1) ^ ((state & 1) != 0 ? polynomial : 0);
    }
    return static_cast<Word>(~state);
}
uint64_t crc64nvme_by_bits(std::string_view bytes) { return crc_by_bits<uint64_t>(bytes, 0x9A6C9329AC4BC9B5); }
uint32_t crc32_by_bits(std::string_view bytes) { return crc_by_bits<uint32_t>(bytes, 0xEDB88320); }
uint32_t crc32c_by_bits(std::string_view bytes) { return crc_by_bits<uint32_t>(bytes, 0x82F63B78); }

std::string random_bytes(Rng& rng, std::size_t size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(rng.next() & 0xFF);
    return bytes;
}

}  // namespace

TEST_SUITE("base/checksum") {
    TEST_CASE("the CRCs have their catalogued check values") {
        const ByteSpan digits = as_bytes("123456789");
        CHECK(crc64nvme(0, digits) == 0xAE8B14860A799888);
        CHECK(crc64nvme_by_tables(0, digits) == 0xAE8B14860A799888);
        CHECK(crc32(0, digits) == 0xCBF43926);
        CHECK(crc32c(0, digits) == 0xE3069283);
        CHECK(crc64nvme(0, {}) == 0);
        CHECK(crc32(0, {}) == 0);
        CHECK(crc32c(0, {}) == 0);
    }

    TEST_CASE("the checksums of 66560 times 'a' are those of facts/sigv4.md, wherever the bytes are cut") {
        struct Row {
            ChecksumAlgorithm algorithm;
            std::string_view base64, base64_of_nothing;
        };
        const std::string body(66560, 'a');
        for (const Row row : {
                 Row{ChecksumAlgorithm::crc64nvme, "pRf+emrnL+A=", "AAAAAAAAAAA="},
                 Row{ChecksumAlgorithm::crc32, "sK4Y7A==", "AAAAAA=="},
                 Row{ChecksumAlgorithm::crc32c, "sOO8/Q==", "AAAAAA=="},
                 Row{ChecksumAlgorithm::sha1, "qOlv5ixdz2jRNhlSLmgH6iaTKRI=", "2jmj7l5rSw0yVb/vlWAYkK/YBwk="},
                 Row{ChecksumAlgorithm::sha256,
                     "zWnTiHxq+SZLEA17dgIzEzXZqn4718MM3G1vS/uzyIg=", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="},
             }) {
            CAPTURE(row.base64);
            Checksummer sum(row.algorithm);
            for (const std::size_t cut : {0UL, 1UL, 15UL, 16UL, 127UL, 128UL, 65536UL, 66560UL}) {
                sum.update(as_bytes(body).first(cut));
                sum.update(as_bytes(body).subspan(cut));
                CHECK(sum.finish() == Checksum{row.algorithm, std::string(row.base64)});
            }
            CHECK(sum.finish().base64 == row.base64_of_nothing);
        }
    }

    TEST_CASE("algorithms are known by their wire names, in any case") {
        struct Row {
            ChecksumAlgorithm algorithm;
            std::string_view name, typed;
        };
        for (const Row row :
             {Row{ChecksumAlgorithm::crc64nvme, "crc64nvme", "CRC64NVME"},
              Row{ChecksumAlgorithm::crc32, "crc32", "CRC32"}, Row{ChecksumAlgorithm::crc32c, "crc32c", "Crc32C"},
              Row{ChecksumAlgorithm::sha1, "sha1", "SHA1"}, Row{ChecksumAlgorithm::sha256, "sha256", "sha256"}}) {
            CAPTURE(row.name);
            CHECK(wire_name(row.algorithm) == row.name);
            CHECK(checksum_from_name(row.typed) == row.algorithm);
        }
        for (const std::string_view name : {"", "crc", "crc32 ", "md5", "none", "sha-256"}) {
            CAPTURE(name);
            CHECK(checksum_from_name(name) == std::nullopt);
        }
    }

    TEST_CASE("every variant of CRC64NVME agrees with the bits at each length up to 600 and around 1024") {
        Rng rng(64);
        const std::string bytes = random_bytes(rng, 1400);
        const auto check = [&](std::size_t length) {
            const std::string_view part = std::string_view(bytes).substr(0, length);
            const uint64_t right = crc64nvme_by_bits(part);
            CHECK(crc64nvme(0, as_bytes(part)) == right);
            for (const Crc64Function variant : crc64nvme_variants()) CHECK(variant(0, as_bytes(part)) == right);
        };
        for (std::size_t length = 0; length <= 600; ++length) {
            CAPTURE(length);
            check(length);
        }
        for (std::size_t length = 1000; length <= bytes.size(); ++length) {
            CAPTURE(length);
            check(length);
        }
    }

    TEST_CASE("the CRCs agree with the bit by bit ones at random lengths, alignments and cuts") {
        Rng rng(4096);
        const std::string bytes = random_bytes(rng, 4096 + 64);
        const auto variants = crc64nvme_variants();
        for (int round = 0; round < 2000; ++round) {
            const std::size_t offset = rng.up_to(63);
            const std::size_t length = rng.up_to(4096);
            const std::size_t cut = rng.up_to(length);
            CAPTURE(offset);
            CAPTURE(length);
            CAPTURE(cut);
            const ByteSpan part = as_bytes(bytes).subspan(offset, length);
            const auto in_two = [&](auto&& crc) { return crc(crc(0, part.first(cut)), part.subspan(cut)); };
            const uint64_t by_tables = crc64nvme_by_tables(0, part);
            for (const Crc64Function variant : variants) CHECK(in_two(variant) == by_tables);
            if (round % 20 != 0) continue;
            const std::string_view text = std::string_view(bytes).substr(offset, length);
            CHECK(by_tables == crc64nvme_by_bits(text));
            CHECK(in_two(crc32) == crc32_by_bits(text));
            CHECK(in_two(crc32c) == crc32c_by_bits(text));
        }
    }

    TEST_CASE("a CRC64NVME changes with any single bit") {
        Rng rng(1);
        std::string bytes = random_bytes(rng, 300);
        const uint64_t before = crc64nvme(0, as_bytes(bytes));
        for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
            bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
            CHECK(crc64nvme(0, as_bytes(bytes)) != before);
            bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
        }
    }

    TEST_CASE("combined CRCs are those of the bytes in one go, for any number of parts") {
        Rng rng(99);
        for (int round = 0; round < 300; ++round) {
            std::string whole;
            uint64_t c64 = 0;
            uint32_t c32 = 0, c32c = 0;
            const uint64_t parts = rng.up_to(5);
            for (uint64_t i = 0; i <= parts; ++i) {
                const std::string part = random_bytes(rng, rng.up_to(1000));
                whole += part;
                c64 = crc64nvme_combine(c64, crc64nvme(0, as_bytes(part)), part.size());
                c32 = crc32_combine(c32, crc32(0, as_bytes(part)), part.size());
                c32c = crc32c_combine(c32c, crc32c(0, as_bytes(part)), part.size());
            }
            CHECK(c64 == crc64nvme(0, as_bytes(whole)));
            CHECK(c32 == crc32(0, as_bytes(whole)));
            CHECK(c32c == crc32c(0, as_bytes(whole)));
        }
    }

    TEST_CASE("combining is associative for lengths that no test can hold in memory") {
        // crc(A zeros(n)) twice: in one step of n = p + q, and in a step of p and one of q. The CRC of zeros is built
        // by doubling from one zero byte.
        Rng rng(5);
        const uint64_t a = crc64nvme(0, as_bytes("A"));
        const auto zeros = [](uint64_t n) {
            uint64_t result = 0, power = crc64nvme(0, as_bytes(std::string_view("\0", 1))), length = 1;
            for (; n != 0; n >>= 1, power = crc64nvme_combine(power, power, length), length *= 2) {
                if ((n & 1) != 0) result = crc64nvme_combine(result, power, length);
            }
            return result;
        };
        for (int round = 0; round < 50; ++round) {
            const uint64_t p = rng.up_to(uint64_t{1} << 62), q = rng.up_to(uint64_t{1} << 62);
            const uint64_t in_one = crc64nvme_combine(a, zeros(p + q), p + q);
            const uint64_t in_two = crc64nvme_combine(crc64nvme_combine(a, zeros(p), p), zeros(q), q);
            CHECK(in_one == in_two);
        }
        CHECK(zeros(600) == crc64nvme_by_bits(std::string(600, '\0')));
    }
}

}  // namespace s3tug
