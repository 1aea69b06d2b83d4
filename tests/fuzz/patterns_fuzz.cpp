// Wildcards and the ways between keys and paths. The first line is a pattern or root, each further one a key.
#include <algorithm>
#include <vector>

#include "base/limits.h"
#include "engine/glob.h"
#include "engine/key_path.h"
#include "fuzz/fuzz.h"
#include "wire/utf8.h"

namespace s3tug::fuzz {
namespace {

/// * and ? by the book, in a way that shares nothing with the one under test: a table over all positions.
bool matches_by_table(std::string_view pattern, std::string_view text) {
    std::vector<std::string> characters;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t bytes = std::max<std::size_t>(1, wire::first_utf8_char(rest).bytes);
        characters.emplace_back(rest.substr(0, bytes));
        rest.remove_prefix(bytes);
    }
    std::vector<bool> here(characters.size() + 1, false);
    here[0] = true;
    while (!pattern.empty()) {
        std::vector<bool> next(here.size(), false);
        const std::size_t bytes = std::max<std::size_t>(1, wire::first_utf8_char(pattern).bytes);
        const std::string_view one = pattern.substr(0, bytes);
        pattern.remove_prefix(bytes);
        for (std::size_t at = 0; at < here.size(); ++at) {
            if (one == "*") {
                next[at] = here[at] || (at > 0 && next[at - 1]);
            } else if (at > 0) {
                next[at] = here[at - 1] && (one == "?" || one == characters[at - 1]);
            }
        }
        here = std::move(next);
    }
    return here.back();
}

void check_glob(std::string_view pattern, std::string_view key) {
    using engine::GlobSyntax;
    const bool matched = engine::glob_match(pattern, key, GlobSyntax::uri);
    if (pattern.size() <= 64 && key.size() <= 256) {
        require(matched == matches_by_table(pattern, key), "* and ? match by the book", pattern);
        if (pattern.find('[') == std::string_view::npos) {
            require(engine::glob_match(pattern, key, GlobSyntax::filter) == matched, "without a set both forms agree",
                    pattern);
        }
    }
    (void)engine::glob_match(pattern, key, GlobSyntax::filter);
    if (const auto wild = engine::key_pattern(pattern); wild && wild->matches(key)) {
        require(key.starts_with(wild->prefix), "what matches begins with what is listed", key);
    }
    engine::PathFilter filter;
    if (filter.add(engine::PathFilter::Rule::exclude, pattern)) {
        require(filter.keeps(key) != engine::glob_match(pattern, key, GlobSyntax::filter), "a filter is its pattern");
    }
}

void check_local_name(std::string_view key) {
    const auto name = engine::local_name_of(key);
    if (!name) {
        require(shows_safely(name.error().message), "errors can be shown", name.error().message);
        return;
    }
    const std::string& path = name->path;
    require(path.find('\0') == std::string::npos && !path.starts_with('/') && path.size() <= limits::path_max_bytes,
            "a path is relative and bounded", path);
    for (std::string_view rest = path; !rest.empty();) {
        const std::string_view segment = rest.substr(0, rest.find('/'));
        require(!segment.empty() && segment != "." && segment != ".." && segment.size() <= limits::file_name_max_bytes,
                "no segment leaves the folder", path);
        rest.remove_prefix(std::min(rest.size(), segment.size() + 1));
    }
    const auto back = engine::key_of_local_path(path, "");
    if (back) require(*back + (name->folder_marker && !key.empty() ? "/" : "") == key, "a key comes back", key);
}

void check_collisions(const std::vector<std::string_view>& keys) {
    engine::CollisionCheck check;
    bool found = false;
    for (const std::string_view key : keys) found = check.add(key).has_value() || found;
    if (!check.complete()) return;
    bool expected = false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const bool below = keys[i].starts_with(std::string(keys[k]) + "/") && !keys[i].ends_with('/');
            expected = expected || keys[i] == keys[k] || (below && !keys[k].ends_with('/') && !keys[k].empty());
        }
    }
    require(!expected || found, "two keys that cannot be files side by side are found");
}

}  // namespace
}  // namespace s3tug::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace s3tug::fuzz;
    if (size > 8192) return 0;
    std::string_view text = text_of(data, size);
    const std::string_view pattern = take_line(text);
    std::vector<std::string_view> keys;
    while (!text.empty() && keys.size() < 50) keys.push_back(take_line(text));
    for (const std::string_view key : keys) {
        check_glob(pattern, key);
        check_local_name(key);
        const bool inside = s3tug::engine::is_in_tree(key, pattern);
        require(!inside || key.starts_with(pattern), "a tree holds what begins with its root", key);
    }
    check_collisions(keys);
    return 0;
}
