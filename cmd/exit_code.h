#pragma once

#include <span>
#include <string_view>

#include "base/error.h"

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

/// The same where the signal is known that interrupted; 0 = there was none.
[[nodiscard]] int exit_code_of(ErrorKind kind, int signal);

/// The code that stands for a signal: 128 and its number.
[[nodiscard]] constexpr int exit_code_of_signal(int signal) { return 128 + signal; }

/// The signal behind a code of 128 and above that is to be died by; 0 = none.
[[nodiscard]] int signal_of(int exit_code);

}  // namespace s3tug::cmd
