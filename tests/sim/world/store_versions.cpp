#include <algorithm>

#include "sim/world/store.h"

/// Versions by their ids, as AWS documents them.
namespace s3tug::simworld {

const Version* Store::version(const std::string& name, std::string_view id) const {
    const auto found = objects.find(name);
    if (found == objects.end()) return nullptr;
    const auto at =
        std::find_if(found->second.begin(), found->second.end(), [id](const Version& v) { return v.id == id; });
    return at == found->second.end() ? nullptr : &*at;
}

const Version* Store::wanted(const Incoming& in, wire::HttpAnswer& refusal) const {
    if (in.has("versionId")) {
        const Version* found = version(in.name, in.value("versionId"));
        if (found == nullptr) {
            refusal = error(404, "NoSuchVersion");
        } else if (!found->blob) {  // a marker is there, and cannot be read
            refusal = error(405, "MethodNotAllowed");
            refusal.headers.add("x-amz-delete-marker", "true");
            refusal.headers.add("allow", "DELETE");
            found = nullptr;
        }
        return found;
    }
    const Version* found = current(in.name);
    if (found != nullptr) return found;
    refusal = error(404, "NoSuchKey");
    if (objects.contains(in.name) && !objects.at(in.name).empty()) refusal.headers.add("x-amz-delete-marker", "true");
    return nullptr;
}

/// For good: what was below comes to light when it was the newest. Of one that is not there 204 is said, too.
wire::HttpAnswer Store::remove_version(const Incoming& in) {
    if (options_.retains) return error(403, "AccessDenied");
    const std::string id = in.value("versionId");
    wire::HttpAnswer out = plain_answer(204);
    out.headers.add("x-amz-version-id", id);
    const Version* found = version(in.name, id);
    const bool there = found != nullptr;
    if (there) {
        if (!found->blob) out.headers.add("x-amz-delete-marker", "true");
        std::vector<Version>& versions = objects[in.name];
        const bool newest = found == &versions.back();
        versions.erase(versions.begin() + (found - versions.data()));
        const Version* now_there = current(in.name);
        if (newest && now_there != nullptr)
            history[in.name].push_back(moment_of(*now_there));
        else if (newest)
            history[in.name].push_back(moment_of({}));
    }
    tell({wire::Op::delete_object, in.name, in.serial, {}, nullptr, there, id, true});
    return out;
}

}  // namespace s3tug::simworld
