#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "host/environment.h"

namespace s3tug::host {

struct ChildLimits {
    Duration timeout{};
    std::size_t output_max_bytes = 0;
    std::function<bool()> interrupted;  ///< asked while waiting, at least every 100 ms; empty = never
};

/// Runs a program, found by $PATH, and gives what it wrote to stdout. Its stdin is empty (ours may be the data), its
/// stderr is dropped (it may hold secrets), it inherits no other descriptor of ours, and it stays in our process group,
/// so that it can ask on the terminal and Ctrl-C reaches it. Killed when a limit is passed.
/// Errors: `no_credentials` when it cannot be started, fails, is too slow or says too much; `interrupted`. Neither the
/// arguments nor the output are shown.
[[nodiscard]] Result<std::string> run_for_output(const std::vector<std::string>& words, const Environment& environment,
                                                 const ChildLimits& limits);

}  // namespace s3tug::host
