#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cmd/commands.h"
#include "cmd/flags.h"

namespace s3tug::cmd {

/// One option as it was typed.
struct Given {
    FlagId id;
    std::string text;  ///< "true" or "false" for toggles; the number for counts
};

/// What was typed, and nothing of what it means: no environment, no files (those come in settings.h).
struct Invocation {
    enum class Mode : uint8_t { run, help, version } mode = Mode::run;
    const Command* command = nullptr;  ///< null only for help and version
    std::vector<std::string> operands;
    std::vector<Given> given;

    [[nodiscard]] std::optional<std::string_view> find(FlagId id) const;  ///< the last one counts
    [[nodiscard]] std::vector<std::string> all(FlagId id) const;
    [[nodiscard]] bool is_on(FlagId id) const;  ///< a toggle of this run
};

/// Reads the arguments after the program's name. Options stand before or after the command, as --name VALUE,
/// --name=VALUE or -x; -- ends them. --help and --version win over any mistake beside them. Errors (`usage`) name what
/// was typed and the nearest right name, or the commands that an option belongs to.
[[nodiscard]] Result<Invocation> parse_command_line(std::span<const std::string> args);

}  // namespace s3tug::cmd
