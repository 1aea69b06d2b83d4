#include "engine/key_selection.h"

#include "wire/uri.h"

namespace s3tug::engine {

std::string KeySelection::base() const {
    if (pattern) return std::string(pattern->folder());
    return root.empty() || root.ends_with('/') ? root : root + "/";
}

bool KeySelection::is_root(std::string_view key) const {
    return !pattern && !root.empty() && !root.ends_with('/') && key == root;
}

std::optional<std::string> KeySelection::name_of(std::string_view key) const {
    if (pattern) {
        if (!pattern->matches(key)) return std::nullopt;
        return std::string(key.substr(pattern->folder().size()));
    }
    if (is_root(key)) return root.substr(root.rfind('/') + 1);
    const std::string folder = base();
    if (!key.starts_with(folder)) return std::nullopt;
    return std::string(key.substr(folder.size()));
}

std::vector<wire::ListObjectsInput> KeySelection::listings() const {
    std::vector<wire::ListObjectsInput> out;
    wire::ListObjectsInput one;
    one.bucket = bucket;
    if (!pattern && !root.empty() && !root.ends_with('/')) {
        one.prefix = root;
        one.max_keys = 1;
        out.push_back(one);
        one.max_keys = limits::list_page_max;
    }
    one.prefix = pattern ? pattern->prefix : base();
    out.push_back(std::move(one));
    return out;
}

std::string KeySelection::text() const { return wire::to_text({bucket, pattern ? pattern->pattern : root}); }

}  // namespace s3tug::engine
