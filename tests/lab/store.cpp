#include "lab/store.h"

#include <fmt/format.h>

#include <algorithm>

namespace s3tug::lab {

ObjectPtr Bucket::newest(const std::string& key) const {
    const auto found = keys.find(key);
    return found == keys.end() || found->second.empty() ? nullptr : found->second.back();
}

ObjectPtr Bucket::current(const std::string& key) const {
    ObjectPtr object = newest(key);
    return object && object->delete_marker ? nullptr : object;
}

ObjectPtr Bucket::version(const std::string& key, const std::string& id) const {
    const auto found = keys.find(key);
    if (found == keys.end()) return nullptr;
    const auto object = std::ranges::find(found->second, id, [](const ObjectPtr& o) { return o->version_id; });
    return object == found->second.end() ? nullptr : *object;
}

ObjectPtr Bucket::add(const std::string& key, Object object, std::string new_version_id) {
    object.version_id = versioning == Versioning::enabled ? std::move(new_version_id) : "null";
    std::vector<ObjectPtr>& versions = keys[key];
    if (object.version_id == "null")
        std::erase_if(versions, [](const ObjectPtr& old) { return old->version_id == "null"; });
    versions.push_back(std::make_shared<const Object>(std::move(object)));
    return versions.back();
}

bool Bucket::remove_version(const std::string& key, const std::string& id) {
    const auto found = keys.find(key);
    if (found == keys.end()) return false;
    const size_t removed = std::erase_if(found->second, [&](const ObjectPtr& o) { return o->version_id == id; });
    if (found->second.empty()) keys.erase(found);
    return removed > 0;
}

Bucket* Store::find(const std::string& name) {
    const auto found = buckets.find(name);
    return found == buckets.end() ? nullptr : &found->second;
}

std::string Store::new_id() {
    const uint64_t n = next_id++;
    return to_base64(digest(Algorithm::md5, fmt::format("s3tug-lab {}", n)).substr(0, 10) + fmt::format("{:05}", n));
}

}  // namespace s3tug::lab
