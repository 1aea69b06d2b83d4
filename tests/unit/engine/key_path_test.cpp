#include "engine/key_path.h"

#include <doctest/doctest.h>

#include "base/limits.h"

namespace s3tug::engine {

TEST_SUITE("engine/key_path: keys to files") {
    TEST_CASE("a key becomes the path that it looks like; one that ends in / is a folder") {
        struct Row {
            std::string_view key, path;
            bool marker;
        };
        for (const Row& row : {Row{"a", "a", false}, Row{"a/b/c.txt", "a/b/c.txt", false}, Row{"a/", "a", true},
                               Row{"a/b/", "a/b", true}, Row{"", "", true}, Row{"..a/b..", "..a/b..", false},
                               Row{".../x", ".../x", false}, Row{".hidden", ".hidden", false}, Row{"~/x", "~/x", false},
                               Row{"a\\b", "a\\b", false}, Row{"C:/x", "C:/x", false},
                               Row{"new\nline \xFF", "new\nline \xFF", false}, Row{"-rf", "-rf", false}}) {
            CAPTURE(row.key);
            const Result<LocalName> name = local_name_of(row.key);
            REQUIRE(name.ok());
            CHECK(name->path == row.path);
            CHECK(name->folder_marker == row.marker);
        }
    }

    TEST_CASE("a key that would leave the folder, or share its file with another, is refused by name") {
        struct Row {
            std::string_view key, words;
        };
        using namespace std::string_view_literals;
        for (const Row& row :
             {Row{"/etc/passwd", "absolute"}, Row{"/", "absolute"}, Row{"//", "absolute"}, Row{"..", "'..'"},
              Row{"../x", "'..'"}, Row{"a/../../x", "'..'"}, Row{"a/..", "'..'"}, Row{"a/../", "'..'"}, Row{".", "'.'"},
              Row{"./a", "'.'"}, Row{"a/./b", "'.'"}, Row{"a/.", "'.'"}, Row{"a//b", "empty segment"},
              Row{"a//", "empty segment"}, Row{"a\0b"sv, "NUL"}, Row{"x/\0"sv, "NUL"}}) {
            CAPTURE(row.key);
            const Result<LocalName> name = local_name_of(row.key);
            REQUIRE(!name.ok());
            CHECK(name.error().kind == ErrorKind::cannot_write);
            CAPTURE(name.error().message);
            CHECK(name.error().message.find(row.words) != std::string::npos);
            CHECK(name.error().message.find('\0') == std::string::npos);
        }
        CHECK(local_name_of("a\nb/..").error().message.find('\n') == std::string::npos);
    }

    TEST_CASE("names are as long as Linux takes them") {
        const std::string longest(limits::file_name_max_bytes, 'n');
        CHECK(local_name_of(longest).ok());
        CHECK(local_name_of("a/" + longest + "/b").ok());
        CHECK(!local_name_of(longest + "n").ok());
        CHECK(!local_name_of("a/" + longest + "n/b").ok());
        std::string deep;
        while (deep.size() + 2 <= limits::path_max_bytes) deep += "d/";
        CHECK(local_name_of(deep + "d").ok());
        CHECK(!local_name_of(deep + "dd").ok());
    }
}

TEST_SUITE("engine/key_path: files to keys") {
    TEST_CASE("a path is put behind the prefix as it stands") {
        struct Row {
            std::string_view path, prefix, key;
        };
        for (const Row& row : {Row{"a", "", "a"}, Row{"a/b", "p/", "p/a/b"}, Row{"./a", "p/", "p/a"},
                               Row{"a//b", "", "a/b"}, Row{"a/./b", "", "a/b"}, Row{"./", "p", ""},
                               Row{"\xC3\xA4 +%20", "", "\xC3\xA4 +%20"}, Row{"..a", "", "..a"}}) {
            CAPTURE(row.path);
            const Result<std::string> key = key_of_local_path(row.path, row.prefix);
            CHECK(key.ok() == !row.key.empty());
            if (key) CHECK(*key == row.key);
        }
    }

    TEST_CASE("paths that are no keys are refused by name") {
        struct Row {
            std::string path;
            ErrorKind kind;
        };
        for (const Row& row : {Row{"", ErrorKind::usage}, Row{".", ErrorKind::usage}, Row{"a/../b", ErrorKind::usage},
                               Row{"gr\xFC\xDF", ErrorKind::unsupported},
                               Row{std::string(limits::key_max_bytes, 'k'), ErrorKind::unsupported}}) {
            CAPTURE(row.path);
            const Result<std::string> key = key_of_local_path(row.path, "p");
            REQUIRE(!key.ok());
            CHECK(key.error().kind == row.kind);
        }
        CHECK(key_of_local_path(std::string(limits::key_max_bytes - 1, 'k'), "p").ok());
        CHECK(key_of_local_path("gr\xFC\xDF", "").error().message.find("gr\\xfc\\xdf") != std::string::npos);
    }

    TEST_CASE("what can be written as a file and read back has the key that it had") {
        for (const std::string_view key : {"a", "a/b/c", "x y/+%", "\xC3\xA4/\xE2\x82\xAC"}) {
            CHECK(*key_of_local_path(local_name_of(key)->path, "") == key);
        }
    }
}

TEST_SUITE("engine/key_path: trees") {
    TEST_CASE("a tree is the key itself and all below it, never a neighbour of like name") {
        struct Row {
            std::string_view key, root;
            bool in;
        };
        for (const Row& row :
             {Row{"log", "log", true}, Row{"log/a", "log", true}, Row{"log/", "log", true},
              Row{"logs-old/a", "log", false}, Row{"log.txt", "log", false}, Row{"lo", "log", false},
              Row{"log", "log/", false}, Row{"log/a", "log/", true}, Row{"x", "", true}, Row{"/x", "", true}}) {
            CAPTURE(row.key);
            CAPTURE(row.root);
            CHECK(is_in_tree(row.key, row.root) == row.in);
        }
    }

    TEST_CASE("a key twice, and a file where another needs a folder, are found in a sorted listing") {
        CollisionCheck check;
        struct Row {
            std::string_view key, collides_with;
        };
        // In the order of bytes: '!' and '-' stand before '/', which stands before '0'.
        for (const Row& row : {Row{"A", ""}, Row{"a", ""}, Row{"a", "a"}, Row{"a!", ""}, Row{"a!/x", "a!"},
                               Row{"a-b", ""}, Row{"a-b/c/d", "a-b"}, Row{"a/b", "a"}, Row{"a/b/c", "a"}, Row{"a0", ""},
                               Row{"b/", ""}, Row{"b/c", ""}, Row{"b/c/", "b/c"}, Row{"c/d/e", ""}, Row{"c/d/f", ""}}) {
            CAPTURE(row.key);
            CHECK(check.add(row.key).value_or("") == row.collides_with);
        }
        CHECK(check.complete());
    }

    TEST_CASE("a listing out of order is told") {
        CollisionCheck check;
        CHECK(!check.add("b"));
        CHECK(check.complete());
        CHECK(!check.add("a"));
        CHECK(!check.complete());
    }
}

}  // namespace s3tug::engine
