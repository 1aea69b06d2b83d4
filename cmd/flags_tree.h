#pragma once

#include <array>

#include "cmd/flags.h"

/// Rows of the flag table: which files and objects. Included by flags.cpp only.
namespace s3tug::cmd::rows {

inline constexpr auto tree = std::to_array<Flag>({
    {.id = FlagId::recursive,
     .name = "recursive",
     .letter = 'r',
     .type = ValueType::toggle,
     .use = Use::this_time,
     .group = Group::run,
     .commands = takes_trees | set_of(CommandId::list),
     .brief = "Folders too, with all that is below them",
     .text = "Of a folder what is in it goes to the target, not the folder itself: put -r site s3://b/www/ makes "
             "www/index.html of site/index.html. s3://b/log means the key log and all keys below log/, never those "
             "below logs-old/. See TREES.",
     .example = "--recursive"},
    {.id = FlagId::include,
     .name = "include",
     .type = ValueType::list,
     .value = "GLOB",
     .use = Use::this_time,
     .group = Group::run,
     .commands = takes_trees,
     .brief = "Take these names of a tree, pattern or list after all",
     .text = "Of the --include and --exclude that hold for a name the last one counts; at first all is taken. They are "
             "held against the whole name below the folder or prefix: * and ? stand for / too, [a-z] and [!a-z] for "
             "one character.",
     .example = "--include '*.html'"},
    {.id = FlagId::exclude,
     .name = "exclude",
     .type = ValueType::list,
     .value = "GLOB",
     .use = Use::this_time,
     .group = Group::run,
     .commands = takes_trees,
     .brief = "Leave these names of a tree, pattern or list out",
     .example = "--exclude '.git/*'"},
    {.id = FlagId::files_from,
     .name = "files-from",
     .value = "FILE",
     .use = Use::this_time,
     .group = Group::run,
     .commands = takes_trees,
     .brief = "Take the names in FILE, one a line; - is standard input",
     .text = "Names are below the folder or prefix that is given as source; a path that begins with that folder, and "
             "a whole s3:// address of something below that prefix, are taken as such. put and delete may go without "
             "a source: then names are paths from here, and addresses. Lines are taken as they stand; empty ones and a "
             "byte order mark before the first are passed over, and one that ends in a carriage return is refused "
             "unless there is a file of that name.",
     .example = "--files-from failed.txt"},
    {.id = FlagId::from0,
     .name = "from0",
     .letter = '0',
     .type = ValueType::toggle,
     .use = Use::this_time,
     .group = Group::run,
     .commands = takes_trees,
     .brief = "Names in lists end with NUL, not with a line",
     .text = "Those of --files-from, as find -print0 writes them, and of --failed-to.",
     .example = "--from0"},
    {.id = FlagId::no_follow_symlinks,
     .name = "no-follow-symlinks",
     .type = ValueType::toggle,
     .use = Use::this_time,
     .group = Group::run,
     .commands = set_of(CommandId::put, CommandId::move),
     .brief = "Leave symbolic links in a tree out",
     .text = "Without it they are followed, to files and folders; one that leads nowhere, or back to a folder that it "
             "stands in, counts as failed.",
     .example = "--no-follow-symlinks"},
});

}  // namespace s3tug::cmd::rows
