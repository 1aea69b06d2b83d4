#pragma once

#include <memory>
#include <vector>

#include "engine/item_source.h"

namespace s3tug::engine {

/// The items of one source after those of another.
class ChainedItems final : public ItemSource {
  public:
    explicit ChainedItems(std::vector<std::unique_ptr<ItemSource>> sources) : sources_(std::move(sources)) {}

    [[nodiscard]] std::optional<Transfer> next() override;
    [[nodiscard]] bool ended() const override;
    [[nodiscard]] bool starved() const override { return current_ < sources_.size() && sources_[current_]->starved(); }
    [[nodiscard]] std::optional<PlanningRequest> request() override;
    void on_result(OperationResult result) override;
    void under_way(bool any) override {
        for (const auto& source : sources_) source->under_way(any);
    }
    void stop() override;

  private:
    std::vector<std::unique_ptr<ItemSource>> sources_;
    std::size_t current_ = 0;
};

/// Items that are known from the start, and kept here.
class KnownItems final : public ItemSource {
  public:
    explicit KnownItems(std::vector<Transfer> items) : items_(std::move(items)) {}
    [[nodiscard]] std::optional<Transfer> next() override {
        if (ended()) return std::nullopt;
        return std::move(items_[position_++]);
    }
    [[nodiscard]] bool ended() const override { return position_ == items_.size(); }
    [[nodiscard]] std::optional<uint64_t> left() const override { return items_.size() - position_; }

  private:
    std::vector<Transfer> items_;
    std::size_t position_ = 0;
};

}  // namespace s3tug::engine
