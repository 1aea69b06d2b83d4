#include "cmd/config_file.h"

#include <doctest/doctest.h>

namespace s3tug::cmd {

namespace {

ConfigFile good(std::string_view text) {
    Result<ConfigFile> parsed = ConfigFile::parse(text, "config.toml");
    REQUIRE_MESSAGE(parsed.ok(), parsed.error().message);
    return *std::move(parsed);
}

std::string value(const ConfigFile& file, std::string_view profile, FlagId id) {
    const ConfigFile::Entry* entry = file.find(profile, id);
    return entry == nullptr ? "(none)" : entry->values.back();
}

}  // namespace

TEST_SUITE("cmd/config_file") {
    TEST_CASE("settings are found by section, each type as it would be typed") {
        const ConfigFile file = good(R"(
retries = 3
json = true
backoff-base = "250ms"
connect-timeout = 4
answer-timeout = 1.5
limit-rate = 1048576
concurrency = "auto"
verbose = 2
header = ["a: 1", "b: 2"]

[profile.backup]
region = "eu-central-1"
concurrency = 4
header = "c: 3"

[profile."with blank"]
breaker = "wait"
)");
        CHECK(value(file, "", FlagId::retries) == "3");
        CHECK(value(file, "", FlagId::json) == "true");
        CHECK(value(file, "", FlagId::backoff_base) == "250ms");
        CHECK(value(file, "", FlagId::connect_timeout) == "4");
        CHECK(value(file, "", FlagId::answer_timeout) == "1.500000");
        CHECK(value(file, "", FlagId::limit_rate) == "1048576");
        CHECK(value(file, "", FlagId::concurrency) == "auto");
        CHECK(value(file, "", FlagId::verbose) == "2");
        CHECK(file.find("", FlagId::header)->values == std::vector<std::string>{"a: 1", "b: 2"});
        CHECK(value(file, "backup", FlagId::region) == "eu-central-1");
        CHECK(value(file, "backup", FlagId::concurrency) == "4");
        CHECK(value(file, "backup", FlagId::header) == "c: 3");
        CHECK(value(file, "backup", FlagId::retries) == "(none)");
        CHECK(value(file, "with blank", FlagId::breaker) == "wait");
        CHECK(file.has_profile("backup"));
        CHECK_FALSE(file.has_profile("other"));
        CHECK(file.origin(*file.find("backup", FlagId::region)) == "config.toml:13: region");
    }

    TEST_CASE("an empty file has nothing") { CHECK(value(good(""), "", FlagId::region) == "(none)"); }

    TEST_CASE("a mistake is refused with its line and the nearest right name, in unused profiles too") {
        struct Row {
            std::string_view text;
            std::string_view says;
        };
        for (const Row& row : {
                 Row{"retries = 3\nreties = 4\n", "config.toml:2: unknown setting 'reties'; did you mean retries?"},
                 Row{"[profile.x]\nregio = \"a\"\n", "config.toml:2: unknown setting 'regio'; did you mean region?"},
                 Row{"backoff_base = \"1s\"\n", "did you mean backoff-base?"},
                 Row{"[profiles.x]\nregion = \"a\"\n", "unknown setting 'profiles'; did you mean profile?"},
                 Row{"dry-run = true\n",
                     "config.toml:1: dry-run cannot be set in a file, only given on the command line"},
                 Row{"idempotency-key = \"k\"\n", "cannot be set in a file"},
                 Row{"config = \"x\"\n", "only given on the command line or as S3TUG_CONFIG"},
                 Row{"retries = \"six\"\n", "config.toml:1: retries must be a whole number"},
                 Row{"retries = 1.5\n", "retries must be a whole number"},
                 Row{"json = 1\n", "json must be true or false"},
                 Row{"json = \"yes\"\n", "json must be true or false"},
                 Row{"region = 5\n", "region must be text in quotes"},
                 Row{"breaker = true\n", "breaker must be one of the choices, in quotes"},
                 Row{"deadline = true\n", "deadline must be a duration"},
                 Row{"deadline = inf\n", "deadline must be a duration"},
                 Row{"header = [1]\n", "header must be text, or an array of texts"},
                 Row{"region = [\"a\"]\n", "region must be text"},
                 Row{"[region]\nx = 1\n", "region must be text"},
                 Row{"[profile]\nbackup = 1\n", "config.toml:2: write profiles as sections: [profile.NAME]"},
                 Row{"retries = \n", "config.toml:1: "},
                 Row{"retries = 3\nretries = 4\n", "config.toml:2: "},
                 Row{"b\u00fcro = 3\n", "config.toml:1: "},
                 Row{"[p\ufef7rofile]\n", "config.toml:1: "},
                 Row{"[$profile]\nregion = \"a\"\n", "config.toml:1: "},
             }) {
            CAPTURE(row.text);
            const Result<ConfigFile> parsed = ConfigFile::parse(row.text, "config.toml");
            REQUIRE_FALSE(parsed.ok());
            CHECK(parsed.error().kind == ErrorKind::config);
            CAPTURE(parsed.error().message);
            CHECK(parsed.error().message.find(row.says) != std::string::npos);
            CHECK(parsed.error().message.find('\n') == std::string::npos);
        }
    }
}

}  // namespace s3tug::cmd
