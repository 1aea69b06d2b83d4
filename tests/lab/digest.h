#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace s3tug::lab {

enum class Algorithm { md5, sha1, sha256, crc32, crc32c, crc64nvme };

/// The algorithms that have an `x-amz-checksum-*` header.
inline constexpr std::array checksum_algorithms = {Algorithm::crc32, Algorithm::crc32c, Algorithm::crc64nvme,
                                                   Algorithm::sha1, Algorithm::sha256};

/// "crc32c", as it ends the header name.
[[nodiscard]] std::string_view to_string(Algorithm algorithm);
[[nodiscard]] std::optional<Algorithm> algorithm_named(std::string_view name);

/// One running digest. Bytes go in by pieces; the answer is the raw big-endian value.
class Digest {
  public:
    explicit Digest(Algorithm algorithm);
    ~Digest();
    Digest(Digest&&) noexcept;
    Digest& operator=(Digest&&) noexcept;

    void update(std::string_view bytes);
    /// Ends the digest; call once.
    [[nodiscard]] std::string finish();
    [[nodiscard]] Algorithm algorithm() const { return algorithm_; }

  private:
    struct Evp;
    Algorithm algorithm_;
    uint64_t crc_ = 0;
    std::unique_ptr<Evp> evp_;
};

[[nodiscard]] std::string digest(Algorithm algorithm, std::string_view bytes);
[[nodiscard]] std::string sha256_hex(std::string_view bytes);
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view message);

}  // namespace s3tug::lab
