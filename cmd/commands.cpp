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
    {.what = "Upload a folder without what git keeps in it; site/index.html becomes www/index.html",
     .line = "mkdir -p site && touch site/index.html && s3tug put -r --exclude '.git/*' site s3://backups/www/"},
    {.what = "Upload the files that another program names",
     .line = "find . -name '*.csv' -print0 | s3tug put --from0 --files-from - . s3://backups/csv/",
     .files = "report.csv"},
});

constexpr auto get_examples = std::to_array<Example>({
    {.what = "Download to a file; the old file stays until the new one is complete and verified",
     .line = "s3tug get s3://backups/report.csv report.csv",
     .objects = "s3://backups/report.csv"},
    {.what = "Stream to a program",
     .line = "s3tug get s3://backups/report.csv - | wc -l",
     .objects = "s3://backups/report.csv"},
    {.what = "Download all that is below a prefix",
     .line = "s3tug get -r s3://backups/2026 restored",
     .objects = "s3://backups/2026/report.csv"},
});

constexpr auto delete_examples = std::to_array<Example>({
    {.what = "Delete two objects; one that is not there is no error",
     .line = "s3tug delete s3://backups/old.csv s3://backups/older.csv",
     .objects = "s3://backups/old.csv"},
    {.what = "See what a pattern means before it is deleted",
     .line = "s3tug delete --dry-run 's3://backups/log-2025-*.gz'",
     .objects = "s3://backups/log-2025-01.gz"},
    {.what = "Delete a folder, but for one kind of files",
     .line = "s3tug delete -r --exclude '*.sum' s3://backups/2025",
     .objects = "s3://backups/2025/a.csv s3://backups/2025/a.sum"},
});

constexpr auto copy_examples = std::to_array<Example>({
    {.what = "Copy on the server",
     .line = "s3tug copy s3://backups/report.csv s3://archive/2026/",
     .objects = "s3://backups/report.csv"},
    {.what = "Copy a folder to another bucket",
     .line = "s3tug copy -r s3://backups/2026 s3://archive/2026",
     .objects = "s3://backups/2026/report.csv"},
});

constexpr auto move_examples = std::to_array<Example>({
    {.what = "Upload a log, and remove it here once it stands there",
     .line = "s3tug move app.log s3://backups/logs/",
     .files = "app.log"},
    {.what = "Rename an object",
     .line = "s3tug mv s3://backups/a.csv s3://backups/b.csv",
     .objects = "s3://backups/a.csv"},
});

constexpr auto cat_examples = std::to_array<Example>({
    {.what = "Several objects, one after the other",
     .line = "s3tug cat s3://backups/head.csv s3://backups/rest.csv > all.csv",
     .objects = "s3://backups/head.csv s3://backups/rest.csv"},
});

constexpr auto pipe_examples = std::to_array<Example>({
    {.what = "Upload what a program prints", .line = "echo done | s3tug pipe s3://backups/status.txt"},
});

constexpr auto list_examples = std::to_array<Example>({
    {.what = "What is in a folder, and how much of it",
     .line = "s3tug list --summarize s3://backups/2026/",
     .objects = "s3://backups/2026/a.csv"},
    {.what = "The keys below a prefix, for a program",
     .line = "s3tug ls --json 's3://backups/2026*.csv' | grep -c key",
     .objects = "s3://backups/2026/a.csv"},
    {.what = "The buckets", .line = "s3tug ls"},
});

constexpr auto stat_examples = std::to_array<Example>({
    {.what = "What the store knows of an object",
     .line = "s3tug stat s3://backups/report.csv",
     .objects = "s3://backups/report.csv"},
});

constexpr auto run_examples = std::to_array<Example>({
    {.what = "Many commands in one process",
     .line = "printf '%s\\n' 'put a.csv s3://backups/' 'delete s3://backups/old.csv' | s3tug run -",
     .files = "a.csv"},
});

