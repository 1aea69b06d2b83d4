#pragma once

#include <cstdint>

#include "base/result.h"
#include "policy/store_parts.h"

namespace s3tug::engine {

/// How an object of known size is cut into parts: all of one size, the last one shorter. Made before the first byte, so
/// that what cannot work fails then. Equal arguments give equal plans: an interrupted upload finds its parts again.
struct PartPlan {
    uint64_t size = 0;        ///< of the object
    uint64_t part_bytes = 0;  ///< of every part but the last
    unsigned parts = 1;       ///< at least one, also for an empty object

    /// Of part `number`, from 1 to `parts`.
    [[nodiscard]] uint64_t offset(unsigned number) const { return (number - 1) * part_bytes; }
    [[nodiscard]] uint64_t bytes(unsigned number) const;
    bool operator==(const PartPlan&) const = default;
};

/// `wanted_part_bytes` grown (in whole MiB) until the store's number of parts suffices. `usage` when the wanted size is
/// outside of what the store takes as a part; `unsupported` when no size of parts makes the object fit.
[[nodiscard]] Result<PartPlan> plan_parts(uint64_t size, uint64_t wanted_part_bytes, const policy::StoreParts& store);

/// How a stream of unknown length is cut into parts. They grow as the stream does: a short one is sent in small parts,
/// a long one still fits. With S3's limits and the default size the first 256 parts have 16 MiB (4 GiB), then the size
/// doubles every 64 parts up to 5 GiB, which makes 50 TB in 10,000 parts, S3's largest object; beyond the first 256 a
/// part has at most a 64th of what was sent before it. Fewer parts grow in the same proportion. A store that wants
/// equal sizes gets them, and takes streams only up to capacity().
class StreamSchedule {
  public:
    /// Errors as plan_parts().
    [[nodiscard]] static Result<StreamSchedule> make(uint64_t wanted_part_bytes, const policy::StoreParts& store);

    /// Size of part `number`, from 1; 0 when the store takes no such part.
    [[nodiscard]] uint64_t part_bytes(unsigned number) const;
    /// The longest stream that fits.
    [[nodiscard]] uint64_t capacity() const;

  private:
    StreamSchedule(uint64_t first_bytes, const policy::StoreParts& store) : first_bytes_(first_bytes), store_(store) {}

    uint64_t first_bytes_;
    policy::StoreParts store_;
};

}  // namespace s3tug::engine
