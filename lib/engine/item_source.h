#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/operation.h"
#include "engine/transfer.h"

namespace s3tug::engine {

/// Where the items of a run come from, one at a time, so that memory does not grow with their number. The engine asks
/// only when it has room for another item.
class ItemSource {
  public:
    virtual ~ItemSource() = default;

    /// The next item; nothing when there is none now: either `ended()`, or a request is under way.
    [[nodiscard]] virtual std::optional<Transfer> next() = 0;
    [[nodiscard]] virtual bool ended() const = 0;

    /// The request that must be answered before there are more items (a page of a listing). The engine carries it like
    /// any other, with all four principles, and hands back its result. At most one at a time.
    [[nodiscard]] virtual std::optional<OperationSpec> request() { return std::nullopt; }
    virtual void on_result(OperationResult) {}
};

/// Items that are known from the start.
class ItemList final : public ItemSource {
  public:
    explicit ItemList(const std::vector<Transfer>& items) : items_(items) {}
    [[nodiscard]] std::optional<Transfer> next() override {
        if (ended()) return std::nullopt;
        return items_[position_++];
    }
    [[nodiscard]] bool ended() const override { return position_ == items_.size(); }

  private:
    const std::vector<Transfer>& items_;
    std::size_t position_ = 0;
};

}  // namespace s3tug::engine
