#include "sim/world/tree.h"

#include "engine/batched_deletes.h"
#include "engine/listed_items.h"
#include "engine/named_items.h"
#include "engine/tree_items.h"
#include "engine/walked_items.h"

namespace s3tug::simworld {
namespace {

using engine::TransferKind;
using Source = std::unique_ptr<engine::ItemSource>;

engine::PathFilter filter() {
    engine::PathFilter out;
    static_cast<void>(out.add(engine::PathFilter::Rule::exclude, "*.skip"));
    return out;
}

engine::KeySelection selection(const Tree& tree) {
    engine::KeySelection out;
    out.bucket = "b";
    out.root = tree.naming == Tree::Naming::key ? tree.root : tree.root + "/";
    out.filter = filter();
    if (tree.naming == Tree::Naming::pattern) out.pattern = engine::key_pattern(out.root + "*");
    return out;
}

engine::ObjectItem object_items(const Tree& tree, const engine::KeySelection& from) {
    switch (tree.common.kind) {
        case TransferKind::get: return engine::get_items(tree.common, from, tree.folder);
        case TransferKind::copy: return engine::copy_items(tree.common, from, {"b", tree.target});
        default: return engine::delete_items(tree.common, from);
    }
}

Result<Source> named(const Tree& tree, port::Files& files, engine::NamedItems::Make make) {
    engine::NamedItems::List list;
    list.name = tree.list;
    Result<std::unique_ptr<port::SourceFile>> opened = files.open_source(tree.list);
    if (!opened) return std::move(opened).error();
    list.file = *std::move(opened);
    return Source(std::make_unique<engine::NamedItems>(std::move(list), tree.common, std::move(make)));
}

Result<Source> put_source(const Tree& tree, port::Files& files) {
    engine::FileItem make = engine::put_items(tree.common, {"b", tree.root + "/"}, tree.folder.size());
    if (tree.naming == Tree::Naming::list) {
        return named(tree, files, [make = std::move(make), folder = tree.folder](const std::string& name) {
            return std::optional(make(folder + name, name));
        });
    }
    return Source(std::make_unique<engine::WalkedItems>(
        files, tree.folder, filter(), tree.follows && !tree.common.then_delete_source, std::move(make)));
}

Result<Source> object_source(const Tree& tree, port::Files& files) {
    const engine::KeySelection from = selection(tree);
    engine::ObjectItem make = object_items(tree, from);
    if (tree.naming != Tree::Naming::list)
        return Source(std::make_unique<engine::ListedItems>(from, std::vector<wire::Header>{}, std::move(make)));
    return named(tree, files, [make = std::move(make), base = from.base()](const std::string& name) {
        wire::ListedObject object;
        object.key = base + name;
        return make(object, name);
    });
}

}  // namespace

std::string Tree::text() const {
    return std::string(engine::verb(common)) + " " + (folder.empty() ? "" : folder + " ") + "s3://b/" + root;
}

Result<Source> make_source(const Tree& tree, port::Files& files) {
    if (tree.common.kind == TransferKind::put) return put_source(tree, files);
    Result<Source> source = object_source(tree, files);
    if (!source || tree.common.kind != TransferKind::remove) return source;
    return Source(std::make_unique<engine::BatchedDeletes>(*std::move(source)));
}

}  // namespace s3tug::simworld
