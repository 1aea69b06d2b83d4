#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cmd/exit_code.h"
#include "cmd/run.h"
#include "host/heap.h"
#include "host/signal_flag.h"
#include "host/standard_streams.h"

int main(int argc, char** argv) {
    s3tug::host::keep_heap_small();
    s3tug::host::reserve_standard_streams();
    int code = s3tug::cmd::exit_code_of(s3tug::ErrorKind::bug);
    try {
        code = s3tug::cmd::run(std::vector<std::string>(argv + 1, argv + argc));
    } catch (const std::exception& bug) { std::fprintf(stderr, "s3tug: a bug: %s\n", bug.what()); }
    if (const int signal = s3tug::cmd::signal_of(code); signal != 0) s3tug::host::die_by(signal);
    return code;
}
