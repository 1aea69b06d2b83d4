#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "base/process_id.h"

namespace s3tug::policy {

/// A process as one value of a state record: "PID START_TICKS PID_NAMESPACE BOOT_ID".
[[nodiscard]] std::string process_text(const ProcessId& process);
[[nodiscard]] std::optional<ProcessId> process_from_text(std::string_view text);

/// Takes the word before the next blank off the front of `text`.
[[nodiscard]] std::string_view take_word(std::string_view& text);

/// The whole word as a number; nullopt for anything else, signs and overflow included for unsigned types.
template <class Number>
[[nodiscard]] std::optional<Number> number_from_word(std::string_view word, int base = 10) {
    Number number{};
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number, base);
    if (error != std::errc() || stop != end) return std::nullopt;
    return number;
}

}  // namespace s3tug::policy
