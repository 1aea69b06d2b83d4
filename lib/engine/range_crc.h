#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/checksum.h"

namespace s3tug::engine {

/// CRCs of ranges that give the CRC of the whole, so that ranges may come in any order and from several connections.

/// True for crc64nvme, crc32 and crc32c. The functions below are for these only; a value is 0 for no bytes.
[[nodiscard]] bool crc_combines(ChecksumAlgorithm algorithm);

[[nodiscard]] uint64_t crc_update(ChecksumAlgorithm algorithm, uint64_t so_far, ByteSpan bytes);
/// Of A followed by B, from crc(A), crc(B) and the length of B.
[[nodiscard]] uint64_t crc_combine(ChecksumAlgorithm algorithm, uint64_t a, uint64_t b, uint64_t b_bytes);
/// As S3 carries it.
[[nodiscard]] Checksum crc_checksum(ChecksumAlgorithm algorithm, uint64_t value);

}  // namespace s3tug::engine
