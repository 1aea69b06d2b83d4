#include "engine/range_crc.h"

#include <vector>

namespace s3tug::engine {

bool crc_combines(ChecksumAlgorithm algorithm) {
    return algorithm == ChecksumAlgorithm::crc64nvme || algorithm == ChecksumAlgorithm::crc32 ||
           algorithm == ChecksumAlgorithm::crc32c;
}

uint64_t crc_update(ChecksumAlgorithm algorithm, uint64_t so_far, ByteSpan bytes) {
    if (algorithm == ChecksumAlgorithm::crc32) return crc32(static_cast<uint32_t>(so_far), bytes);
    if (algorithm == ChecksumAlgorithm::crc32c) return crc32c(static_cast<uint32_t>(so_far), bytes);
    return crc64nvme(so_far, bytes);
}

uint64_t crc_combine(ChecksumAlgorithm algorithm, uint64_t a, uint64_t b, uint64_t b_bytes) {
    const auto a32 = static_cast<uint32_t>(a);
    const auto b32 = static_cast<uint32_t>(b);
    if (algorithm == ChecksumAlgorithm::crc32) return crc32_combine(a32, b32, b_bytes);
    if (algorithm == ChecksumAlgorithm::crc32c) return crc32c_combine(a32, b32, b_bytes);
    return crc64nvme_combine(a, b, b_bytes);
}

Checksum crc_checksum(ChecksumAlgorithm algorithm, uint64_t value) {
    const std::size_t width = algorithm == ChecksumAlgorithm::crc64nvme ? 8 : 4;
    std::vector<std::byte> big_endian(width);
    for (std::size_t i = 0; i < width; ++i) big_endian[i] = static_cast<std::byte>(value >> (8 * (width - 1 - i)));
    return {algorithm, to_base64(big_endian)};
}

}  // namespace s3tug::engine
