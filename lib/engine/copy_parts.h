#pragma once

#include <memory>
#include <string>

#include "engine/multipart_flow.h"
#include "engine/part_plan.h"
#include "wire/object_headers.h"

namespace s3tug::engine {

/// The object whose bytes the store copies by itself, as it was when it was looked at.
struct CopySource {
    wire::S3Uri uri;
    std::string version_id;
    std::string etag;  ///< pins every part, else parts of two versions could be stitched together
    std::vector<wire::Header> extra;
};

[[nodiscard]] std::unique_ptr<PartSupply> copy_parts(wire::S3Uri target, CopySource source, PartPlan plan);

/// What the copy is to carry where Create has to be told, since only CopyObject takes it over by itself: the headers
/// that describe the source's content and its metadata. The storage class is the user's, as with CopyObject.
/// @param head  answer to HEAD of the source
[[nodiscard]] wire::ObjectProperties properties_of_source(const wire::HttpAnswer& head,
                                                          const wire::ObjectProperties& wished);

}  // namespace s3tug::engine
