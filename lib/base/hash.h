#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace s3tug {

using Sha256Digest = std::array<std::byte, 32>;
using Md5Digest = std::array<std::byte, 16>;
using Sha1Digest = std::array<std::byte, 20>;

/// Incremental digest over libcrypto's EVP, hardware instructions included.
enum class DigestKind { md5, sha1, sha256 };
class Digest {
  public:
    explicit Digest(DigestKind kind);
    Digest(Digest&&) noexcept;
    Digest& operator=(Digest&&) noexcept;
    ~Digest();

    void update(ByteSpan bytes);
    /// Digest of all bytes so far; the object can be used again from empty afterwards.
    [[nodiscard]] std::vector<std::byte> finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

[[nodiscard]] Sha256Digest sha256(ByteSpan bytes);
[[nodiscard]] Md5Digest md5(ByteSpan bytes);
[[nodiscard]] Sha256Digest hmac_sha256(ByteSpan key, ByteSpan message);

}  // namespace s3tug
