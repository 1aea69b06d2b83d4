#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/faults.h"

namespace s3tug::lab {

/// Where a script is wrong and what would be right, in one line.
struct ScriptError {
    size_t line;
    size_t column;
    std::string message;

    /// "faults:3:14: unknown action `rest`; did you mean `reset`? ..."
    [[nodiscard]] std::string text() const;
};

/// Reads a fault script: one rule a line, `#` begins a comment. The grammar is in README.md beside this file.
[[nodiscard]] std::variant<std::vector<Rule>, ScriptError> parse_script(std::string_view text);

/// The operation names that rules may use.
[[nodiscard]] const std::vector<std::string_view>& operation_names();

}  // namespace s3tug::lab
