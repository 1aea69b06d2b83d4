#pragma once

#include <string>
#include <vector>

#include "cmd/session.h"

namespace s3tug::cmd {

/// `list`: prints while the pages come in; gives the exit code.
[[nodiscard]] int list_command(const std::vector<std::string>& operands, Session& session);

}  // namespace s3tug::cmd
