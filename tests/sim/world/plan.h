#pragma once

#include <cstddef>
#include <string>

#include "base/rng.h"

namespace s3tug::simworld {

class World;

[[nodiscard]] std::string random_text(Rng& rng, std::size_t size);
[[nodiscard]] std::size_t some_size(Rng& rng, bool large);  ///< large: goes in parts
void place_object(World& world, Rng& rng, const std::string& name, bool large);

void make_commands(World& world, Rng& rng);
void make_trees(World& world, Rng& rng);
void make_troubles(World& world, Rng& rng);  ///< sources that change, other clients, credentials

}  // namespace s3tug::simworld
