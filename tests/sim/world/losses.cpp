#include <algorithm>

#include "sim/world/world.h"

/// What must still be there at the end, whatever the effects were taken for when they came.
namespace s3tug::simworld {

void World::check_losses() {
    const auto any = [&](auto asked) {
        return std::any_of(commands.begin(), commands.end(), [&](const auto& command) { return asked(*command); });
    };
    // Where a bucket keeps versions, a delete puts a marker: only a delete of a version removes one, and only that.
    for (const auto& [name, id] : store.made_versions) {
        if (store.version(name, id) != nullptr) continue;
        const auto asked = [name = name, id = id](const Command& c) {
            return c.name == name && c.transfer.version_id == id;
        };
        if (!any(asked)) violated("version", name + ": version " + id + " is gone, and nobody asked for that");
    }
    // What a link leads to is not what is moved.
    for (const auto& [path, file] : disk.files) {
        if (file.exists) continue;
        const auto asked = [&path = path](const Command& c) {
            return c.local == path && c.transfer.kind == engine::TransferKind::put && c.transfer.then_delete_source;
        };
        if (disk.is_link(path) || !any(asked)) violated("move", path + " is gone, and nobody asked for that");
    }
}

}  // namespace s3tug::simworld
