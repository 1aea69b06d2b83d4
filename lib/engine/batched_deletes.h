#pragma once

#include <memory>
#include <optional>

#include "engine/item_source.h"

namespace s3tug::engine {

/// Puts the deletes of a source together, as many as one DeleteObjects takes (Transfer::batch). Alone go those that
/// cannot share a request: under a condition or an idempotency key, and keys that XML cannot carry; and refused items
/// and those of a dry run, for which nothing is sent. While nothing is under way what there is goes at once, rather
/// than wait for a slow writer of names: the next batch gathers meanwhile.
class BatchedDeletes final : public ItemSource {
  public:
    explicit BatchedDeletes(std::unique_ptr<ItemSource> source) : source_(std::move(source)) {}

    [[nodiscard]] std::optional<Transfer> next() override;
    [[nodiscard]] bool ended() const override { return !batch_ && source_->ended(); }
    [[nodiscard]] std::optional<PlanningRequest> request() override { return source_->request(); }
    void on_result(OperationResult result) override { source_->on_result(std::move(result)); }
    void under_way(bool any) override { under_way_ = any; }
    void stop() override;

  private:
    void add(Transfer item);
    [[nodiscard]] bool full() const;
    [[nodiscard]] std::optional<Transfer> take();

    std::unique_ptr<ItemSource> source_;
    std::optional<Transfer> batch_;
    std::size_t key_bytes_ = 0;
    bool under_way_ = false;
};

}  // namespace s3tug::engine
