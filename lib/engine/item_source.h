#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/operation.h"
#include "engine/transfer.h"

namespace s3tug::engine {

/// A request that planning needs answered before there are more items.
struct PlanningRequest {
    Transfer about;  ///< kind `list` and what is listed: names the request in traces, and chooses the breaker
    OperationSpec spec;
};

/// Where the items of a run come from, one at a time, so that memory does not grow with their number. The engine asks
/// only when it has room for another item.
class ItemSource {
  public:
    virtual ~ItemSource() = default;

    /// Told before each next(): items of the run are under way, which a wait for the next name would hold up. next()
    /// then gives nothing rather than wait, and is asked again when the loop comes round.
    virtual void under_way(bool /*any*/) {}
    /// The next item; nothing when there is none now: either `ended()`, or a request is under way.
    [[nodiscard]] virtual std::optional<Transfer> next() = 0;
    [[nodiscard]] virtual bool ended() const = 0;
    /// next() gave nothing because whoever writes the list of names has written no more of it yet.
    [[nodiscard]] virtual bool starved() const { return false; }

    /// The request that must be answered before there are more items (a page of a listing). The engine carries it like
    /// any other, with all four principles, and hands back its result. At most one at a time, beside the items that are
    /// under way: asked again only after on_result(), and not after stop(). A failure becomes an item that is refused
    /// (Transfer::refused), so that no listing that failed looks like a short one.
    [[nodiscard]] virtual std::optional<PlanningRequest> request() { return std::nullopt; }
    virtual void on_result(OperationResult) {}

    /// An item that came from here has ended. Called before more are asked for.
    virtual void on_end(const Transfer&, const Outcome&) {}

    /// The run ends early (signal, deadline, --fail-fast): nothing more will be asked for, and a request under way is
    /// ended (its result still comes). Called once. `ended()` is true after it; a source that does not end (ItemList)
    /// is asked on, and each of its items ends with the reason of the stop.
    virtual void stop() {}

    /// How many items the source has done by itself, without giving them to the engine: addresses that were listed.
    [[nodiscard]] virtual uint64_t done_itself() const { return 0; }

    /// How many items are still to come, where that is known.
    [[nodiscard]] virtual std::optional<uint64_t> left() const { return std::nullopt; }
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
    [[nodiscard]] std::optional<uint64_t> left() const override { return items_.size() - position_; }

  private:
    const std::vector<Transfer>& items_;
    std::size_t position_ = 0;
};

}  // namespace s3tug::engine
