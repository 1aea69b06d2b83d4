#pragma once

#include <memory>

#include "base/result.h"
#include "engine/item_source.h"
#include "wire/list_answers.h"
#include "wire/list_requests.h"

namespace s3tug::engine {

/// A listing of objects, one page after the other: request(), the engine's result to take(), until ended(). Holds no
/// page. A page that is wrong or cut is asked for again like any other read, and fails in the end: it is never taken
/// for a short one.
class ObjectListing {
  public:
    /// What is listed, and from where: bucket, prefix, delimiter, start_after, position, keys of one page.
    explicit ObjectListing(wire::ListObjectsInput scope) : scope_(std::move(scope)) {}

    /// The next page, for ItemSource::request(); not after the end. It holds all it needs by itself.
    [[nodiscard]] PlanningRequest request();

    /// The page of the request that was made last. An error is that of the request (of any kind), named by nothing; the
    /// listing has ended then.
    [[nodiscard]] Result<wire::ListObjectsPage> take(OperationResult result);

    [[nodiscard]] bool ended() const { return ended_; }
    [[nodiscard]] const wire::ListObjectsInput& scope() const { return scope_; }

  private:
    wire::ListObjectsInput scope_;
    std::shared_ptr<wire::ListObjectsPage> page_;  ///< parsed when the answer was judged, so that it is done once
    bool ended_ = false;
};

/// The item that a listing counts as when it fails: kind `list` of s3://bucket/prefix.
[[nodiscard]] Transfer listing_of(const wire::ListObjectsInput& scope);

}  // namespace s3tug::engine
