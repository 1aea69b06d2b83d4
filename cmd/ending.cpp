#include "cmd/ending.h"

#include <cerrno>
#include <system_error>

#include "cmd/exit_code.h"

namespace s3tug::cmd {

int fail(Output& output, const Error& error) {
    output.talk("s3tug: " + error.message);
    return exit_code_of(error.kind);
}

int end_with(Output& output, int code) {
    const int failure = output.data_error();
    if (failure == 0) return code;
    if (failure == EPIPE) return exit_code_of(ErrorKind::broken_pipe);
    return fail(output, {ErrorKind::cannot_write, "standard output: " + std::generic_category().message(failure)});
}

}  // namespace s3tug::cmd
