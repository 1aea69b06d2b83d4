#include "sim/world/plan.h"
#include "sim/world/tree.h"
#include "sim/world/world.h"

/// Symbolic links where files are read: put follows them, and a move of a folder leaves them alone.
namespace s3tug::simworld {
namespace {

using engine::TransferKind;

/// Links that lead nowhere, or round and round: of each there is a word on stderr, and no success.
void add_broken(World& world, Rng& rng, Tree& tree, bool followed, std::vector<std::string>& listed) {
    const bool list = tree.naming == Tree::Naming::list;
    const auto add = [&](const std::string& name, const std::string& target) {
        world.disk.link(tree.folder + name, target);
        if (followed) tree.broken.insert("b/" + tree.root + "/" + name);
        if (list) listed.push_back(name);
    };
    if (rng.chance(1, 4)) add("gone", "/nowhere/at/all");
    if (rng.chance(1, 6)) add("loop", tree.folder + "loop");
    if (!list && rng.chance(1, 4)) add("up", tree.folder.substr(0, tree.folder.size() - 1));
    world.disk.link(tree.folder + "gone.skip", "/nowhere");
}

}  // namespace

void link_sources(World& world, Rng& rng) {
    for (const auto& command : world.commands) {
        if (command->transfer.kind != TransferKind::put || command->local.empty() || !rng.chance(1, 2)) continue;
        const std::string real = "/real" + command->local;
        world.disk.set(real, make_blob(world.disk.files.at(command->local).bytes));
        world.disk.files.erase(command->local);
        const bool twice = rng.chance(1, 4);
        if (twice) world.disk.link(real + "-link", real);
        world.disk.link(command->local, twice ? real + "-link" : real);
    }
}

void add_links(World& world, Rng& rng, Tree& tree, std::vector<std::string>& listed) {
    const bool list = tree.naming == Tree::Naming::list;
    const bool moves = tree.common.then_delete_source;
    tree.follows = list || (!moves && !rng.chance(1, 5));
    const std::string outside = "/out" + tree.root;
    const auto make = [&](const std::string& name, const std::string& file) {
        if (!tree.follows) return world.disk.set(file, make_blob(random_text(rng, 20)));
        add_member(world, rng, tree, tree.root + "/" + name, name, true);  // written through the link
        if (list) listed.push_back(name);
    };
    if (rng.chance(1, 2)) {
        world.disk.link(tree.folder + "link", outside + "/one");
        make("link", outside + "/one");
    }
    // Whoever names a file of the linked folder in a list wants that very file to go.
    if (!(list && moves) && rng.chance(1, 2)) {
        world.disk.link(tree.folder + "out", outside + "/folder");
        for (const std::string_view name : {"/x", "/y/z"})
            make(std::string("out").append(name), (outside + "/folder").append(name));
        world.disk.set(outside + "/folder/no.skip", make_blob("skipped"));
    }
    if (!list && rng.chance(1, 3)) {
        const std::string_view inside = rng.chance(1, 2) ? "d" : "in-a-link";
        if (inside != "d") world.disk.link(outside + "-hop", tree.folder + "d");
        world.disk.link(tree.folder + "twin", inside == "d" ? tree.folder + "d" : outside + "-hop");
        const std::size_t count = tree.members.size();
        for (std::size_t i = 0; tree.follows && i < count; ++i) {
            const std::string name = tree.members[i]->local.substr(tree.folder.size());
            if (name.starts_with("d/")) make("twin" + name.substr(1), {});
        }
    }
    add_broken(world, rng, tree, tree.follows, listed);
}

}  // namespace s3tug::simworld
