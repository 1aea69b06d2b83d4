#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/transfer.h"

namespace s3tug::cmd {

/// One row of the exit codes (design section 2); --help and the man page print it.
struct ExitCode {
    int code;
    std::string_view means;
    std::string_view do_next;  ///< what a script does
    int dies_by = 0;           ///< signal that ends the program instead, so that shell loops stop
};
[[nodiscard]] std::span<const ExitCode> exit_codes();

inline constexpr int exit_ok = 0;
inline constexpr int exit_mixed = 1;

/// The code of one failure. The only place where a kind becomes a number.
[[nodiscard]] int exit_code_of(ErrorKind kind);

/// The code of a whole command: 0 when all items ended well; the one code of all failures when every item failed with
/// it; else 1. An interruption or a broken pipe wins over all, since the program then dies by that signal.
[[nodiscard]] int exit_code_of(const std::vector<engine::Outcome>& outcomes);

/// The code that stands for a signal: 128 and its number.
[[nodiscard]] constexpr int exit_code_of_signal(int signal) { return 128 + signal; }

/// The signal behind a code of 128 and above that is to be died by; 0 = none.
[[nodiscard]] int signal_of(int exit_code);

}  // namespace s3tug::cmd
