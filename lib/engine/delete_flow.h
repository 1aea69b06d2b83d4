#pragma once

#include <memory>

#include "engine/flow.h"

namespace s3tug::engine {

/// One DeleteObject. It holds all it needs by itself.
struct DeleteSpec {
    wire::S3Uri target;
    std::string version_id;
    std::string if_match;
    std::vector<wire::Header> extra;
    bool look_first = false;  ///< an earlier attempt may have been applied
};
[[nodiscard]] OperationSpec delete_operation(DeleteSpec spec);

/// A key that is not there is a success; a bucket that is not there is not.
[[nodiscard]] Outcome deleted_outcome(const OperationResult& result, bool conditional);

/// Transfer::batch, by DeleteObjects.
[[nodiscard]] std::unique_ptr<Flow> make_batch_delete(const Transfer& transfer);

}  // namespace s3tug::engine