constexpr auto uploads_examples = std::to_array<Example>({
    {.what = "What interrupted uploads have left", .line = "s3tug uploads list s3://backups"},
    {.what = "Remove what is older than a week", .line = "s3tug uploads abort --older-than 168h s3://backups"},
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
     .text = "SRC is a file, a pipe or - for standard input, or a folder with --recursive. Without KEY, or when KEY "
             "ends in /, files go into that "
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
     .text = "An object that is not there is success. An address without a key is refused; s3://BUCKET/* is all of it.",
     .examples = delete_examples},
    {.id = CommandId::copy,
     .name = "copy",
     .alias = "cp",
     .operands = "s3://BUCKET/KEY... s3://BUCKET/KEY",
     .brief = "Copy objects on the server",
     .text = "Without KEY, or when KEY ends in /, objects go into that folder under their last name. The source is "
             "pinned by its ETag and its metadata is kept.",
     .examples = copy_examples},
    {.id = CommandId::move,
     .name = "move",
     .alias = "mv",
     .operands = "SRC... DST",
     .brief = "Upload, download or copy, then delete the source",
     .text =
         "One of SRC and DST, or both, are s3:// addresses; which of them says whether it is a put, a get or a copy. "
         "The source is removed only when the transfer is verified, and only if it is still what was read: the delete "
         "carries If-Match; where the store is not known to honour that, the object is looked at before, and what is "
         "written between that look and the last try of the delete is at risk. When the removal fails, the line says "
         "that the source remains, and a rerun does it all again. Moving an object onto itself is refused, and so is "
         "what would replace another source of the same command. Links inside a folder stay where they are and are not "
         "followed.",
     .examples = move_examples},
    {.id = CommandId::cat,
     .name = "cat",
     .alias = {},
     .operands = "s3://BUCKET/KEY...",
     .brief = "Write objects to standard output, one after the other",
     .text = "As get with - for one object. Wildcards in KEY mean all that match, in the order of a listing. An object "
             "that "
             "fails does not stop the ones after it; the exit code tells.",
     .examples = cat_examples},
    {.id = CommandId::pipe,
     .name = "pipe",
     .alias = {},
     .operands = "s3://BUCKET/KEY",
     .brief = "Upload standard input",
     .text = "As put with -.",
     .examples = pipe_examples},
    {.id = CommandId::list,
     .name = "list",
     .alias = "ls",
     .operands = "[s3://BUCKET[/PREFIX]...]",
     .brief = "List buckets, folders and objects",
     .text =
         "One line for each: time of the last change (UTC), bytes, name; folders as PRE NAME/. Without an address the "
         "buckets are listed. A PREFIX that ends in / is a folder, whose content is listed; another one is an object "
         "of that name and a folder of that name, never what only begins so: that is PREFIX*, with * for any "
         "characters. --recursive lists all below, with whole keys. Names are printed as they are, but on a terminal "
         "what could drive it is shown as \\xNN. A name or pattern that matches nothing is not found (66); an empty "
         "bucket is no error. With --json one object for each line, and one that sums "
         "up (see JSON).",
     .examples = list_examples},
    {.id = CommandId::stat,
     .name = "stat",
     .alias = "head",
     .operands = "s3://BUCKET/KEY...",
     .brief = "Show what a store knows of objects",
     .text =
         "Size, time, ETag, type, storage class, version, checksums and metadata, one line for each; with --json one "
         "object for each item.",
     .examples = stat_examples},
    {.id = CommandId::run,
     .name = "run",
     .alias = {},
     .operands = "FILE|-",
     .brief = "Run commands from a file, one on each line",
     .text =
         "Lines are put, get, delete, copy and move commands without the program's name, in the words of a shell: "
         "quotes and backslashes, but nothing is expanded; # begins a comment. They run side by side in no certain "
         "order, and share connections, retry budget and breaker. Options of one item stand on its line, those of the "
         "whole run (endpoint, retries, ...) after run. For each line one result stands on standard output: ok or "
         "failed, the number of the line, the line as it was given but for secrets; with --json more (see JSON). A "
         "line that cannot be run is a failed "
         "one, and does not stop the others.",
     .examples = run_examples},
    {.id = CommandId::uploads,
     .name = "uploads",
     .alias = {},
     .operands = "list|abort|resume [s3://BUCKET[/PREFIX]] [UPLOAD-ID]",
     .brief = "List, abort or go on with multipart uploads that were left",
     .text =
         "list shows what the store has of keys that begin with PREFIX or match its wildcards, and what the state file "
         "knows of it: from which file, how much, and whether a process is at work on it; without an address what the "
         "state file knows. abort and resume mean the very key, all below PREFIX/, or what matches. abort removes "
         "uploads with their parts and makes sure of it; those of a process at work are refused without --force. "
         "resume "
         "goes on with those of the state file whose source is still the same; give the options of their put again.",
     .examples = uploads_examples},
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
