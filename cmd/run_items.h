#pragma once

#include "cmd/session.h"
#include "engine/item_source.h"

namespace s3tug::cmd {

/// Runs what `items` gives with the engine of a session that is open, tells each end and the sum, and gives the exit
/// code. Nothing that grows with the number of items is kept.
/// @param several    there may be more than one item: failures are told as they come, and summed up at the end
/// @param to_stdout  the bytes of an object go to standard output
[[nodiscard]] int run_items(Session& session, engine::ItemSource& items, bool several, bool to_stdout = false);

}  // namespace s3tug::cmd
