#pragma once

#include <string>
#include <vector>

#include "cmd/session.h"

namespace s3tug::cmd {

/// `uploads list|abort|resume`; gives the exit code.
[[nodiscard]] int uploads_command(const std::vector<std::string>& operands, Session& session);

}  // namespace s3tug::cmd
