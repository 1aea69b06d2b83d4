#include <array>

#include "base/checksum.h"
#include "base/crc_polynomial.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace s3tug {

namespace {

constexpr uint64_t polynomial = crc::crc64nvme_polynomial;
constexpr std::size_t slices = 16;

using Table = std::array<uint64_t, 256>;

/// tables[k][b]: what byte b adds to the state when k more bytes follow it in the block.
constexpr std::array<Table, slices> make_tables() {
    std::array<Table, slices> tables{};
    for (unsigned b = 0; b < 256; ++b) {
        uint64_t state = b;
        for (int bit = 0; bit < 8; ++bit) state = crc::times_x(state, polynomial);
        tables[0][b] = state;
    }
    for (std::size_t k = 1; k < slices; ++k) {
        for (unsigned b = 0; b < 256; ++b) {
            const uint64_t before = tables[k - 1][b];
            tables[k][b] = (before >> 8) ^ tables[0][before & 0xFF];
        }
    }
    return tables;
}
constexpr std::array<Table, slices> tables = make_tables();

uint64_t load_little_endian(const std::byte* at) {
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i) value |= std::to_integer<uint64_t>(at[i]) << (8 * i);
    return value;
}

/// Takes the bits of `word` through the tables: its first byte has `following` + 7 bytes of the block behind it.
uint64_t slice(uint64_t word, std::size_t following) {
    uint64_t sum = 0;
    for (std::size_t i = 0; i < 8; ++i) sum ^= tables[following + 7 - i][word >> (8 * i) & 0xFF];
    return sum;
}

/// The plain division: no inversion at either end.
uint64_t update_by_tables(uint64_t state, ByteSpan bytes) {
    while (bytes.size() >= slices) {
        state = slice(state ^ load_little_endian(bytes.data()), 8) ^ slice(load_little_endian(bytes.data() + 8), 0);
        bytes = bytes.subspan(slices);
    }
    for (const std::byte b : bytes) { state = (state >> 8) ^ tables[0][(state ^ std::to_integer<uint64_t>(b)) & 0xFF]; }
    return state;
}

#if defined(__x86_64__)

#define S3TUG_CLMUL __attribute__((target("pclmul,sse4.1")))
#define S3TUG_WIDE_CLMUL __attribute__((target("vpclmulqdq,pclmul,avx2")))

/// Folding (Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009).
/// A block of 16 bytes is a polynomial L * x^64 + H, L being its first 8 bytes. Moved `bits` ahead it is
/// L * x^(64 + bits) + H * x^bits, again of 128 bits once the powers are taken mod P. The product of two reflected
/// words comes out one bit too low, that is multiplied by x, hence the - 1.
struct FoldBy {
    uint64_t low, high;
    constexpr explicit FoldBy(uint64_t bits)
        : low(crc::power_of_x(64 + bits - 1, polynomial)), high(crc::power_of_x(bits - 1, polynomial)) {}
};

constexpr std::size_t lanes = 8;  // independent products, enough to hide the latency of one
constexpr std::size_t block_bytes = sizeof(__m128i);
constexpr std::size_t stride_bytes = lanes * block_bytes;
constexpr std::size_t wide_block_bytes = sizeof(__m256i);
constexpr std::size_t wide_stride_bytes = lanes * wide_block_bytes;
constexpr std::size_t wide_least_bytes = 1024;  // below, bringing 16 blocks together costs more than it saves
constexpr FoldBy by_block(8 * block_bytes);
constexpr FoldBy by_stride(8 * stride_bytes);
constexpr FoldBy by_wide_stride(8 * wide_stride_bytes);

