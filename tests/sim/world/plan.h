#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/rng.h"

namespace s3tug::simworld {

class World;
struct Tree;

[[nodiscard]] std::string random_text(Rng& rng, std::size_t size);
[[nodiscard]] std::size_t some_size(Rng& rng, bool large);  ///< large: goes in parts
void place_object(World& world, Rng& rng, const std::string& name, bool large);

/// Perhaps what stands there was uploaded in parts, in a world with such objects.
void cut_by_other(World& world, const std::string& name);

void make_commands(World& world, Rng& rng);
void make_trees(World& world, Rng& rng);
/// Puts of one file read it through a link, some of them.
void link_sources(World& world, Rng& rng);
/// Links in the folder of a put; `listed`: the names of its list, where it has one.
void add_links(World& world, Rng& rng, Tree& tree, std::vector<std::string>& listed);
/// The same where files are written: before their members are made, and which of these nobody may write.
void link_targets(World& world, Rng& rng);
void add_target_links(World& world, Rng& rng, const Tree& tree);
void block_members(World& world, const Tree& tree);
void choose_algorithms(World& world);
void make_troubles(World& world, Rng& rng);  ///< sources that change, other clients, credentials

}  // namespace s3tug::simworld
