#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cmd/command_line.h"
#include "cmd/line_reader.h"
#include "cmd/output.h"
#include "engine/item_source.h"

namespace s3tug::cmd {

/// The items of a `run` file, line by line as there is room for more, and a result line for each line when the last of
/// its items has ended. Holds the lines that are under way and no others.
class RunSource final : public engine::ItemSource {
  public:
    struct Wish {
        bool json = false;
        std::optional<Instant> deadline = std::nullopt;  ///< for the writer of the lines
    };
    RunSource(LineReader lines, CommandLines commands, Output& output, Wish wish)
        : lines_(std::move(lines)), commands_(std::move(commands)), output_(output), wish_(wish) {}

    /// Who hears of each line of which something failed, when the first of it did: the line as it was read.
    void on_failed_line(std::function<void(std::string_view text)> tell) { tell_failed_ = std::move(tell); }

    [[nodiscard]] std::optional<engine::Transfer> next() override;
    [[nodiscard]] bool ended() const override { return end_ && !refused_ && !items_; }
    [[nodiscard]] std::optional<engine::PlanningRequest> request() override;
    void on_result(engine::OperationResult result) override;
    void on_end(const engine::Transfer& item, const engine::Outcome& outcome) override;
    void stop() override;

  private:
    struct Line {
        std::string text;
        std::string shown;
        std::size_t items = 0;
        std::size_t left = 0;
        bool all_begun = false;
        std::size_t failed = 0;
        Error first{ErrorKind::bug, {}};
    };
    void read_line(const std::string& text);
    void refuse(Error error, std::string command = {});
    void read_next();
    [[nodiscard]] std::optional<engine::Transfer> from_line();
    void settle(std::size_t number);
    void print(std::size_t number, const Line& line);

    std::function<void(std::string_view)> tell_failed_;
    LineReader lines_;
    CommandLines commands_;
    Output& output_;
    Wish wish_;
    std::unique_ptr<engine::ItemSource> items_;  ///< of the line that was read last
    std::optional<engine::Transfer> refused_;    ///< that line itself
    std::map<std::size_t, Line> under_way_;
    bool waiting_ = false;  ///< for the writer
    bool end_ = false;
};

}  // namespace s3tug::cmd
