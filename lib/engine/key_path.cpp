#include "engine/key_path.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "wire/utf8.h"

namespace s3tug::engine {

namespace {

std::string shown(std::string_view name) { return "'" + printable(name, limits::trace_text_max_bytes) + "'"; }

/// Takes the text up to the next '/' off the front, and the '/'.
std::string_view take_segment(std::string_view& path) {
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
    return segment;
}

/// What keeps a segment from being a file name; empty when nothing does.
std::string_view segment_fault(std::string_view segment) {
    if (segment.empty()) return "it has an empty segment ('//'), which a path cannot keep";
    if (segment == "..") return "its '..' would lead out of the target folder";
    if (segment == ".") return "its '.' segment would be lost";
    if (segment.find('\0') != std::string_view::npos) return "a file name cannot hold NUL";
    if (segment.size() > limits::file_name_max_bytes) return "a segment is longer than the 255 bytes of a file name";
    return {};
}

std::string_view path_fault(std::string_view path) {
    if (path.starts_with('/')) return "it is absolute and would lead out of the target folder";
    if (path.ends_with('/')) return segment_fault({});
    if (path.size() > limits::path_max_bytes) return "it is longer than the 4095 bytes of a path";
    while (!path.empty()) {
        const std::string_view fault = segment_fault(take_segment(path));
        if (!fault.empty()) return fault;
    }
    return {};
}

}  // namespace

Result<LocalName> local_name_of(std::string_view key) {
    const bool marker = key.ends_with('/');
    const std::string_view path = marker ? key.substr(0, key.size() - 1) : key;
    if (key.empty()) return LocalName{.path = {}, .folder_marker = true};
    const std::string_view fault = path_fault(key == "/" ? key : path);
    if (!fault.empty()) {
        return Error{ErrorKind::cannot_write, "key " + shown(key) + " cannot become a file: " + std::string(fault)};
    }
    return LocalName{.path = std::string(path), .folder_marker = marker};
}

Result<std::string> key_of_local_path(std::string_view relative_path, std::string_view prefix) {
    std::string key(prefix);
    const std::string_view typed = relative_path;
    bool first = true;
    while (!relative_path.empty()) {
        const std::string_view segment = take_segment(relative_path);
        if (segment.empty() || segment == ".") continue;
        if (segment == "..") return Error{ErrorKind::usage, "path " + shown(typed) + " leads out of its folder"};
        if (!first) key.push_back('/');
        key.append(segment);
        first = false;
    }
    if (first) return Error{ErrorKind::usage, "path " + shown(typed) + " names no file"};
    if (!wire::is_utf8(key)) {
        return Error{ErrorKind::unsupported,
                     "file " + shown(typed) + " cannot become a key: its name is not UTF-8; rename it"};
    }
    if (key.size() > limits::key_max_bytes) {
        return Error{ErrorKind::unsupported, "file " + shown(typed) + " cannot become a key: it would have " +
                                                 std::to_string(key.size()) + " bytes, S3 takes " +
                                                 std::to_string(limits::key_max_bytes)};
    }
    return key;
}

bool is_in_tree(std::string_view key, std::string_view root) {
    if (!key.starts_with(root)) return false;
    return root.empty() || root.ends_with('/') || key.size() == root.size() || key[root.size()] == '/';
}

std::optional<std::string> CollisionCheck::add(std::string_view key) {
    if (!open_.empty() && key < open_.back()) complete_ = false;
    while (!open_.empty() && !key.starts_with(open_.back())) open_.pop_back();
    std::optional<std::string> found;
    for (const std::string& earlier : open_) {
        // A key that ends in '/' is the marker of a folder and collides with nothing below it.
        const bool below = key.size() > earlier.size() && key[earlier.size()] == '/' && !earlier.ends_with('/');
        if (key == earlier || below) {
            found = earlier;
            break;
        }
    }
    if (open_.empty() || open_.back() != key) open_.emplace_back(key);
    return found;
}

}  // namespace s3tug::engine
