#include "cmd/load_settings.h"

#include <doctest/doctest.h>

#include <map>

#include "support/temp_folder.h"

namespace s3tug::cmd {

namespace {

using Words = std::vector<std::string>;

/// A home folder with its files, and one command.
struct Home {
    test::TempFolder folder;
    std::map<std::string, std::string, std::less<>> variables = {{"HOME", folder.path()}};
    Words args = {"put", "a", "s3://bucket/k"};

    void config(const std::string& text) const { static_cast<void>(folder.write(".config/s3tug/config.toml", text)); }
    void aws_config(const std::string& text) const { static_cast<void>(folder.write(".aws/config", text)); }

    [[nodiscard]] Result<Settings> load() const {
        const Result<Invocation> call = parse_command_line(args);
        REQUIRE(call.ok());
        return load_settings(*call, host::Environment(variables));
    }
    [[nodiscard]] Settings good() const {
        Result<Settings> settings = load();
        REQUIRE_MESSAGE(settings.ok(), settings.error().message);
        return *std::move(settings);
    }
    [[nodiscard]] std::string refusal() const {
        const Result<Settings> settings = load();
        REQUIRE_FALSE(settings.ok());
        CHECK(settings.error().kind == ErrorKind::config);
        return settings.error().message;
    }
};

}  // namespace

TEST_SUITE("cmd/load_settings") {
    TEST_CASE("config.toml is found at its usual places, and missing is no error") {
        Home home;
        CHECK(home.good().engine.retry.retries == 6);
        home.config("retries = 2");
        CHECK(home.good().engine.retry.retries == 2);
        static_cast<void>(home.folder.write("xdg/s3tug/config.toml", "retries = 3"));
        home.variables["XDG_CONFIG_HOME"] = home.folder.path("xdg");
        CHECK(home.good().engine.retry.retries == 3);
        home.variables["XDG_CONFIG_HOME"] = "relative";
        CHECK(home.good().engine.retry.retries == 2);
        home.variables.erase("HOME");
        CHECK(home.good().engine.retry.retries == 6);
    }

    TEST_CASE("a named file must be there, an empty name reads none") {
        Home home;
        home.config("retries = 2");
        home.variables["S3TUG_CONFIG"] = home.folder.write("own.toml", "retries = 4");
        CHECK(home.good().engine.retry.retries == 4);
        home.args = {"--config", home.folder.path("none.toml"), "put", "a", "s3://bucket/k"};
        CHECK(home.refusal().find("--config: ") == 0);
        home.args[1] = "";
        CHECK(home.good().engine.retry.retries == 6);
    }

    TEST_CASE("a mistake in the file names the file and its line") {
        Home home;
        home.config("\nreties = 2");
        CHECK(home.refusal() ==
              home.folder.path(".config/s3tug/config.toml") + ":2: unknown setting 'reties'; did you mean retries?");
    }

    TEST_CASE("the AWS profile stands below config.toml") {
        Home home;
        home.aws_config(
            "[default]\nregion = aws-region\nmax_attempts = 3\nrequest_checksum_calculation = when_required\n");
        CHECK(home.good().engine.endpoint.region == "aws-region");
        CHECK(home.good().engine.retry.retries == 2);
        CHECK_FALSE(home.good().item.checksum.has_value());
        home.config("region = \"own-region\"");
        CHECK(home.good().engine.endpoint.region == "own-region");
        home.args = {"get", "s3://bucket/k", "a"};
        CHECK(home.good().item.checksum.has_value());
    }

    TEST_CASE("a profile may be in config.toml, in the AWS files or in both") {
        Home home;
        home.config("[profile.own]\nretries = 1\n[profile.both]\nretries = 2\n");
        home.aws_config(
            "[default]\nregion = r-default\n[profile both]\nregion = r-both\n[profile aws]\nregion = r-aws\n");
        home.args = {"put", "a", "s3://bucket/k", "--profile", "own"};
        CHECK(home.good().engine.retry.retries == 1);
        CHECK(home.good().engine.endpoint.region == "r-default");
        CHECK_FALSE(home.good().profile_explicit);  // it has no keys
        home.args.back() = "both";
        CHECK(home.good().engine.retry.retries == 2);
        CHECK(home.good().engine.endpoint.region == "r-both");
        CHECK(home.good().profile_explicit);
        home.args.back() = "aws";
        CHECK(home.good().engine.retry.retries == 6);
        CHECK(home.good().engine.endpoint.region == "r-aws");
        home.args.back() = "awz";
        CHECK(home.refusal().find("profile 'awz' is not in") != std::string::npos);
        CHECK(home.refusal().find("did you mean 'aws'?") != std::string::npos);
    }

    TEST_CASE("state needs no AWS files, broken ones do not disturb it") {
        Home home;
        home.aws_config("[broken\n");
        home.args = {"state", "show"};
        CHECK(home.load().ok());
        home.args = {"put", "a", "s3://bucket/k"};
        CHECK(home.refusal().find(".aws/config:1") != std::string::npos);
    }
}

}  // namespace s3tug::cmd
