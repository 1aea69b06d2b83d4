#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "engine/item_source.h"
#include "port/files.h"

namespace s3tug::cmd {

/// The items of a put, get or copy as moves: their sources are removed when they are done. One whose removal could not
/// be right is refused.
class MovingSource final : public engine::ItemSource {
  public:
    /// @param files  outlives this
    MovingSource(std::unique_ptr<engine::ItemSource> inner, port::Files& files)
        : inner_(std::move(inner)), files_(files) {}

    [[nodiscard]] std::optional<engine::Transfer> next() override;
    [[nodiscard]] bool ended() const override { return inner_->ended(); }
    [[nodiscard]] bool starved() const override { return inner_->starved(); }
    [[nodiscard]] std::optional<engine::PlanningRequest> request() override { return inner_->request(); }
    void on_result(engine::OperationResult result) override { inner_->on_result(std::move(result)); }
    void on_end(const engine::Transfer& item, const engine::Outcome& outcome) override {
        inner_->on_end(item, outcome);
    }
    void under_way(bool any) override { inner_->under_way(any); }
    void stop() override { inner_->stop(); }
    [[nodiscard]] std::optional<uint64_t> left() const override { return inner_->left(); }

  private:
    std::unique_ptr<engine::ItemSource> inner_;
    port::Files& files_;
};

}  // namespace s3tug::cmd
