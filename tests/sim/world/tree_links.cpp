#include "sim/world/plan.h"
#include "sim/world/tree.h"
#include "sim/world/world.h"

/// Symbolic links. Where files are read: put follows them, and a move of a folder leaves them alone. Where files are
/// written: a target that was named is written through them, and of a tree nothing comes to where they lead out of it.
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

void link_targets(World& world, Rng& rng) {
    for (const auto& command : world.commands) {
        if (command->transfer.kind != TransferKind::get || command->local.empty() || !rng.chance(1, 2)) continue;
        const std::string& path = command->local;
        const std::string real = "/real" + path;
        const auto old = world.disk.files.find(path);
        if (old != world.disk.files.end()) {
            world.disk.set(real, make_blob(old->second.bytes));
            world.disk.files.erase(old);
        }
        command->blocked = rng.chance(1, 8);  // it leads to itself
        world.disk.link(path, command->blocked ? path : real);
    }
}

void add_target_links(World& world, Rng& rng, const Tree& tree) {
    if (rng.chance(1, 3)) world.disk.link(tree.folder.substr(0, tree.folder.size() - 1), "/real" + tree.root);
    const std::string outside = "/out" + tree.root + "/";
    const auto link = [&](const std::string& name, const std::string& target) {
        world.disk.set(target, make_blob(random_text(rng, 20)));
        world.disk.link(tree.folder + name, target);
    };
    if (rng.chance(1, 2)) {
        const std::string place = rng.chance(1, 2) ? outside : tree.folder + "in-";
        world.disk.set(place + "d/other.skip", make_blob("other"));
        world.disk.link(tree.folder + "d", place + "d");
    }
    switch (rng.up_to(4)) {
        case 0: link("a", tree.folder + "real-a"); break;
        case 1: link("a", outside + "a"); break;
        case 2: world.disk.link(tree.folder + "a", tree.folder + "not-there"); break;
        case 3: world.disk.link(tree.folder + "a", tree.folder + "a"); break;
        default: break;
    }
}

/// Told by where things are, and not by what the world's files refuse.
void block_members(World& world, const Tree& tree) {
    const std::string root = world.disk.real_path(tree.folder.substr(0, tree.folder.size() - 1)) + "/";
    for (Command* const member : tree.members) {
        const std::string real = world.disk.real_path(member->local);
        const std::string as_named = root + member->local.substr(tree.folder.size());
        member->blocked = !real.starts_with(root) || world.disk.is_link(real) ||
                          (member->local.ends_with("/a") && real != as_named && world.disk.find(real) == nullptr);
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
