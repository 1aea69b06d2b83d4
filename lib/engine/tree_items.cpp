#include "engine/tree_items.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/limits.h"
#include "engine/key_path.h"
#include "wire/content_type.h"

namespace s3tug::engine {

namespace {

std::string shown(std::string_view key) { return "'" + printable(key, limits::trace_text_max_bytes) + "'"; }

/// Finds keys that cannot be files side by side in one target folder.
class LocalCollisions {
  public:
    std::optional<Error> add(const std::string& key, const std::string& path, bool is_root) {
        std::optional<std::string> earlier;
        if (is_root) {
            root_ = path;
        } else if (!root_.empty() && (path == root_ || path.starts_with(root_ + "/"))) {
            earlier = root_;
        } else {
            earlier = check_.add(path);
        }
        if (!earlier) return std::nullopt;
        return Error{ErrorKind::cannot_write, "key " + shown(key) + " cannot become a file beside " + shown(*earlier) +
                                                  ", which would stand where it does or where its folder must be"};
    }

  private:
    std::string root_;  ///< of the key that the tree is named after: it comes before the others, not in their order
    CollisionCheck check_;
};

bool is_selected(const KeySelection& selection, const wire::S3Uri& uri) {
    if (uri.bucket != selection.bucket) return false;
    const std::optional<std::string> name = selection.name_of(uri.key);
    return name && selection.filter.keeps(*name);
}

}  // namespace

void separate_key(Transfer& item) {
    if (item.idempotency_key.empty()) return;
    item.idempotency_key.append(" s3://").append(item.target.bucket).append("/");
    item.idempotency_key += percent_encode(item.target.key, Slash::keep);
}

std::string content_type_for(std::string_view file_name, std::string_view key) {
    const std::string_view unknown = wire::content_type_of({});
    const std::string_view by_name = wire::content_type_of(file_name);
    return std::string(by_name == unknown ? wire::content_type_of(key) : by_name);
}

ObjectItem get_items(Transfer common, const KeySelection& selection, const std::string& folder) {
    common.kind = TransferKind::get;
    common.source.bucket = selection.bucket;
    common.local = {LocalEnd::Kind::path, as_folder(folder), as_folder(folder).size()};
    return [common = std::move(common), selection, collisions = LocalCollisions()](
               const wire::ListedObject& object, const std::string& name) mutable -> std::optional<Transfer> {
        Transfer item = common;
        item.source.key = object.key;
        const Result<LocalName> local = local_name_of(name);
        if (!local) {
            item.refused = local.error();
            return item;
        }
        item.local.path += local->path;
        if (local->folder_marker) {
            if (object.size.value_or(0) == 0) return std::nullopt;
            item.refused = Error{ErrorKind::cannot_write,
                                 "key " + shown(object.key) + " ends in '/' but has content, which no folder can hold"};
            return item;
        }
        item.refused = collisions.add(object.key, local->path, selection.is_root(object.key));
        return item;
    };
}

ObjectItem copy_items(Transfer common, const KeySelection& selection, wire::S3Uri target) {
    common.kind = TransferKind::copy;
    common.source.bucket = selection.bucket;
    common.target = std::move(target);
    return [common = std::move(common), selection](const wire::ListedObject& object,
                                                   const std::string& name) -> std::optional<Transfer> {
        Transfer item = common;
        item.source.key = object.key;
        item.target.key += name;
        if (item.target.key.empty()) return std::nullopt;  // the marker of the tree's own folder, to a bucket
        separate_key(item);
        if (item.target.key.size() > limits::key_max_bytes) {
            item.refused = Error{ErrorKind::unsupported, "the key of " + shown(object.key) + " would be longer than " +
                                                             std::to_string(limits::key_max_bytes) + " bytes there"};
        } else if (item.target == item.source && !item.replace_metadata && item.properties.storage_class.empty()) {
            item.refused = Error{ErrorKind::usage, "source and target are the same object"};
        } else if (item.target != item.source && is_selected(selection, item.target)) {
            item.refused = Error{ErrorKind::usage, "its target " + shown(item.target.key) +
                                                       " is one of the sources, which it would replace before it is "
                                                       "read; go by way of another prefix"};
        }
        return item;
    };
}

ObjectItem delete_items(Transfer common, const KeySelection& selection) {
    common.kind = TransferKind::remove;
    common.target.bucket = selection.bucket;
    return
        [common = std::move(common)](const wire::ListedObject& object, const std::string&) -> std::optional<Transfer> {
            Transfer item = common;
            item.target.key = object.key;
            separate_key(item);
            return item;
        };
}

ObjectItem unless_in(std::vector<KeySelection> earlier, ObjectItem make) {
    if (earlier.empty()) return make;
    return [earlier = std::move(earlier), make = std::move(make)](const wire::ListedObject& object,
                                                                  const std::string& name) -> std::optional<Transfer> {
        const bool meant = std::any_of(earlier.begin(), earlier.end(), [&object](const KeySelection& one) {
            const std::optional<std::string> its_name = one.name_of(object.key);
            return its_name && one.filter.keeps(*its_name);
        });
        return meant ? std::nullopt : make(object, name);
    };
}

FileItem put_items(Transfer common, wire::S3Uri target, std::size_t root_bytes) {
    common.kind = TransferKind::put;
    common.target = std::move(target);
    common.local = {LocalEnd::Kind::path, {}, root_bytes};
    return [common = std::move(common)](const std::string& path, const std::string& name) {
        Transfer item = common;
        item.local.path = path;
        Result<std::string> key = key_of_local_path(name, common.target.key);
        if (!key) {
            item.refused = std::move(key).error();
            return item;
        }
        item.target.key = *std::move(key);
        separate_key(item);
        if (item.properties.content_type.empty()) item.properties.content_type = content_type_for(name, name);
        return item;
    };
}

}  // namespace s3tug::engine
