#pragma once

#include <cstdint>

namespace s3tug::host {

/// A seed for base/rng.h from the kernel (getrandom). Never waits for the entropy pool: in the first moments of a boot,
/// or on a kernel without the call, clock and process id are mixed instead, which is enough for jitter and ids.
[[nodiscard]] uint64_t random_seed();

}  // namespace s3tug::host
