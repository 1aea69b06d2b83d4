#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace s3tug {

/// The object checksums that S3 stores (x-amz-checksum-<name>).
enum class ChecksumAlgorithm { crc64nvme, crc32, crc32c, sha1, sha256 };

/// Wire name in lower case: "crc64nvme", "crc32", "crc32c", "sha1", "sha256".
[[nodiscard]] std::string_view wire_name(ChecksumAlgorithm algorithm);
[[nodiscard]] std::optional<ChecksumAlgorithm> checksum_from_name(std::string_view name);  ///< any case

/// A checksum value as S3 carries it: base64 of the big-endian bytes.
struct Checksum {
    ChecksumAlgorithm algorithm;
    std::string base64;
    bool operator==(const Checksum&) const = default;
};

/// Incremental checksum. CRC32 and CRC32C come from ISA-L; CRC64NVME is ours: carry-less multiplication where the CPU
/// has it (chosen at run time), else 16 tables, which are also its check.
class Checksummer {
  public:
    explicit Checksummer(ChecksumAlgorithm algorithm);
    Checksummer(Checksummer&&) noexcept;
    Checksummer& operator=(Checksummer&&) noexcept;
    ~Checksummer();

    void update(ByteSpan bytes);
    [[nodiscard]] Checksum finish();  ///< value of all bytes so far; then starts again from empty

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Raw CRCs, for combining parts and for tests. `crc` is the value so far, 0 at the start.
[[nodiscard]] uint64_t crc64nvme(uint64_t crc, ByteSpan bytes);
[[nodiscard]] uint64_t crc64nvme_by_tables(uint64_t crc, ByteSpan bytes);
/// The ways to compute it that this CPU has, tables first and the fastest last; crc64nvme() takes the last. For tests.
using Crc64Function = uint64_t (*)(uint64_t crc, ByteSpan bytes);
[[nodiscard]] std::vector<Crc64Function> crc64nvme_variants();
[[nodiscard]] uint32_t crc32(uint32_t crc, ByteSpan bytes);
[[nodiscard]] uint32_t crc32c(uint32_t crc, ByteSpan bytes);

/// CRC of A followed by B from crc(A), crc(B) and the length of B: full-object values from parts, without the bytes.
[[nodiscard]] uint64_t crc64nvme_combine(uint64_t a, uint64_t b, uint64_t b_bytes);
[[nodiscard]] uint32_t crc32_combine(uint32_t a, uint32_t b, uint64_t b_bytes);
[[nodiscard]] uint32_t crc32c_combine(uint32_t a, uint32_t b, uint64_t b_bytes);

}  // namespace s3tug
