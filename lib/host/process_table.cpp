#include "host/process_table.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "host/small_file.h"

namespace s3tug::host {

namespace {

constexpr std::size_t proc_file_max_bytes = 4096;

struct ProcessStat {
    char state = '?';
    uint64_t start_ticks = 0;
};

/// proc(5), /proc/PID/stat: "pid (name) state ..."; the name may hold blanks and brackets, so fields are counted from
/// the last bracket: state is field 3, start time field 22.
std::optional<ProcessStat> parse_stat(std::string_view text) {
    const std::size_t bracket = text.rfind(')');
    if (bracket == std::string_view::npos) return std::nullopt;
    std::string_view rest = trim(text.substr(bracket + 1));
    if (rest.empty()) return std::nullopt;
    ProcessStat stat;
    stat.state = rest.front();
    for (int field = 3; field < 22; ++field) {
        const std::size_t blank = rest.find(' ');
        if (blank == std::string_view::npos) return std::nullopt;
        rest.remove_prefix(blank + 1);
    }
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), stat.start_ticks);
    if (parsed.ec != std::errc{}) return std::nullopt;
    return stat;
}

}  // namespace

ProcessTable::ProcessTable(std::string proc_folder) : proc_(std::move(proc_folder)) {}

const ProcessId& ProcessTable::self() {
    // After a fork we are another process: permits belong to the one that took them.
    if (self_ && self_->pid == getpid()) return *self_;
    ProcessId id;
    id.pid = getpid();
    if (const auto text = read_small_file(proc_ + "/self/stat", proc_file_max_bytes); text.ok() && *text) {
        if (const auto stat = parse_stat(**text)) id.start_ticks = stat->start_ticks;
    }
    if (const auto text = read_small_file(proc_ + "/sys/kernel/random/boot_id", proc_file_max_bytes);
        text.ok() && *text) {
        id.boot_id = std::string(trim(**text));
    }
    struct stat facts {};
    if (::stat((proc_ + "/self/ns/pid").c_str(), &facts) == 0) id.pid_namespace = facts.st_ino;
    self_ = std::move(id);
    return *self_;
}

Liveness ProcessTable::liveness(const ProcessId& other) {
    const ProcessId& me = self();
    if (other == me) return Liveness::alive;
    if (me.boot_id.empty() || other.boot_id.empty()) return Liveness::unknown;
    if (other.boot_id != me.boot_id) return Liveness::dead;
    if (me.pid_namespace == 0 || other.pid_namespace != me.pid_namespace) return Liveness::unknown;
    if (other.pid <= 0) return Liveness::dead;

    const auto text = read_small_file(proc_ + "/" + std::to_string(other.pid) + "/stat", proc_file_max_bytes);
    // A process that ends between open and read answers ESRCH; asking again then finds no file.
    if (!text.ok()) return Liveness::unknown;
    if (!*text) return Liveness::dead;
    const auto stat = parse_stat(**text);
    if (!stat) return Liveness::unknown;
    if (stat->state == 'Z' || stat->state == 'X') return Liveness::dead;
    if (other.start_ticks != 0 && stat->start_ticks != other.start_ticks) return Liveness::dead;
    return Liveness::alive;
}

}  // namespace s3tug::host
