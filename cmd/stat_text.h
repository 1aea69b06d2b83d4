#pragma once

#include <string>

#include "engine/transfer.h"

namespace s3tug::cmd {

/// What `stat` prints of one object: a line for each fact, "     Size: 1048576". What is not known has none.
[[nodiscard]] std::string stat_text(const engine::Transfer& transfer, const engine::Outcome& outcome);

/// The same as one line of JSON. Beyond what it shows as text it has the checksum's type.
[[nodiscard]] std::string stat_json(const engine::Transfer& transfer, const engine::Outcome& outcome);

}  // namespace s3tug::cmd