S3TUG_CLMUL inline __m128i load(const std::byte* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

S3TUG_CLMUL inline __m128i constants(const FoldBy& by) {
    return _mm_set_epi64x(static_cast<int64_t>(by.high), static_cast<int64_t>(by.low));
}

S3TUG_CLMUL inline __m128i fold(__m128i block, __m128i by, __m128i onto) {
    const __m128i low = _mm_clmulepi64_si128(block, by, 0x00);
    const __m128i high = _mm_clmulepi64_si128(block, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

/// Folds the blocks `sums` and then the bytes behind them into one block; that one and the tail go through the tables.
S3TUG_CLMUL uint64_t fold_to_state(const __m128i* sums, std::size_t count, ByteSpan bytes) {
    const __m128i by = constants(by_block);
    __m128i sum = sums[0];
    for (std::size_t i = 1; i < count; ++i) sum = fold(sum, by, sums[i]);
    for (; bytes.size() >= block_bytes; bytes = bytes.subspan(block_bytes)) sum = fold(sum, by, load(bytes.data()));

    std::array<std::byte, block_bytes> rest;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(rest.data()), sum);
    return update_by_tables(update_by_tables(0, rest), bytes);
}

S3TUG_CLMUL uint64_t update_by_clmul(uint64_t state, ByteSpan bytes) {
    if (bytes.size() < stride_bytes) return update_by_tables(state, bytes);
    __m128i sums[lanes];  // std::array would lose the alignment attribute
    for (std::size_t i = 0; i < lanes; ++i) sums[i] = load(bytes.data() + i * block_bytes);
    sums[0] = _mm_xor_si128(sums[0], _mm_set_epi64x(0, static_cast<int64_t>(state)));
    bytes = bytes.subspan(stride_bytes);

    const __m128i by = constants(by_stride);
    for (; bytes.size() >= stride_bytes; bytes = bytes.subspan(stride_bytes)) {
        for (std::size_t i = 0; i < lanes; ++i) sums[i] = fold(sums[i], by, load(bytes.data() + i * block_bytes));
    }
    return fold_to_state(sums, lanes, bytes);
}

S3TUG_WIDE_CLMUL inline __m256i load_wide(const std::byte* at) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

/// The same with two blocks in each register (VPCLMULQDQ): twice as fast.
S3TUG_WIDE_CLMUL uint64_t update_by_wide_clmul(uint64_t state, ByteSpan bytes) {
    if (bytes.size() < wide_least_bytes) return update_by_clmul(state, bytes);
    __m256i sums[lanes];
    for (std::size_t i = 0; i < lanes; ++i) sums[i] = load_wide(bytes.data() + i * wide_block_bytes);
    sums[0] = _mm256_xor_si256(sums[0], _mm256_set_epi64x(0, 0, 0, static_cast<int64_t>(state)));
    bytes = bytes.subspan(wide_stride_bytes);

    const __m256i by = _mm256_broadcastsi128_si256(constants(by_wide_stride));
    for (; bytes.size() >= wide_stride_bytes; bytes = bytes.subspan(wide_stride_bytes)) {
        for (std::size_t i = 0; i < lanes; ++i) {
            const __m256i low = _mm256_clmulepi64_epi128(sums[i], by, 0x00);
            const __m256i high = _mm256_clmulepi64_epi128(sums[i], by, 0x11);
            const __m256i onto = load_wide(bytes.data() + i * wide_block_bytes);
            sums[i] = _mm256_xor_si256(_mm256_xor_si256(low, high), onto);
        }
    }

    __m128i halves[2 * lanes];
    for (std::size_t i = 0; i < lanes; ++i) {
        halves[2 * i] = _mm256_castsi256_si128(sums[i]);
        halves[2 * i + 1] = _mm256_extracti128_si256(sums[i], 1);
    }
    return fold_to_state(halves, 2 * lanes, bytes);
}

uint64_t crc64nvme_by_clmul(uint64_t crc, ByteSpan bytes) { return ~update_by_clmul(~crc, bytes); }
uint64_t crc64nvme_by_wide_clmul(uint64_t crc, ByteSpan bytes) { return ~update_by_wide_clmul(~crc, bytes); }

#endif

}  // namespace

uint64_t crc64nvme_by_tables(uint64_t crc, ByteSpan bytes) { return ~update_by_tables(~crc, bytes); }

std::vector<Crc64Function> crc64nvme_variants() {
    std::vector<Crc64Function> variants = {crc64nvme_by_tables};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1")) {
        variants.push_back(crc64nvme_by_clmul);
        if (__builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx2")) {
            variants.push_back(crc64nvme_by_wide_clmul);
        }
    }
#endif
    return variants;
}

uint64_t crc64nvme(uint64_t crc, ByteSpan bytes) {
    static const Crc64Function fastest = crc64nvme_variants().back();
    return fastest(crc, bytes);
}

}  // namespace s3tug
