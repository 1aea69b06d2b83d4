#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "engine/item_source.h"

namespace s3tug::cmd {

/// Items in their order, the next when the one before has ended: they share standard output. A reader that went away
/// is the end of all of them.
class OneAtATime final : public engine::ItemSource {
  public:
    explicit OneAtATime(std::vector<engine::Transfer> items) : items_(std::move(items)) {}

    [[nodiscard]] std::optional<engine::Transfer> next() override {
        if (busy_ || ended()) return std::nullopt;
        busy_ = true;
        return items_[position_++];
    }
    [[nodiscard]] bool ended() const override { return stopped_ || position_ == items_.size(); }
    void on_end(const engine::Transfer&, const engine::Outcome& outcome) override {
        busy_ = false;
        if (!outcome.ok() && outcome.error->kind == ErrorKind::broken_pipe) stopped_ = true;
    }
    void stop() override { stopped_ = true; }
    [[nodiscard]] std::optional<uint64_t> left() const override { return items_.size() - position_; }

  private:
    std::vector<engine::Transfer> items_;
    std::size_t position_ = 0;
    bool busy_ = false;
    bool stopped_ = false;
};

}  // namespace s3tug::cmd
