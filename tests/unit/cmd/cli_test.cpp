#include "cmd/cli.h"

#include <doctest/doctest.h>

namespace s3tug::cmd {

namespace {

Result<Invocation> parse(const std::vector<std::string>& args) { return parse_command_line(args); }

Invocation good(const std::vector<std::string>& args) {
    Result<Invocation> parsed = parse(args);
    REQUIRE_MESSAGE(parsed.ok(), parsed.error().message);
    return *std::move(parsed);
}

std::string refusal(const std::vector<std::string>& args) {
    const Result<Invocation> parsed = parse(args);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().kind == ErrorKind::usage);
    return parsed.error().message;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_SUITE("cmd/cli") {
    TEST_CASE("options stand before the command, after it, or between operands") {
        for (const Words& args :
             {Words{"--region", "r1", "put", "a", "s3://b/k"}, Words{"put", "--region", "r1", "a", "s3://b/k"},
              Words{"put", "a", "--region=r1", "s3://b/k"}, Words{"put", "a", "s3://b/k", "--region", "r1"}}) {
            const Invocation call = good(args);
            CHECK(call.command->id == CommandId::put);
            CHECK(call.operands == Words{"a", "s3://b/k"});
            CHECK(call.find(FlagId::region) == "r1");
        }
    }

    TEST_CASE("aliases of commands and options mean the same") {
        CHECK(good({"rm", "s3://b/k"}).command->id == CommandId::remove);
        CHECK(good({"cp", "s3://b/k", "s3://b/l"}).command->id == CommandId::copy);
        CHECK(good({"put", "--dryrun", "a", "s3://b/k"}).is_on(FlagId::dry_run));
        CHECK(good({"put", "--if-none-match", "a", "s3://b/k"}).is_on(FlagId::no_overwrite));
    }

    TEST_CASE("-v counts, letters can be joined, and digits are letters too") {
        CHECK(good({"-v", "rm", "s3://b/k"}).find(FlagId::verbose) == "1");
        CHECK(good({"-vvv", "rm", "s3://b/k"}).find(FlagId::verbose) == "3");
        CHECK(good({"-v", "rm", "-vv", "s3://b/k"}).find(FlagId::verbose) == "3");
        CHECK(good({"--verbose=2", "rm", "s3://b/k"}).find(FlagId::verbose) == "2");
        const Invocation joined = good({"-vq4", "rm", "s3://b/k"});
        CHECK(joined.find(FlagId::verbose) == "1");
        CHECK(joined.is_on(FlagId::quiet));
        CHECK(joined.is_on(FlagId::ipv4));
        CHECK(good({"-6", "rm", "s3://b/k"}).is_on(FlagId::ipv6));
    }

    TEST_CASE("a toggle can be switched off again, and the last word counts") {
        CHECK_FALSE(good({"--json=false", "rm", "s3://b/k"}).is_on(FlagId::json));
        CHECK(good({"--json=false", "--json", "rm", "s3://b/k"}).is_on(FlagId::json));
        CHECK(good({"--region", "r1", "--region", "r2", "rm", "s3://b/k"}).find(FlagId::region) == "r2");
    }

    TEST_CASE("values are taken as they are") {
        for (const std::string value : {"-", "--", "--json", "-5", "a=b", "[x]", "[a,b]", "{}", " ", "a\nb", "%"}) {
            CAPTURE(value);
            const Invocation apart = good({"put", "--content-type", value, "a", "s3://b/k"});
            CHECK(apart.find(FlagId::content_type) == value);
            CHECK(apart.operands == Words{"a", "s3://b/k"});
            const Invocation joined = good({"put", "--content-type=" + value, "a", "s3://b/k"});
            CHECK(joined.find(FlagId::content_type) == value);
            CHECK(joined.operands == Words{"a", "s3://b/k"});
        }
    }

    TEST_CASE("an empty value is a value and does not take the next argument") {
        for (const Words& args :
             {Words{"put", "--proxy=", "a", "s3://b/k"}, Words{"put", "--proxy", "", "a", "s3://b/k"}}) {
            const Invocation call = good(args);
            CHECK(call.find(FlagId::proxy) == "");
            CHECK(call.operands == Words{"a", "s3://b/k"});
        }
    }

    TEST_CASE("operands are taken as they are, and -- ends the options") {
        CHECK(good({"put", "-", "s3://b/[k]"}).operands == Words{"-", "s3://b/[k]"});
        CHECK(good({"put", "[a,b]", "s3://b/k"}).operands == Words{"[a,b]", "s3://b/k"});
        CHECK(good({"put", "--", "--json", "s3://b/k"}).operands == Words{"--json", "s3://b/k"});
        CHECK(good({"put", "--", "-v", "--", "s3://b/k"}).operands == Words{"-v", "--", "s3://b/k"});
        CHECK(good({"--json", "--", "put", "a", "s3://b/k"}).operands == Words{"a", "s3://b/k"});
    }

    TEST_CASE("options that can be repeated keep their order") {
        const Invocation call = good({"--header", "a: 1", "put", "--header=b: 2", "a", "s3://b/k", "--header", "a: 3"});
        CHECK(call.all(FlagId::header) == Words{"a: 1", "b: 2", "a: 3"});
    }

    TEST_CASE("what is wrong is refused with the nearest right name") {
        struct Row {
            Words args;
            std::string_view says;
        };
        for (const Row& row : {
                 Row{{"put", "--reties", "3", "a", "s3://b/k"}, "unknown option --reties; did you mean --retries?"},
                 Row{{"put", "--endpoint", "x", "a", "s3://b/k"}, "did you mean --endpoint-url?"},
                 Row{{"put", "-region", "x", "a", "s3://b/k"}, "did you mean --region?"},
                 Row{{"put", "--wibble=1", "a", "s3://b/k"}, "unknown option --wibble; s3tug --help lists them"},
                 Row{{"put", "-x", "a", "s3://b/k"}, "unknown option -x"},
                 Row{{"putt", "a", "s3://b/k"}, "unknown command 'putt'; did you mean put?"},
                 Row{{"dig", "a", "s3://b/k"}, "unknown command 'dig'; s3tug --help lists them"},
                 Row{{}, "no command given; one of: put, get, delete, copy, move"},
                 Row{{"--json"}, "no command given"},
                 Row{{"copy", "--expect-size", "3", "s3://a/k", "s3://b/k"},
                     "--expect-size does not apply to copy (it applies to: put, get"},
                 Row{{"put", "a", "s3://b/k", "--region"}, "--region needs a value: --region eu-central-1"},
                 Row{{"put", "--json=maybe", "a", "s3://b/k"}, "--json=maybe: say true or false"},
                 Row{{"put", "--json=", "a", "s3://b/k"}, "--json=: say true or false"},
                 Row{{"put", "--verbose=x", "a", "s3://b/k"}, "--verbose=x: not a number"},
                 Row{{"help", "gett"}, "unknown command 'gett'; did you mean get?"},
             }) {
            CAPTURE(row.says);
            CHECK(refusal(row.args).find(row.says) != std::string::npos);
        }
    }

    TEST_CASE("a command that sends nothing bears the settings of those that do, but not what is for one run") {
        CHECK(good({"--endpoint-url", "http://s3", "--retries", "3", "state", "show"}).operands == Words{"show"});
        CHECK(refusal({"state", "show", "--dry-run"}).find("--dry-run does not apply to state") != std::string::npos);
    }

    TEST_CASE("what was typed cannot drive the terminal through an error message") {
        CHECK(refusal({"put\x1b[2J"}).find('\x1b') == std::string::npos);
        CHECK(refusal({"put", "--wib\x1b[2Jble"}).find('\x1b') == std::string::npos);
    }

    TEST_CASE("help and version win over everything else that was typed") {
        CHECK(good({"--help"}).mode == Invocation::Mode::help);
        CHECK(good({"-h"}).command == nullptr);
        CHECK(good({"put", "--help"}).command->id == CommandId::put);
        CHECK(good({"--help", "rm"}).command->id == CommandId::remove);
        CHECK(good({"help", "copy"}).command->id == CommandId::copy);
        CHECK(good({"help"}).mode == Invocation::Mode::help);
        CHECK(good({"--version", "--wibble"}).mode == Invocation::Mode::version);
        CHECK(good({"put", "--wibble", "-h"}).mode == Invocation::Mode::help);
        CHECK(good({"--help", "put", "--region"}).mode == Invocation::Mode::help);
    }
}

}  // namespace s3tug::cmd
