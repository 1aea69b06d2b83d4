#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "engine/item_source.h"
#include "engine/transfer.h"
#include "port/files.h"
#include "sim/world/command.h"

namespace s3tug::simworld {

class World;

/// A command over many files or objects: what it means is known here beforehand, and found out by the engine's own
/// sources of items. Each thing that it means is a command of the world, watched like any other.
struct Tree {
    /// How the user names what is meant.
    enum class Naming : uint8_t { key, folder, pattern, list };

    engine::Transfer common;  ///< kind and options of all items
    Naming naming = Naming::folder;
    std::string root;              ///< "t3": of the objects
    std::string folder;            ///< "/t3/": of the files
    std::string target;            ///< "c3/": of a copy
    std::string list;              ///< path of the list of names
    bool follows = true;           ///< symbolic links below the folder of a put
    std::set<std::string> broken;  ///< "b/t3/x", of the links that lead nowhere or in a circle
    std::vector<Command*> members;
    Duration first_start{};
    std::string last;  ///< how its last run ended

    [[nodiscard]] std::string text() const;  ///< for messages
};

/// One thing that the tree means, which stands there now: a file or an object, at random large where that is said.
void add_member(World& world, Rng& rng, Tree& tree, const std::string& key, const std::string& name, bool may_be_large);

/// What the front end makes of such a command (cmd/plan_trees.cpp, cmd/plan_lists.cpp).
[[nodiscard]] Result<std::unique_ptr<engine::ItemSource>> make_source(const Tree& tree, port::Files& files);

}  // namespace s3tug::simworld
