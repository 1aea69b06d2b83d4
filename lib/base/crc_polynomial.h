#pragma once

#include <cstdint>
#include <limits>

/// Arithmetic on polynomials over GF(2) modulo a CRC's polynomial, in the reflected form that all three CRCs of S3 use:
/// the highest bit is the coefficient of x^0. Constexpr, so that every constant of the CRCs is computed, not copied.
namespace s3tug::crc {

/// Reflected polynomials without the leading term: CRC-64/NVME, CRC-32/ISO-HDLC (zlib), CRC-32/ISCSI (Castagnoli).
inline constexpr uint64_t crc64nvme_polynomial = 0x9A6C9329AC4BC9B5;
inline constexpr uint32_t crc32_polynomial = 0xEDB88320;
inline constexpr uint32_t crc32c_polynomial = 0x82F63B78;

template <class Word>
inline constexpr Word one = Word{1} << (std::numeric_limits<Word>::digits - 1);

template <class Word>
[[nodiscard]] constexpr Word times_x(Word a, Word polynomial) {
    return static_cast<Word>(a >> 1) ^ ((a & 1) != 0 ? polynomial : Word{0});
}

/// a * b mod P.
template <class Word>
[[nodiscard]] constexpr Word multiply(Word a, Word b, Word polynomial) {
    Word product = 0;
    for (; a != 0; a = static_cast<Word>(a << 1)) {
        if ((a & one<Word>) != 0) product ^= b;
        b = times_x(b, polynomial);
    }
    return product;
}

/// base^exponent mod P.
template <class Word>
[[nodiscard]] constexpr Word power(Word base, uint64_t exponent, Word polynomial) {
    Word result = one<Word>;
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) result = multiply(result, base, polynomial);
        base = multiply(base, base, polynomial);
    }
    return result;
}

/// x^n mod P.
template <class Word>
[[nodiscard]] constexpr Word power_of_x(uint64_t n, Word polynomial) {
    return power(static_cast<Word>(one<Word> >> 1), n, polynomial);
}

}  // namespace s3tug::crc
