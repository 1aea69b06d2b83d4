#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lab/faults.h"
#include "lab/wire.h"

namespace s3tug::lab {

/// Lets the delays, drips and endings of one request happen where they were told to.
class Obstacles {
  public:
    /// @param on_end  hears how the connection is going to end, just before it does
    Obstacles(Wire& wire, const Faults& faults, Milliseconds hang_limit, std::function<void(std::string)> on_end)
        : wire_(wire), faults_(faults), hang_limit_(hang_limit), on_end_(std::move(on_end)) {}

    /// False: the connection is over.
    [[nodiscard]] bool pass(Stage stage);

    /// For stages in the middle of bytes: how many more may move now, after `moved` of `total`. Empty: the connection
    /// is over.
    [[nodiscard]] std::optional<uint64_t> gate(Stage stage, uint64_t moved, uint64_t total);

  private:
    void end(const Break& ending);
    [[nodiscard]] bool wait(Milliseconds time);

    Wire& wire_;
    const Faults& faults_;
    Milliseconds hang_limit_;
    std::function<void(std::string)> on_end_;
    bool delayed_ = false;
};

[[nodiscard]] std::string_view to_string(Stage stage);

}  // namespace s3tug::lab
