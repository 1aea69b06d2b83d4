#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace s3tug::cmd {

enum class CommandId : uint8_t {
    put,
    get,
    remove,
    copy,
    move,
    cat,
    pipe,
    list,
    stat,
    run,
    uploads,
    state,
    generate,
    help
};

/// Sets of commands, for the column "applies to" of the flag table.
using CommandSet = uint32_t;
[[nodiscard]] constexpr CommandSet set_of(CommandId id) { return CommandSet{1} << static_cast<unsigned>(id); }
template <class... Ids>
[[nodiscard]] constexpr CommandSet set_of(CommandId first, Ids... others) {
    return set_of(first) | set_of(others...);
}
inline constexpr CommandSet changes =
    set_of(CommandId::put, CommandId::pipe, CommandId::move, CommandId::copy, CommandId::remove);
/// `uploads resume` goes on with a put, and needs its options to know it again.
inline constexpr CommandSet uploading = set_of(CommandId::put, CommandId::pipe, CommandId::move, CommandId::uploads);
inline constexpr CommandSet writes = uploading | set_of(CommandId::copy);
inline constexpr CommandSet downloading = set_of(CommandId::get, CommandId::cat, CommandId::move);
inline constexpr CommandSet carries = uploading | downloading;
/// Those that read or remove objects which are named on the command line.
inline constexpr CommandSet reads =
    set_of(CommandId::get, CommandId::cat, CommandId::remove, CommandId::copy, CommandId::stat);
inline constexpr CommandSet takes_trees =
    set_of(CommandId::put, CommandId::get, CommandId::remove, CommandId::copy, CommandId::move);
inline constexpr CommandSet transfers = changes | carries;
inline constexpr CommandSet sends = transfers | set_of(CommandId::list, CommandId::stat, CommandId::run);
inline constexpr CommandSet stateful = sends | set_of(CommandId::state);
inline constexpr CommandSet everywhere = ~CommandSet{0};

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
