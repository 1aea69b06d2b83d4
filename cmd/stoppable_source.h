#pragma once

#include <cstdint>
#include <optional>

#include "engine/item_source.h"

namespace s3tug::cmd {

/// The items of another source until somebody says stop: then it has ended, whatever the other one still had, and
/// what is under way finishes.
class StoppableSource final : public engine::ItemSource {
  public:
    /// @param inner  outlives this
    explicit StoppableSource(engine::ItemSource& inner) : inner_(inner) {}

    [[nodiscard]] std::optional<engine::Transfer> next() override;
    [[nodiscard]] bool ended() const override { return stopped_ || inner_.ended(); }
    [[nodiscard]] std::optional<engine::PlanningRequest> request() override;
    void on_result(engine::OperationResult result) override;
    void on_end(const engine::Transfer& item, const engine::Outcome& outcome) override { inner_.on_end(item, outcome); }
    void under_way(bool any) override { inner_.under_way(any); }
    void stop() override;
    [[nodiscard]] uint64_t done_itself() const override { return inner_.done_itself(); }
    [[nodiscard]] std::optional<uint64_t> left() const override;

    /// It was stopped while there was more. `left()` then says how much, where that is known.
    [[nodiscard]] bool cut_short() const { return cut_short_; }

    struct FailedListing {
        engine::Transfer item;
        engine::Outcome outcome;
    };
    /// A listing that the stop ended, or that failed so shortly before that it was not given as an item; else null.
    [[nodiscard]] const FailedListing* cut_listing() const;

  private:
    engine::ItemSource& inner_;
    bool stopped_ = false;
    bool cut_short_ = false;
    std::optional<uint64_t> left_;
    engine::Transfer asked_;  ///< what the request under way is about
    std::optional<FailedListing> failed_listing_;
};

}  // namespace s3tug::cmd
