#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cmd/cli.h"
#include "cmd/plan_trees.h"
#include "cmd/settings.h"
#include "port/files.h"

namespace s3tug::cmd {

/// One line of a `run` file.
struct CommandLine {
    std::string shown;    ///< as it was given, printable, but for what could be a secret
    std::string command;  ///< the name of its command, or its first word, printable; empty: that is none
    Plan plan;            ///< without items: a comment or an empty line
};

/// Reads lines of `run` files: words as in a shell (host/shell_words.h), `#` at the start of a word begins a comment.
class CommandLines {
  public:
    /// Settings of one line, with all layers below the command line.
    using Load = std::function<Result<Settings>(const Invocation&)>;

    /// @param run  the command line of `run` itself: its options hold for every line, a line's own come after them
    /// @param until  bound on waiting for names of a list that is a stream
    CommandLines(const Invocation& run, Load load, port::Files& files, std::optional<Instant> until)
        : run_(run), load_(std::move(load)), files_(files), until_(until) {}

    /// `shown` and `command` are set also for a line that is refused. Errors (`usage`, `config`) say what cannot stand
    /// in such a file: other commands, options of the whole run, standard input, wrong operands.
    [[nodiscard]] Status read(std::string_view text, CommandLine& line);

  private:
    [[nodiscard]] Result<Plan> plan_line(Invocation call);
    [[nodiscard]] Result<std::shared_ptr<const Settings>> settings_of(const Invocation& call);

    const Invocation& run_;
    Load load_;
    port::Files& files_;
    std::optional<Instant> until_;
    std::map<CommandId, std::shared_ptr<const Settings>> plain_;  ///< of lines without options, which most are
    std::shared_ptr<const Settings> in_use_;                      ///< of the line that was read last
};

/// `text` up to a comment.
[[nodiscard]] std::string_view without_comment(std::string_view text);

}  // namespace s3tug::cmd
