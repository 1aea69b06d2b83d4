#include "base/checksum.h"
#include "base/crc_polynomial.h"

namespace s3tug {

namespace {

/// The CRCs start and end with all bits inverted alike, which cancels out: crc(AB) = crc(A) * x^(8 |B|) + crc(B).
/// The power is taken of x^8, so that no length in bytes overflows.
template <class Word>
Word combine(Word a, Word b, uint64_t b_bytes, Word polynomial) {
    const Word shift = crc::power(crc::power_of_x<Word>(8, polynomial), b_bytes, polynomial);
    return crc::multiply(a, shift, polynomial) ^ b;
}

}  // namespace

uint64_t crc64nvme_combine(uint64_t a, uint64_t b, uint64_t b_bytes) {
    return combine(a, b, b_bytes, crc::crc64nvme_polynomial);
}
uint32_t crc32_combine(uint32_t a, uint32_t b, uint64_t b_bytes) {
    return combine(a, b, b_bytes, crc::crc32_polynomial);
}
uint32_t crc32c_combine(uint32_t a, uint32_t b, uint64_t b_bytes) {
    return combine(a, b, b_bytes, crc::crc32c_polynomial);
}

}  // namespace s3tug
