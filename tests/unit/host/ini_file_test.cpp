#include "host/ini_file.h"

#include <doctest/doctest.h>

#include <map>

namespace s3tug::host {

namespace {

using Values = std::map<std::string, std::string>;

/// "section/name" or "section/name/nested" -> value
Values flatten(const IniFile& file) {
    Values values;
    for (const IniSection& section : file.sections) {
        for (const IniProperty& property : section.properties) {
            values[section.name + "/" + property.name] = property.value;
            for (const IniProperty& inner : property.nested) {
                values[section.name + "/" + property.name + "/" + inner.name] = inner.value;
            }
        }
    }
    return values;
}

}  // namespace

TEST_SUITE("host/ini_file") {
    TEST_CASE("sections and properties are read as the AWS tools read them") {
        struct Row {
            std::string_view text;
            Values values;
        };
        const Row rows[] = {
            {"", {}},
            {"[default]\nregion = eu-west-1\n", {{"default/region", "eu-west-1"}}},
            {"[default]\nregion=eu-west-1", {{"default/region", "eu-west-1"}}},
            {"[default]\r\nregion = eu-west-1\r\n", {{"default/region", "eu-west-1"}}},
            {"\xEF\xBB\xBF[default]\nregion = r\n", {{"default/region", "r"}}},
            {"[profile  backup ]\nRegion = r\n", {{"profile backup/region", "r"}}},
            {"[profile \"two words\"]\na = 1\n", {{"profile two words/a", "1"}}},
            {"[p] # comment\na = 1\n", {{"p/a", "1"}}},
            {"# comment\n; comment\n\n[p]\n  # comment\na = 1\n", {{"p/a", "1"}}},
            {"[p]\na = 1 # comment\nb = 2 ; comment\nc = 3#4;5\n", {{"p/a", "1"}, {"p/b", "2"}, {"p/c", "3#4;5"}}},
            {"[p]\ncmd = sh -c \"a ; b # c\" # comment\n", {{"p/cmd", "sh -c \"a ; b # c\""}}},
            {"[p]\na = don't # comment\n", {{"p/a", "don't"}}},
            {"[p]\na = b=c==\n", {{"p/a", "b=c=="}}},
            {"[p]\na: 1\n", {{"p/a", "1"}}},
            {"[p]\na =\n", {{"p/a", ""}}},
            {"[p]\na = 1\na = 2\n", {{"p/a", "2"}}},
            {"[p]\na = 1\n[q]\nb = 2\n[p]\nc = 3\n", {{"p/a", "1"}, {"q/b", "2"}, {"p/c", "3"}}},
            {"[p]\n  a = 1\n  b = 2\n", {{"p/a", "1"}, {"p/b", "2"}}},
            {"[p]\na = 1\n  more\n", {{"p/a", "1\nmore"}}},
            {"[p]\ns3 =\n  addressing_style = path\n  x = y\nregion = r\n",
             {{"p/s3", ""}, {"p/s3/addressing_style", "path"}, {"p/s3/x", "y"}, {"p/region", "r"}}},
        };
        for (const Row& row : rows) {
            CAPTURE(row.text);
            const auto file = parse_ini(row.text, "f");
            REQUIRE(file.ok());
            CHECK(flatten(*file) == row.values);
        }
    }

    TEST_CASE("a broken line is named by file and line, and not shown") {
        struct Row {
            std::string_view text;
            std::string_view where;
        };
        const Row rows[] = {
            {"a = canary\n", "f:1:"},
            {"[p\na = canary\n", "f:1:"},
            {"[]\n", "f:1:"},
            {"[p] canary\n", "f:1:"},
            {"[p]\n\ncanary\n", "f:3:"},
            {"[p]\n= canary\n", "f:2:"},
            {"[p]\ns3 =\n  canary\n", "f:3:"},
            {std::string_view("[p]\na = \0canary\n", 17), "f:2:"},
        };
        for (const Row& row : rows) {
            CAPTURE(row.text);
            const auto file = parse_ini(row.text, "f");
            REQUIRE_FALSE(file.ok());
            CHECK(file.error().kind == ErrorKind::config);
            CHECK(file.error().message.starts_with(row.where));
            CHECK(file.error().message.find("canary") == std::string::npos);
        }
    }

    TEST_CASE("a property knows its line") {
        const auto file = parse_ini("[p]\n# x\na = 1\n", "f");
        REQUIRE(file.ok());
        REQUIRE(file->find("p") != nullptr);
        REQUIRE(file->find("p")->find("a") != nullptr);
        CHECK(file->find("p")->find("a")->line == 3);
        CHECK(file->find("q") == nullptr);
        CHECK(file->find("p")->find("b") == nullptr);
    }
}

}  // namespace s3tug::host
