#pragma once

#include <memory>
#include <optional>

#include "engine/flow.h"
#include "engine/item_source.h"

namespace s3tug::engine {

/// A planning request on its way: an item with one operation, so that the breaker, retries, the deadline and signals
/// treat it as they treat any other.
class PlanningFlow final : public Flow {
  public:
    explicit PlanningFlow(OperationSpec spec) : spec_(std::move(spec)) {}

    void begin(Desk& desk, const std::string& write_token, bool resumed) override;
    void on_result(Desk& desk, unsigned tag, OperationResult result) override;

    /// Once the item has ended, which its operation did before.
    [[nodiscard]] OperationResult take_result();

  private:
    OperationSpec spec_;
    std::optional<OperationResult> result_;
};

/// What names the request, without anything that belongs to items only: a dry run is planned too.
[[nodiscard]] Transfer about_planning(Transfer about);

}  // namespace s3tug::engine
