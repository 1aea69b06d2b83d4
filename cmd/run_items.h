#pragma once

#include "cmd/list_source.h"
#include "cmd/run_source.h"
#include "cmd/session.h"
#include "engine/item_source.h"

namespace s3tug::cmd {

/// What is run, and what may be told of it.
struct RunShape {
    bool several =
        false;  ///< there may be more than one item: failures are told as they come, and summed up at the end
    bool to_stdout = false;              ///< the bytes of an object go to standard output
    RunSource* lines = nullptr;          ///< the items, where they are lines of a `run` file
    const ListSource* listed = nullptr;  ///< the items, where they are a listing, whose --json ends with a sum
};

/// Runs what `items` gives with the engine of a session that is open, tells each end and the sum, and gives the exit
/// code. Nothing that grows with the number of items is kept.
[[nodiscard]] int run_items(Session& session, engine::ItemSource& items, const RunShape& shape);

}  // namespace s3tug::cmd
