#include "policy/process_text.h"

#include <fmt/format.h>

namespace s3tug::policy {

std::string process_text(const ProcessId& process) {
    return fmt::format("{} {} {} {}", process.pid, process.start_ticks, process.pid_namespace, process.boot_id);
}

std::string_view take_word(std::string_view& text) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    return word;
}

std::optional<ProcessId> process_from_text(std::string_view text) {
    const auto pid = number_from_word<int64_t>(take_word(text));
    const auto start = number_from_word<uint64_t>(take_word(text));
    const auto name_space = number_from_word<uint64_t>(take_word(text));
    if (!pid || *pid < 0 || !start || !name_space) return std::nullopt;
    return ProcessId{*pid, *start, std::string(text), *name_space};
}

}  // namespace s3tug::policy
