#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cmd/output.h"

namespace s3tug::cmd {

/// Keeps the lines instead of printing them.
class CapturedOutput final : public Output {
  public:
    void data(std::string_view line) override { data_lines.emplace_back(line); }
    void live(std::string_view line, std::size_t) override { live_lines.emplace_back(line); }
    void talk(std::string_view line) override { talk_lines.emplace_back(line); }
    [[nodiscard]] int data_error() const override { return 0; }

    std::vector<std::string> data_lines;
    std::vector<std::string> talk_lines;
    std::vector<std::string> live_lines;
};

}  // namespace s3tug::cmd
