#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cmd/output.h"
#include "cmd/settings.h"
#include "host/sqlite_state_store.h"
#include "policy/breaker.h"

namespace s3tug::cmd {

/// `state show` and `state reset WHAT`. What is shown is data: text for people, or with --json one object per record.
/// `now` and the breaker's settings tell what is left of its break.
[[nodiscard]] Status run_state_command(const std::vector<std::string>& operands, const Settings& settings,
                                       const host::StateDescription& file, port::StateStore& store,
                                       const policy::BreakerNow& now, Output& output);

}  // namespace s3tug::cmd
