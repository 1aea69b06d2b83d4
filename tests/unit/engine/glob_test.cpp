#include "engine/glob.h"

#include <doctest/doctest.h>

#include "base/limits.h"

namespace s3tug::engine {

namespace {

using Rule = PathFilter::Rule;

}  // namespace

TEST_SUITE("engine/glob") {
    TEST_CASE("patterns match as they do for aws s3") {
        struct Row {
            std::string_view pattern, text;
            bool matches;
        };
        // Computed with Python's fnmatch.fnmatchcase, which is what aws s3 uses.
        for (const Row& row : {
                 Row{"*", "a/b", true},
                 Row{"*", "", true},
                 Row{"", "", true},
                 Row{"", "a", false},
                 Row{"a*", "abc/d", true},
                 Row{"*.log", "x/y.log", true},
                 Row{"*.log", "y.logs", false},
                 Row{"tmp/*", "tmp/a", true},
                 Row{"tmp/*", "a/tmp/b", false},
                 Row{"**/x", "x", false},
                 Row{"**/x", "a/b/x", true},
                 Row{"a?c", "abc", true},
                 Row{"a?c", "a/c", true},
                 Row{"a?c", "ac", false},
                 Row{"?", "\xC3\xA4", true},
                 Row{"??", "\xC3\xA4", false},
                 Row{"[abc]", "b", true},
                 Row{"[a-c]x", "bx", true},
                 Row{"[a-c]x", "dx", false},
                 Row{"[!a-c]", "d", true},
                 Row{"[!a-c]", "b", false},
                 Row{"[]]", "]", true},
                 Row{"[!]]", "]", false},
                 Row{"[!]]", "a", true},
                 Row{"[-a]", "-", true},
                 Row{"[a-]", "-", true},
                 Row{"[a-c-e]", "d", false},
                 Row{"[a-c-e]", "-", true},
                 Row{"[z-a]", "m", false},
                 Row{"[!z-a]", "m", true},
                 Row{"[", "[", true},
                 Row{"[ab", "[ab", true},
                 Row{"[!", "[!", true},
                 Row{"a[", "a[", true},
                 Row{"[*]", "*", true},
                 Row{"[*]", "a", false},
                 Row{"[\xC3\xA4-\xC3\xBC]", "\xC3\xB6", true},
                 Row{"\\*", "\\x", true},
                 Row{"\\*", "*", false},
                 Row{"A", "a", false},
                 Row{"*a*b*c*", "xxaxxbxxcxx", true},
                 Row{"*a*b*c*", "xxaxxcxxbxx", false},
                 Row{"*ab", "aab", true},
                 Row{"a*b*", "ab", true},
                 Row{"***", "x", true},
                 Row{"*?", "", false},
                 Row{"*?", "a", true},
                 Row{"[^a]", "b", false},
                 Row{"[^a]", "^", true},
                 Row{"a.c", "abc", false},
                 Row{"(x)", "(x)", true},
             }) {
            CAPTURE(row.pattern);
            CAPTURE(row.text);
            CHECK(glob_match(row.pattern, row.text, GlobSyntax::filter) == row.matches);
        }
    }

    TEST_CASE("bytes that are no UTF-8 are characters of their own") {
        CHECK(glob_match("?", "\xFF", GlobSyntax::filter));
        CHECK(!glob_match("?", "\xFF\xFE", GlobSyntax::filter));
        CHECK(glob_match("a*\xFF", "a\xFE\xFF", GlobSyntax::filter));
        CHECK(!glob_match("\xFF", "\xFE", GlobSyntax::filter));
        CHECK(!glob_match("\xFF", "\xC3\xBF", GlobSyntax::filter));  // U+00FF is another character
    }

    TEST_CASE("in a URI only * and ? are special") {
        CHECK(glob_match("x[1].csv", "x[1].csv", GlobSyntax::uri));
        CHECK(!glob_match("x[1].csv", "x1.csv", GlobSyntax::uri));
        CHECK(glob_match("x[1]*", "x[1].csv", GlobSyntax::uri));
        CHECK(glob_match("log?/*", "logs/a/b", GlobSyntax::uri));
    }

    TEST_CASE("a pattern made to be slow is answered all the same") {
        std::string pattern;
        for (int i = 0; i < 500; ++i) pattern += "a*";
        CHECK(!glob_match(pattern + "b", std::string(2000, 'a'), GlobSyntax::filter));
        CHECK(glob_match(pattern, std::string(2000, 'a'), GlobSyntax::filter));
    }
}

TEST_SUITE("engine/glob filters") {
    TEST_CASE("all is included at first, and the last rule that matches wins") {
        PathFilter filter;
        CHECK(filter.keeps("a/b.txt"));
        CHECK(filter.add(Rule::exclude, "*").ok());
        CHECK(!filter.keeps("a/b.txt"));
        CHECK(filter.add(Rule::include, "*.txt").ok());
        CHECK(filter.keeps("a/b.txt"));
        CHECK(!filter.keeps("a/b.log"));
        CHECK(filter.add(Rule::exclude, "a/*").ok());
        CHECK(!filter.keeps("a/b.txt"));
        CHECK(filter.keeps("c/b.txt"));

        PathFilter reversed;
        CHECK(reversed.add(Rule::include, "*.txt").ok());
        CHECK(reversed.add(Rule::exclude, "*").ok());
        CHECK(!reversed.keeps("a/b.txt"));
    }

    TEST_CASE("includes alone change nothing, and that can be told") {
        PathFilter filter;
        CHECK(!filter.includes_in_vain());
        CHECK(filter.add(Rule::include, "*.txt").ok());
        CHECK(filter.includes_in_vain());
        CHECK(filter.keeps("a.log"));
        CHECK(filter.add(Rule::exclude, "*.log").ok());
        CHECK(!filter.includes_in_vain());
    }

    TEST_CASE("empty, overlong and too many patterns are refused with their option") {
        PathFilter filter;
        const Status empty = filter.add(Rule::exclude, "");
        REQUIRE(!empty.ok());
        CHECK(empty.error().kind == ErrorKind::usage);
        CHECK(empty.error().message.find("--exclude") != std::string::npos);
        CHECK(!filter.add(Rule::include, std::string(limits::glob_max_bytes + 1, 'x')).ok());
        for (std::size_t i = 0; i < limits::filter_rules_max; ++i) REQUIRE(filter.add(Rule::exclude, "x").ok());
        CHECK(!filter.add(Rule::exclude, "x").ok());
    }
}

TEST_SUITE("engine/glob keys") {
    TEST_CASE("a key with wildcards is listed by what stands before the first") {
        struct Row {
            std::string_view key, prefix, folder;
        };
        for (const Row& row : {Row{"log*", "log", ""}, Row{"a/b/2026-?1/x*.gz", "a/b/2026-", "a/b/"}, Row{"*", "", ""},
                               Row{"a/*/b", "a/", "a/"}, Row{"what?", "what", ""}, Row{"[x]/y*", "[x]/y", "[x]/"}}) {
            CAPTURE(row.key);
            const auto pattern = key_pattern(row.key);
            REQUIRE(pattern.has_value());
            CHECK(pattern->prefix == row.prefix);
            CHECK(pattern->folder() == row.folder);
            CHECK(pattern->pattern == row.key);
        }
        for (const std::string_view key : {"", "a/b", "x[1].csv", "a\\b", "100%"}) CHECK(!key_pattern(key));
    }

    TEST_CASE("listed keys are held against the whole pattern") {
        const auto pattern = key_pattern("a/*.gz");
        REQUIRE(pattern.has_value());
        CHECK(pattern->matches("a/x.gz"));
        CHECK(pattern->matches("a/b/x.gz"));
        CHECK(!pattern->matches("a/x.gz.bak"));
        CHECK(!pattern->matches("b/a/x.gz"));
    }
}

}  // namespace s3tug::engine
