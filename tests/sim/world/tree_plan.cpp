#include <array>
#include <utility>

#include "sim/world/plan.h"
#include "sim/world/tree.h"
#include "sim/world/world.h"

/// Which trees there are, and what stands beside them.
namespace s3tug::simworld {
namespace {

using engine::TransferKind;

/// In the order of a listing where they are all taken. Each has something that a store or its clients get wrong.
constexpr std::array<std::string_view, 13> names{"a",     "a b & c", "b+1",     "d/e", "d/f/g",    "d/f/h=1", "j%41k",
                                                 "l<m>n", "o'\"p",   "q;r?s#t", "u~v", "\xC3\xBC", "z"};

std::vector<std::string> some_names(Rng& rng, const Tree& tree, const World& world) {
    std::vector<std::string> out;
    const uint64_t one_in = 1 + rng.up_to(3);
    for (const std::string_view name : names) {
        if (rng.chance(1, one_in)) out.emplace_back(name);
    }
    if (out.empty()) out.emplace_back("a");
    const TransferKind kind = tree.common.kind;
    if (kind != TransferKind::copy && kind != TransferKind::remove) return out;
    if (rng.chance(1, 4)) out.emplace_back("d/");  // the marker of a folder
    // What no XML can carry: neither a batch nor a listing that is not encoded.
    if (world.options.store.encodes_listings && rng.chance(1, 4)) out.emplace_back("w\x01x");
    return out;
}

/// What the tree must leave alone.
void add_neighbours(World& world, Rng& rng, const Tree& tree) {
    if (tree.common.kind == TransferKind::put) {
        if (tree.naming != Tree::Naming::list)
            world.disk.set(tree.folder + "d/no.skip", make_blob(random_text(rng, 20)));
        world.disk.set(tree.folder.substr(0, tree.folder.size() - 1) + "-old/a", make_blob(random_text(rng, 20)));
        return;
    }
    if (tree.naming != Tree::Naming::key) place_object(world, rng, "b/" + tree.root, false);
    for (const std::string_view beside : {"-old/a", "/d/no.skip", ".b", "0"}) {
        if (rng.chance(1, 2)) place_object(world, rng, ("b/" + tree.root).append(beside), false);
    }
}

void add_list(World& world, Tree& tree, const std::vector<std::string>& some) {
    tree.list = "/list" + tree.root;
    std::string text;
    for (const std::string& name : some) text += name + "\n";
    if (!tree.common.then_delete_source) text += "\n";
    world.disk.set(tree.list, make_blob(std::move(text)));
}

engine::Transfer some_options(Rng& rng, const std::string& number) {
    engine::Transfer common;
    constexpr std::array kinds{TransferKind::put, TransferKind::get, TransferKind::copy, TransferKind::remove,
                               TransferKind::remove};
    common.kind = kinds[rng.up_to(kinds.size() - 1)];
    common.then_delete_source = common.kind != TransferKind::remove && rng.chance(2, 5);
    const bool places = common.kind == TransferKind::put || common.kind == TransferKind::copy;
    common.no_clobber = common.kind != TransferKind::remove && rng.chance(1, 10);
    common.conditions.if_none_match_any = places && !common.no_clobber && rng.chance(1, 10);
    if (common.kind != TransferKind::get && rng.chance(1, 5)) {
        common.idempotency_key = "tree-" + number;
        common.idempotency_keep = hours(24 * 7);
    }
    return common;
}

}  // namespace

void add_member(World& world, Rng& rng, Tree& tree, const std::string& key, const std::string& name,
                bool may_be_large) {
    auto member = std::make_unique<Command>();
    member->tree = &tree;
    member->number = world.commands.size();
    member->large = may_be_large && rng.chance(1, 4);
    engine::Transfer& t = member->transfer = tree.common;
    member->keyed = !t.idempotency_key.empty();
    const TransferKind kind = t.kind;
    (kind == TransferKind::get || kind == TransferKind::copy ? t.source : t.target) = {"b", key};
    member->name = "b/" + key;
    if (kind == TransferKind::copy) {
        t.target = {"b", tree.target + name};
        member->source_name = std::exchange(member->name, "b/" + t.target.key);
    }
    if (kind == TransferKind::put || kind == TransferKind::get) {
        member->local = tree.folder + name;
        t.local = {engine::LocalEnd::Kind::path, member->local};
    }
    if (kind == TransferKind::put)
        world.disk.set(member->local, make_blob(random_text(rng, some_size(rng, member->large))));
    else
        place_object(world, rng, "b/" + key, member->large);
    if (kind == TransferKind::get && rng.chance(1, 3))
        world.disk.set(member->local, make_blob("old " + random_text(rng, 30)));
    if (kind == TransferKind::put && rng.chance(1, 5)) place_object(world, rng, member->name, member->large);
    tree.members.push_back(member.get());
    world.commands.push_back(std::move(member));
}

namespace {

/// So many that what is kept of each of them, or of each page of their listing, is seen.
void make_wide_tree(World& world, Rng rng) {
    auto tree = std::make_unique<Tree>();
    tree->common = some_options(rng, "w");
    const TransferKind kind = tree->common.kind;
    tree->naming = static_cast<Tree::Naming>(rng.up_to(3));
    tree->root = "tw";
    if (kind == TransferKind::copy) tree->target = "cw/";
    if (kind == TransferKind::put || kind == TransferKind::get) tree->folder = "/tw/";
    std::vector<std::string> some;
    const uint64_t count = 100 + rng.up_to(200);
    for (uint64_t i = 0; i < count; ++i) {
        const std::string digits = std::to_string(1000 + i);
        some.push_back(std::string(1, digits[1]) + "/a-name-that-is-as-long-as-many-are-" + digits);
        add_member(world, rng, *tree, tree->root + "/" + some.back(), some.back(), false);
    }
    if (tree->naming == Tree::Naming::list) add_list(world, *tree, some);
    world.trees.push_back(std::move(tree));
}

}  // namespace

void make_trees(World& world, Rng& rng) {
    if (world.options.wide) make_wide_tree(world, Rng(world.options.seed ^ 0x71DEULL));
    Rng more(world.options.seed ^ 0x11A5ULL);
    for (unsigned i = 0; i < world.options.trees; ++i) {
        auto tree = std::make_unique<Tree>();
        const std::string number = std::to_string(i);
        tree->common = some_options(rng, number);
        const TransferKind kind = tree->common.kind;
        tree->naming = static_cast<Tree::Naming>(rng.up_to(3));
        tree->root = "t" + number;
        if (kind == TransferKind::copy) tree->target = "c" + number + "/";
        if (kind == TransferKind::put || kind == TransferKind::get) tree->folder = "/t" + number + "/";
        std::vector<std::string> some = some_names(rng, *tree, world);
        const bool linked = world.options.links && kind == TransferKind::get;
        if (linked) {
            Rng targets(world.options.seed ^ (0x7A27ULL + i));
            add_target_links(world, targets, *tree);
        }
        for (const std::string& name : some)
            add_member(world, rng, *tree, tree->root + "/" + name, name, !name.ends_with('/'));
        if (tree->naming == Tree::Naming::key && kind != TransferKind::put && rng.chance(1, 3))
            add_member(world, rng, *tree, tree->root, tree->root, true);
        if (linked) block_members(world, *tree);
        if (world.options.links && kind == TransferKind::put) add_links(world, more, *tree, some);
        if (tree->naming == Tree::Naming::list) add_list(world, *tree, some);
        add_neighbours(world, rng, *tree);
        world.trees.push_back(std::move(tree));
    }
}

}  // namespace s3tug::simworld
