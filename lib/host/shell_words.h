#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace s3tug::host {

/// Splits a command line into words as a POSIX shell would (and Python's shlex, which AWS tools use), without a shell:
/// blanks part words, '...' is literal, in "..." a backslash escapes `"` and `\`, elsewhere any character. Nothing is
/// expanded: `$HOME`, `~`, `*`, `;` and `|` are characters. Errors are `config` and do not show the text.
[[nodiscard]] Result<std::vector<std::string>> split_shell_words(std::string_view line);

}  // namespace s3tug::host
