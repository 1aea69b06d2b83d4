#pragma once

#include <cstdint>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"

namespace s3tug::engine {

/// How objects are cut into parts. Validated where settings are read; tests may go below S3's own bounds.
struct MultipartConfig {
    uint64_t part_size = limits::part_size_default;
    unsigned part_growth = 1;  ///< parts are so many times larger where enough of them remain to be sent side by side
    uint64_t threshold = limits::multipart_threshold_default;  ///< a put up to this size is one request
    uint64_t copy_threshold = limits::put_object_max_bytes;    ///< a copy up to this size is one request
    unsigned parts_max = limits::parts_max;                    ///< that the store takes for one object
    unsigned parts_in_flight = limits::parts_in_flight;        ///< of one item; less when the run has no room
    uint64_t stream_memory = limits::stream_memory_bytes;      ///< parts of a stream held in memory; larger ones spool
    bool resume = true;
    bool abort_on_interrupt = false;  ///< a signal aborts what could be gone on with
};

/// Equal parts, the last one what is left; made before the first byte is sent. A store such as R2 wants them equal
/// (facts/idempotency.md section 3, UploadPart).
struct PartPlan {
    uint64_t object_size = 0;
    uint64_t part_size = 1;

    [[nodiscard]] unsigned count() const;  ///< at least 1
    [[nodiscard]] uint64_t offset(unsigned number) const { return uint64_t{number - 1} * part_size; }
    [[nodiscard]] uint64_t size(unsigned number) const;  ///< numbers begin with 1
};

/// `config` within what the store of this endpoint takes (policy/store_parts: Scaleway has 1000 parts, not 10,000).
[[nodiscard]] MultipartConfig for_store(MultipartConfig config, std::string_view endpoint_host);

/// Parts of `config.part_size`, or `part_growth` times as large when limits::parts_in_flight_first of these are full:
/// fewer requests are fewer to fail and to pay for. Grown (to whole MiB) until `parts_max` of them suffice.
/// `unsupported` when S3 or the store has no way to hold the object.
[[nodiscard]] Result<PartPlan> plan_parts(uint64_t object_size, const MultipartConfig& config);

/// Size of part `number` of a stream whose length nobody knows: doubled after each fortieth of the parts, up to S3's
/// largest. With 10,000 parts from 16 MiB on: 16 MiB parts for the first 3.9 GiB, 1 GiB parts from 250 GiB on, and room
/// for 39 TiB in all.
[[nodiscard]] uint64_t stream_part_size(unsigned number, const MultipartConfig& config);

}  // namespace s3tug::engine
