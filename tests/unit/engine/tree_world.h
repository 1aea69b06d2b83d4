#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/batched_deletes.h"
#include "engine/chained_items.h"
#include "engine/listed_items.h"
#include "engine/tree_items.h"
#include "engine/walked_items.h"
#include "support/sim_world.h"

namespace s3tug::sim {

using Ends = std::vector<std::pair<engine::Transfer, engine::Outcome>>;

/// A world with keys in bucket b, and short pages, so that every listing has several.
struct TreeWorld : World {
    TreeWorld() { store.list_page = 3; }

    void fill(const std::vector<std::string>& keys) {
        for (const std::string& key : keys) store.objects["b/" + key] = {.bytes = key, .etag = "e", .modified = {}};
    }
    [[nodiscard]] std::vector<std::string> keys() const {
        std::vector<std::string> out;
        for (const auto& [name, object] : store.objects) out.push_back(name.substr(name.find('/') + 1));
        return out;
    }
    [[nodiscard]] Ends remove(engine::KeySelection selection) {
        engine::BatchedDeletes items(std::make_unique<engine::ListedItems>(
            selection, std::vector<wire::Header>{}, engine::delete_items(delete_of(""), selection)));
        return run(items);
    }
    [[nodiscard]] Ends get(engine::KeySelection selection, const std::string& folder) {
        engine::ListedItems items(selection, {}, engine::get_items(get_of("", ""), selection, folder));
        return run(items);
    }
    [[nodiscard]] Ends put(const std::string& root, engine::PathFilter filter = {}, bool follow = true) {
        const std::size_t root_bytes = engine::as_folder(root).size();
        engine::WalkedItems items(files, root, std::move(filter), follow,
                                  engine::put_items(put_of("", ""), {"b", "p/"}, root_bytes));
        return run(items);
    }
    [[nodiscard]] std::size_t deletes_of(const std::string& key) const {
        return static_cast<std::size_t>(std::count(store.effects.begin(), store.effects.end(), "DELETE b/" + key));
    }
};

[[nodiscard]] inline engine::KeySelection tree(const std::string& root) {
    engine::KeySelection out;
    out.bucket = "b";
    out.root = root;
    return out;
}

[[nodiscard]] inline engine::KeySelection pattern(const std::string& text) {
    engine::KeySelection out;
    out.bucket = "b";
    out.pattern = engine::key_pattern(text);
    return out;
}

/// Of the items that failed: what they are called.
[[nodiscard]] inline std::set<std::string> failures(const Ends& ends) {
    std::set<std::string> out;
    for (const auto& [item, outcome] : ends) {
        if (!outcome.ok()) out.insert(engine::item_name(item));
    }
    return out;
}

[[nodiscard]] inline const engine::Outcome& end_of(const Ends& ends, const std::string& name) {
    const auto at =
        std::find_if(ends.begin(), ends.end(), [&name](const auto& e) { return engine::item_name(e.first) == name; });
    return at->second;
}

using Strings = std::vector<std::string>;
using Names = std::set<std::string>;

}  // namespace s3tug::sim
