#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cmd/cli.h"
#include "cmd/settings.h"
#include "engine/transfer.h"
#include "port/files.h"

namespace s3tug::cmd {

/// One line of a `run` file.
struct CommandLine {
    std::string shown;                    ///< command and operands, printable; options can be secrets
    std::vector<engine::Transfer> items;  ///< none: a comment or an empty line
};

/// Reads lines of `run` files: words as in a shell (host/shell_words.h), `#` at the start of a word begins a comment.
class CommandLines {
  public:
    /// Settings of one line, with all layers below the command line.
    using Load = std::function<Result<Settings>(const Invocation&)>;

    /// @param run  the command line of `run` itself: its options hold for every line, a line's own come after them
    CommandLines(const Invocation& run, Load load, port::Files& files)
        : run_(run), load_(std::move(load)), files_(files) {}

    /// `shown` is set also for a line that is refused. Errors (`usage`, `config`) say what cannot stand in such a file:
    /// other commands, options of the whole run, standard input and output, wrong operands.
    [[nodiscard]] Status read(std::string_view text, CommandLine& line);

  private:
    [[nodiscard]] Result<std::vector<engine::Transfer>> plan(Invocation call);
    [[nodiscard]] Result<const Settings*> settings_of(const Invocation& call, Settings& own);

    const Invocation& run_;
    Load load_;
    port::Files& files_;
    std::vector<std::pair<CommandId, Settings>> plain_;  ///< of lines without options, which most are
};

/// `text` up to a comment.
[[nodiscard]] std::string_view without_comment(std::string_view text);

}  // namespace s3tug::cmd
