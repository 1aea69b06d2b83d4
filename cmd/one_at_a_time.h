#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "engine/item_source.h"

namespace s3tug::cmd {

/// Items in their order, the next when the one before has ended: they share standard output. A reader that went away
/// is the end of all of them.
class OneAtATime final : public engine::ItemSource {
  public:
    explicit OneAtATime(std::unique_ptr<engine::ItemSource> inner) : inner_(std::move(inner)) {}

    [[nodiscard]] std::optional<engine::Transfer> next() override {
        if (busy_ || stopped_) return std::nullopt;
        std::optional<engine::Transfer> item = inner_->next();
        busy_ = item.has_value();
        return item;
    }
    [[nodiscard]] bool ended() const override { return stopped_ || inner_->ended(); }
    [[nodiscard]] std::optional<engine::PlanningRequest> request() override {
        return stopped_ ? std::nullopt : inner_->request();
    }
    void on_result(engine::OperationResult result) override { inner_->on_result(std::move(result)); }
    void on_end(const engine::Transfer& item, const engine::Outcome& outcome) override {
        busy_ = false;
        inner_->on_end(item, outcome);
        if (!outcome.ok() && outcome.error->kind == ErrorKind::broken_pipe) stopped_ = true;
    }
    void stop() override {
        stopped_ = true;
        inner_->stop();
    }
    [[nodiscard]] std::optional<uint64_t> left() const override { return inner_->left(); }

  private:
    std::unique_ptr<engine::ItemSource> inner_;
    bool busy_ = false;
    bool stopped_ = false;
};

}  // namespace s3tug::cmd
