#pragma once

#include <cstdint>
#include <optional>

namespace s3tug::sim {

/// The seed that `--seed N` or S3TUG_SIM_SEED asked for: run only that one.
[[nodiscard]] std::optional<uint64_t> replay_seed();

/// Where the seeds of a test begin; fixed, so that every run of the suite is the same run.
inline constexpr uint64_t first_seed = 20'261'129;

}  // namespace s3tug::sim
