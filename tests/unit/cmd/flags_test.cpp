#include "cmd/flags.h"

#include <doctest/doctest.h>

#include <set>

namespace s3tug::cmd {

TEST_SUITE("cmd/flags") {
    TEST_CASE("no two options share a name, an alias, a letter or a variable") {
        std::set<std::string> names;
        std::set<char> letters;
        for (const Flag& f : flags()) {
            CAPTURE(f.name);
            CHECK(names.insert(std::string(f.name)).second);
            if (!f.alias.empty()) CHECK(names.insert(std::string(f.alias)).second);
            if (f.letter != 0) CHECK(letters.insert(f.letter).second);
        }
    }

    TEST_CASE("every row says what the option does, fits one line of help and has an example that names it") {
        for (const Flag& f : flags()) {
            CAPTURE(f.name);
            CHECK(f.brief.size() > 10);
            CHECK(f.brief.size() <= 64);
            CHECK(f.brief.back() != '.');
            CHECK((f.text.empty() || f.text.back() == '.'));
            CHECK(f.commands != 0);
            const bool long_form = f.example.starts_with("--" + std::string(f.name));
            const bool short_form = f.letter != 0 && f.example.starts_with(std::string("-") + f.letter);
            CHECK((long_form || short_form));
            CHECK((!takes_value(f) || !f.value.empty()));
            CHECK((f.type != ValueType::choice || choices(f).size() >= 2));
        }
    }

    TEST_CASE("options that say what to do this time have no variable of AWS and no built-in value") {
        for (const Flag& f : flags()) {
            CAPTURE(f.name);
            if (f.use != Use::this_time) continue;
            CHECK(f.aws.empty());
            CHECK(f.standard.empty());
        }
    }

    TEST_CASE("options that a text mentions exist") {
        const auto check = [](std::string_view text) {
            for (std::size_t at = text.find("--"); at != std::string_view::npos; at = text.find("--", at + 2)) {
                const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at);
                const std::string_view name = text.substr(at + 2, end == std::string_view::npos ? end : end - at - 2);
                CAPTURE(name);
                CHECK((name.empty() || find_flag(name) != nullptr));
            }
        };
        for (const Flag& f : flags()) {
            check(f.text);
            check(f.brief);
            check(f.example);
        }
        for (const Command& c : commands()) {
            check(c.text);
            for (const Example& e : c.examples) check(e.line);
        }
    }

    TEST_CASE("names are found by name, alias and letter") {
        CHECK(find_flag("dryrun") == find_flag("dry-run"));
        CHECK(find_flag('q')->id == FlagId::quiet);
        CHECK(find_flag("") == nullptr);
        CHECK(find_flag('\0') == nullptr);
        CHECK(environment_name(flag(FlagId::backoff_base)) == "S3TUG_BACKOFF_BASE");
        CHECK(choices(flag(FlagId::breaker)) == std::vector<std::string_view>{"on", "off", "wait"});
    }
}

}  // namespace s3tug::cmd
