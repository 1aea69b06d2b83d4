#pragma once

#include <cstdint>

namespace s3tug {

/// Seedable generator (SplitMix64). Integer ranges only and no std distribution, since those differ between standard
/// libraries: one seed gives the same run with every compiler. Not for secrets; seeds come from getrandom in lib/host.
class Rng {
  public:
    explicit constexpr Rng(uint64_t seed) : state_(seed) {}

    [[nodiscard]] constexpr uint64_t next() {
        uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

    /// Uniform in [0, bound], both ends included; exactly one draw.
    [[nodiscard]] constexpr uint64_t up_to(uint64_t bound) {
        const uint64_t draw = next();
        if (bound == UINT64_MAX) return draw;
        __extension__ using Wide = unsigned __int128;
        return static_cast<uint64_t>((static_cast<Wide>(draw) * (static_cast<Wide>(bound) + 1)) >> 64);
    }

    /// True with probability `numerator` in `denominator`; exactly one draw.
    [[nodiscard]] constexpr bool chance(uint64_t numerator, uint64_t denominator) {
        return up_to(denominator - 1) < numerator;
    }

    /// An independent stream, so that one consumer's draws do not shift another's.
    [[nodiscard]] constexpr Rng split() { return Rng(next() ^ 0xD1B54A32D192ED03ULL); }

  private:
    uint64_t state_;
};

}  // namespace s3tug
