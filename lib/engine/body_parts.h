#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/bodies.h"
#include "engine/part_plan.h"
#include "engine/part_supply.h"
#include "engine/transfer.h"

namespace s3tug::engine {

/// What is common to parts that we send ourselves.
struct PartStyle {
    wire::S3Uri target;
    std::vector<wire::Header> extra;
    std::optional<ChecksumAlgorithm> checksum;
    bool sign_payload = false;  ///< SHA-256 of each part in the signature
    bool whole_known = false;   ///< what the whole must be was said or recorded before: parts cannot become others
};
[[nodiscard]] wire::Request part_request(const PartStyle& style, const Part& part, const std::string& upload_id,
                                         bool with_checksum);
/// One pass over the part for what its request needs.
[[nodiscard]] Status digest_part(Part& part, const PartStyle& style);

/// Parts of a body that can be read by offset (a file, or a stream that was spooled whole): windows, hashed just before
/// they are sent, nothing held in memory.
[[nodiscard]] std::unique_ptr<PartSupply> body_parts(std::shared_ptr<UploadBody> body, PartPlan plan, PartStyle style);

}  // namespace s3tug::engine
