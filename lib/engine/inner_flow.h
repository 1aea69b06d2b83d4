#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/flow.h"

namespace s3tug::engine {

/// A flow that does something before another one, which then does the work.
class InnerFlow : public Flow {
  public:
    void begin(Desk& desk, const std::string& write_token, bool resumed) override {
        inner_->begin(desk, write_token, resumed);
    }
    void on_result(Desk& desk, unsigned tag, OperationResult result) override {
        inner_->on_result(desk, tag, std::move(result));
    }
    void more(Desk& desk) override { inner_->more(desk); }
    [[nodiscard]] Turn turn() const override { return inner_->turn(); }
    [[nodiscard]] bool tidying() const override { return inner_->tidying(); }
    [[nodiscard]] std::optional<uint64_t> size() const override { return inner_ ? inner_->size() : std::nullopt; }
    void stop(Desk& desk, Outcome outcome) override { inner_->stop(desk, std::move(outcome)); }

  protected:
    std::unique_ptr<Flow> inner_;  ///< there once prepare() was successful
};

}  // namespace s3tug::engine
