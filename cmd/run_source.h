#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "cmd/command_line.h"
#include "cmd/line_reader.h"
#include "cmd/output.h"
#include "engine/item_source.h"
#include "port/clock.h"

namespace s3tug::cmd {

/// The items of a `run` file, line by line as there is room for more, and a result line for each line when the last of
/// its items has ended. Holds the lines that are under way and no others.
class RunSource final : public engine::ItemSource {
  public:
    struct Wish {
        bool json = false;
        std::optional<Instant> deadline = std::nullopt;  ///< for the writer of the lines
    };
    RunSource(LineReader lines, CommandLines commands, port::Clock& clock, Output& output, Wish wish)
        : lines_(std::move(lines)), commands_(std::move(commands)), clock_(clock), output_(output), wish_(wish) {}

    [[nodiscard]] std::optional<engine::Transfer> next() override;
    [[nodiscard]] bool ended() const override { return end_ && ready_.empty(); }
    void on_end(const engine::Transfer& item, const engine::Outcome& outcome) override;
    void stop() override;

  private:
    struct Line {
        std::string shown;
        std::size_t items = 0;
        std::size_t left = 0;
        std::size_t failed = 0;
        Error first{ErrorKind::bug, {}};
    };
    void read_line(const std::string& text);
    void refuse(Error error);
    void print(std::size_t number, const Line& line);

    LineReader lines_;
    CommandLines commands_;
    port::Clock& clock_;
    Output& output_;
    Wish wish_;
    std::deque<engine::Transfer> ready_;  ///< of one line
    std::map<std::size_t, Line> under_way_;
    bool end_ = false;
};

}  // namespace s3tug::cmd
