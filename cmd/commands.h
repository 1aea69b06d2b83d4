#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace s3tug::cmd {

enum class CommandId : uint8_t { put, get, remove, copy, state, generate, help };

/// Sets of commands, for the column "applies to" of the flag table.
using CommandSet = uint8_t;
[[nodiscard]] constexpr CommandSet set_of(CommandId id) {
    return static_cast<CommandSet>(1U << static_cast<unsigned>(id));
}
inline constexpr CommandSet put_only = set_of(CommandId::put);
inline constexpr CommandSet writes = static_cast<CommandSet>(set_of(CommandId::put) | set_of(CommandId::copy));
inline constexpr CommandSet changes = static_cast<CommandSet>(writes | set_of(CommandId::remove));
inline constexpr CommandSet carries = static_cast<CommandSet>(set_of(CommandId::put) | set_of(CommandId::get));
inline constexpr CommandSet reads =
    static_cast<CommandSet>(set_of(CommandId::get) | set_of(CommandId::remove) | set_of(CommandId::copy));
inline constexpr CommandSet transfers = static_cast<CommandSet>(changes | set_of(CommandId::get));
inline constexpr CommandSet stateful = static_cast<CommandSet>(transfers | set_of(CommandId::state));
inline constexpr CommandSet everywhere = 0xFF;

/// A command line of the man page. A test runs it against the lab server; `files` are created for it first.
struct Example {
    std::string_view what;
    std::string_view line;
    std::string_view files = {};    ///< blank-separated names
    std::string_view objects = {};  ///< blank-separated s3:// addresses that must stand there
};

struct Command {
    CommandId id;
    std::string_view name;
    std::string_view alias;
    std::string_view operands;  ///< as in the synopsis
    std::string_view brief;     ///< one line of --help
    std::string_view text;      ///< paragraph of the man page
    std::span<const Example> examples;
};

/// All commands in the order of the man page. Parser, help, man page and error messages are renderings of it.
[[nodiscard]] std::span<const Command> commands();
[[nodiscard]] const Command* find_command(std::string_view name_or_alias);
[[nodiscard]] const Command& command(CommandId id);

/// Every name and alias, for "did you mean".
[[nodiscard]] std::vector<std::string_view> command_names();

}  // namespace s3tug::cmd
