#pragma once

#include "cmd/cli.h"
#include "cmd/session.h"

namespace s3tug::cmd {

/// `run FILE|-`; gives the exit code.
[[nodiscard]] int run_command(const Invocation& call, Session& session);

}  // namespace s3tug::cmd
