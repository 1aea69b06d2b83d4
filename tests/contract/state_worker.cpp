// One of many processes on one state file: state_worker FILE ID UPDATES
// Waits until its stdin ends, so that all start together. Each update adds one to its own field of a record that all
// share; when the store has said yes, the line "ID N" goes to stdout. Warnings go to stderr. A store that says no is
// the line "ID no".
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/record.h"
#include "host/entropy.h"
#include "host/sqlite_state_store.h"
#include "host/system_clock.h"

namespace {

using s3tug::port::Table;

void say(int fd, const std::string& line) { (void)!::write(fd, line.data(), line.size()); }

/// The shared record with our field one higher.
std::string with_one_more(const std::optional<std::string>& present, const std::string& field) {
    s3tug::RecordWriter out;
    int64_t count = 0;
    const auto record = s3tug::RecordReader::parse(present.value_or(""));
    if (record) count = record->number(field).value_or(0);
    out.number(field, count + 1);
    std::string mine = std::move(out).take();
    std::string others;
    std::size_t begin = 0;
    for (const std::string& text = present ? *present : others; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        const std::string line = text.substr(begin, end - begin);
        if (!line.starts_with(field + "=")) others += line;
        begin = end;
    }
    return mine + others;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return 64;
    const std::string shared = fmt::format("shared-{}", std::atoi(argv[2]) % 10);
    const std::string field = fmt::format("w{}", argv[2]);
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) > 0) {}

    s3tug::host::SystemClock clock;
    s3tug::host::SqliteStateStoreOptions options;
    options.place.explicit_file = argv[1];
    options.lock_wait = s3tug::milliseconds(std::atoi(argv[4]));
    options.seed = s3tug::host::random_seed();
    options.warn = [](const std::string& text) { say(STDERR_FILENO, text + "\n"); };
    s3tug::host::SqliteStateStore store(std::move(options), clock);
    int kept_count = 0;
    for (int i = 1; i <= std::atoi(argv[3]); ++i) {
        const bool kept = store.update(
            Table::breaker, shared, [&](const auto& present) { return std::optional(with_one_more(present, field)); });
        say(STDOUT_FILENO, kept ? fmt::format("{} {}\n", argv[2], ++kept_count) : fmt::format("{} no\n", argv[2]));
        // A record of its own as well, so that inserts and page splits happen too.
        store.update(Table::run, field, [&](const auto&) { return std::optional(std::to_string(i)); });
        if (!store.read(Table::run, field)) say(STDERR_FILENO, fmt::format("{}: own record is not there\n", field));
    }
    return 0;
}
