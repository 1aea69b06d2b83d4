#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace s3tug::engine {

/// Wildcards as users of `aws s3` know them: a pattern is held against the whole text, case matters, and
///   *       any characters, none and '/' included (so ** is the same)
///   ?       one character, '/' included
///   [a-z]   one character of the set, [!a-z] one that is not; ']' first stands for itself; unclosed, '[' does
/// There is no escape character; [*] is a literal star. A character is one of UTF-8; a byte that begins none stands for
/// itself.
enum class GlobSyntax : uint8_t {
    filter,  ///< --include, --exclude: all of these
    uri,     ///< s3://: * and ? alone, since '[' is common in keys and `delete 's3://b/x[1]'` must not remove `x1`
};
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view text, GlobSyntax syntax);

/// --include and --exclude in the order in which they were given. All is included at first; of the rules that match the
/// last one wins. Paths are relative to the source, with '/' between their segments: `*.log` holds at any depth,
/// `tmp/*` only at the top.
class PathFilter {
  public:
    enum class Rule : uint8_t { include, exclude };

    /// `usage` for an empty pattern, one beyond limits::glob_max_bytes and more than limits::filter_rules_max.
    [[nodiscard]] Status add(Rule rule, std::string_view pattern);

    [[nodiscard]] bool keeps(std::string_view relative_path) const;

    /// True when nothing below this folder can be kept, whatever it is called, so that it need not be read: an exclude
    /// that ends in '*' holds for "FOLDER/" and so for all that begins with it, and no include comes after it.
    [[nodiscard]] bool drops_all_below(std::string_view relative_folder) const;

    /// True when there are only includes: they change nothing, since all is included at first. A user who writes that
    /// means `--exclude '*'` before them.
    [[nodiscard]] bool includes_in_vain() const;

  private:
    struct Entry {
        Rule rule;
        std::string pattern;
    };
    std::vector<Entry> rules_;
};

/// A key of an s3:// URI with wildcards.
struct KeyPattern {
    std::string prefix;   ///< up to the first wildcard: what is listed
    std::string pattern;  ///< the whole key as typed: what listed keys are held against

    [[nodiscard]] bool matches(std::string_view key) const { return glob_match(pattern, key, GlobSyntax::uri); }
    /// The prefix up to and with its last '/': the part of a key that is no part of its name below a target.
    [[nodiscard]] std::string_view folder() const;
};
/// nullopt for a key without wildcards.
[[nodiscard]] std::optional<KeyPattern> key_pattern(std::string_view key);

}  // namespace s3tug::engine
