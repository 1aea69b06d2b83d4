#include "cmd/commands.h"

#include <array>

namespace s3tug::cmd {
namespace {

constexpr auto put_examples = std::to_array<Example>({
    {.what = "Upload a file into a folder", .line = "s3tug put report.csv s3://backups/2026/", .files = "report.csv"},
    {.what = "Upload what a program prints",
     .line = "gzip -c report.csv | s3tug put - s3://backups/report.csv.gz",
     .files = "report.csv"},
    {.what = "A cron job that may be started twice: the second run sends nothing",
     .line = "s3tug --idempotency-key nightly-2026-11-29 --deadline 10m put report.csv s3://backups/nightly.csv",
     .files = "report.csv"},
    {.what = "Write only when nothing stands there, and say so as JSON",
     .line = "s3tug --json put --no-overwrite report.csv s3://backups/first.csv",
     .files = "report.csv"},
});

constexpr auto get_examples = std::to_array<Example>({
    {.what = "Download to a file; the old file stays until the new one is complete and verified",
     .line = "s3tug get s3://backups/report.csv report.csv",
     .objects = "s3://backups/report.csv"},
    {.what = "Stream to a program",
     .line = "s3tug get s3://backups/report.csv - | wc -l",
     .objects = "s3://backups/report.csv"},
});

constexpr auto delete_examples = std::to_array<Example>({
    {.what = "Delete two objects; one that is not there is no error",
     .line = "s3tug delete s3://backups/old.csv s3://backups/older.csv",
     .objects = "s3://backups/old.csv"},
});

constexpr auto copy_examples = std::to_array<Example>({
    {.what = "Copy on the server",
     .line = "s3tug copy s3://backups/report.csv s3://archive/2026/",
     .objects = "s3://backups/report.csv"},
});

constexpr auto state_examples = std::to_array<Example>({
    {.what = "Look at the circuit breaker, then close it", .line = "s3tug state show"},
    {.what = "Close every circuit breaker", .line = "s3tug state reset breaker"},
});

constexpr auto table = std::to_array<Command>({
    {.id = CommandId::put,
     .name = "put",
     .alias = {},
     .operands = "SRC... s3://BUCKET/KEY",
     .brief = "Upload files or standard input",
     .text = "SRC is a file, a pipe or - for standard input. Without KEY, or when KEY ends in /, files go into that "
             "folder under their own names.",
     .examples = put_examples},
    {.id = CommandId::get,
     .name = "get",
     .alias = {},
     .operands = "s3://BUCKET/KEY... DST",
     .brief = "Download objects to files or standard output",
     .text = "DST is a file, a folder or - for standard output. The file appears under its name only when it is "
             "complete and verified; it gets the time of the object.",
     .examples = get_examples},
    {.id = CommandId::remove,
     .name = "delete",
     .alias = "rm",
     .operands = "s3://BUCKET/KEY...",
     .brief = "Delete objects",
     .text = "An object that is not there is success. An address without a key is refused.",
     .examples = delete_examples},
    {.id = CommandId::copy,
     .name = "copy",
     .alias = "cp",
     .operands = "s3://BUCKET/KEY... s3://BUCKET/KEY",
     .brief = "Copy objects on the server",
     .text = "Without KEY, or when KEY ends in /, objects go into that folder under their last name. The source is "
             "pinned by its ETag and its metadata is kept.",
     .examples = copy_examples},
    {.id = CommandId::state,
     .name = "state",
     .alias = {},
     .operands = "show|reset [breaker|idempotency|endpoint|bucket|upload|download|run|all]",
     .brief = "Show or forget what runs have learned",
     .text = "show prints the circuit breakers, kept idempotency keys and facts about stores that are in the state "
             "file, with --json one object for each. reset forgets the part that is named; losing it costs work, never "
             "correctness.",
     .examples = state_examples},
    {.id = CommandId::generate,
     .name = "generate",
     .alias = {},
     .operands = "man|examples",
     .brief = "Print the manual page, or its examples",
     .text = "For packagers and tests: the page that is installed as s3tug(1), or its examples, "
             "one per line: the command, the files and the objects that it needs, with tabs between the three.",
     .examples = {}},
    {.id = CommandId::help,
     .name = "help",
     .alias = {},
     .operands = "[COMMAND]",
     .brief = "Show help",
     .text = "The same as --help.",
     .examples = {}},
});

constexpr bool in_order() {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (static_cast<std::size_t>(table[i].id) != i) return false;
    }
    return true;
}
static_assert(in_order(), "rows stand in the order of CommandId, so that command() is an index");

}  // namespace

std::span<const Command> commands() { return table; }

const Command& command(CommandId id) { return table[static_cast<std::size_t>(id)]; }

const Command* find_command(std::string_view name_or_alias) {
    if (name_or_alias.empty()) return nullptr;
    for (const Command& c : table) {
        if (c.name == name_or_alias || c.alias == name_or_alias) return &c;
    }
    return nullptr;
}

std::vector<std::string_view> command_names() {
    std::vector<std::string_view> out;
    for (const Command& c : table) {
        out.push_back(c.name);
        if (!c.alias.empty()) out.push_back(c.alias);
    }
    return out;
}

}  // namespace s3tug::cmd
