#include "host/aws_config.h"

#include <doctest/doctest.h>

#include "support/temp_folder.h"

namespace s3tug::host {

namespace {

/// A home with the two shared files, and an environment on top of it.
struct Home {
    test::TempFolder folder;
    Environment::Variables variables{{"HOME", folder.path()}};

    Home& config(const std::string& text) {
        folder.write(".aws/config", text);
        return *this;
    }
    Home& credentials(const std::string& text) {
        folder.write(".aws/credentials", text);
        return *this;
    }
    Home& set(const std::string& name, const std::string& value) {
        variables[name] = value;
        return *this;
    }
    [[nodiscard]] Result<AwsSettings> settings(std::string_view profile = {}) const {
        const Environment environment(variables);
        const auto files = AwsFiles::load(environment);
        if (!files.ok()) return files.error();
        return aws_settings(environment, *files, profile);
    }
};

std::string value(const std::optional<AwsSetting>& setting) { return setting ? setting->value : "(none)"; }

}  // namespace

TEST_SUITE("host/aws_config") {
    TEST_CASE("without files and variables everything is unset") {
        const auto settings = Home().settings();
        REQUIRE(settings.ok());
        CHECK(settings->profile == "default");
        CHECK_FALSE(settings->region.has_value());
        CHECK_FALSE(settings->endpoint_url.has_value());
        CHECK_FALSE(settings->max_attempts.has_value());
    }

    TEST_CASE("the profile in use: --profile, AWS_PROFILE, AWS_DEFAULT_PROFILE, default") {
        Home home;
        home.config(
            "[default]\nregion = d\n[profile a]\nregion = a\n[profile b]\nregion = b\n[profile c]\nregion = c\n");
        CHECK(value(home.settings()->region) == "d");
        home.set("AWS_DEFAULT_PROFILE", "c");
        CHECK(value(home.settings()->region) == "c");
        home.set("AWS_PROFILE", "b");
        CHECK(value(home.settings()->region) == "b");
        CHECK(value(home.settings("a")->region) == "a");
        CHECK(home.settings("a")->profile == "a");
    }

    TEST_CASE("the environment stands above the profile, and a setting tells where it stands") {
        Home home;
        home.config("[profile p]\nregion = in-file\nca_bundle = /ca\nmax_attempts = 4\n");
        const auto in_file = home.settings("p");
        REQUIRE(in_file.ok());
        CHECK(value(in_file->region) == "in-file");
        CHECK(in_file->region->origin == "profile p, " + home.folder.path(".aws/config") + ":2");
        CHECK(value(in_file->ca_bundle) == "/ca");
        CHECK(in_file->max_attempts == 4U);

        home.set("AWS_DEFAULT_REGION", "second").set("AWS_CA_BUNDLE", "/env").set("AWS_MAX_ATTEMPTS", "9");
        CHECK(value(home.settings("p")->region) == "second");
        home.set("AWS_REGION", "first");
        const auto above = home.settings("p");
        CHECK(value(above->region) == "first");
        CHECK(above->region->origin == "AWS_REGION");
        CHECK(value(above->ca_bundle) == "/env");
        CHECK(above->max_attempts == 9U);
    }

    TEST_CASE("the endpoint: variable of the service, variable, services section, profile; or ignored") {
        Home home;
        home.config(
            "[profile p]\nendpoint_url = https://profile\nservices = local\n"
            "[profile plain]\nendpoint_url = https://profile\n"
            "[profile ignoring]\nendpoint_url = https://profile\nignore_configured_endpoint_urls = True\n"
            "[services local]\ndynamodb =\n  endpoint_url = https://other\ns3 =\n  endpoint_url = https://service\n");
        CHECK(value(home.settings("plain")->endpoint_url) == "https://profile");
        CHECK(value(home.settings("ignoring")->endpoint_url) == "(none)");
        CHECK(value(home.settings("p")->endpoint_url) == "https://service");
        home.set("AWS_ENDPOINT_URL", "https://all");
        CHECK(value(home.settings("p")->endpoint_url) == "https://all");
        home.set("AWS_ENDPOINT_URL_S3", "https://s3");
        CHECK(value(home.settings("p")->endpoint_url) == "https://s3");
        home.set("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true");
        CHECK(value(home.settings("p")->endpoint_url) == "(none)");
    }

    TEST_CASE("the addressing style of the nested s3 section is read, the rest of it ignored") {
        Home home;
        home.config("[default]\ns3 =\n  max_concurrent_requests = 20\n  addressing_style = path\nregion = r\n");
        const auto settings = home.settings();
        CHECK(value(settings->addressing_style) == "path");
        CHECK(value(settings->region) == "r");
    }

    TEST_CASE("a profile may stand in the credentials file only, and [profile default] beats [default]") {
        Home home;
        home.credentials("[only]\nregion = from-credentials\n[profile x]\nregion = no\n");
        CHECK(value(home.settings("only")->region) == "from-credentials");
        CHECK(home.settings("only")->region->origin.find("credentials:2") != std::string::npos);
        CHECK_FALSE(home.settings("x").ok());
        home.config("[default]\nregion = plain\n[profile default]\nregion = named\n");
        CHECK(value(home.settings()->region) == "named");
    }

    TEST_CASE("a profile that is not there is an error with the nearest name") {
        Home home;
        home.config("[profile backup]\n").credentials("[archive]\n");
        for (const bool explicitly : {true, false}) {
            if (!explicitly) home.set("AWS_PROFILE", "bakcup");
            const auto settings = home.settings(explicitly ? "bakcup" : "");
            REQUIRE_FALSE(settings.ok());
            CHECK(settings.error().kind == ErrorKind::config);
            CHECK(settings.error().message.find("'bakcup'") != std::string::npos);
            CHECK(settings.error().message.find("'backup'?") != std::string::npos);
            CHECK(settings.error().message.find(home.folder.path(".aws/config")) != std::string::npos);
        }
    }

    TEST_CASE("the files are where the variables say") {
        Home home;
        home.config("[default]\nregion = wrong\n");
        home.set("AWS_CONFIG_FILE", "~/elsewhere");
        home.folder.write("elsewhere", "[default]\nregion = right\n");
        CHECK(value(home.settings()->region) == "right");
        home.set("AWS_CONFIG_FILE", "/dev/null");
        CHECK(value(home.settings()->region) == "(none)");
    }

    TEST_CASE("a broken file is an error with its line") {
        Home home;
        home.credentials("[default]\naws_secret_access_key canary\n");
        const auto settings = home.settings();
        REQUIRE_FALSE(settings.ok());
        CHECK(settings.error().kind == ErrorKind::config);
        CHECK(settings.error().message.starts_with(home.folder.path(".aws/credentials") + ":2:"));
        CHECK(settings.error().message.find("canary") == std::string::npos);
    }

    TEST_CASE("a file that cannot be read is an empty one, named when something is missed") {
        Home home;
        home.set("AWS_CONFIG_FILE", home.folder.path());  // a folder: unreadable for root too
        CHECK(home.settings().ok());
        const auto missed = home.settings("p");
        REQUIRE_FALSE(missed.ok());
        CHECK(missed.error().message.find("it is a folder") != std::string::npos);
    }

    TEST_CASE("bad numbers and modes are refused with their place") {
        struct Row {
            const char* variable;
            const char* text;
            bool good;
        };
        for (const Row row : {Row{"AWS_MAX_ATTEMPTS", "1", true}, Row{"AWS_MAX_ATTEMPTS", "0", false},
                              Row{"AWS_MAX_ATTEMPTS", "-1", false}, Row{"AWS_MAX_ATTEMPTS", "3x", false},
                              Row{"AWS_MAX_ATTEMPTS", "99999999999999999999", false},
                              Row{"AWS_REQUEST_CHECKSUM_CALCULATION", "WHEN_REQUIRED", true},
                              Row{"AWS_REQUEST_CHECKSUM_CALCULATION", "never", false},
                              Row{"AWS_RESPONSE_CHECKSUM_VALIDATION", "when_supported", true},
                              Row{"AWS_RESPONSE_CHECKSUM_VALIDATION", "yes", false}}) {
            CAPTURE(row.variable);
            CAPTURE(row.text);
            const auto settings = Home().set(row.variable, row.text).settings();
            CHECK(settings.ok() == row.good);
            if (settings.ok()) continue;
            CHECK(settings.error().kind == ErrorKind::config);
            CHECK(settings.error().message.find(row.variable) != std::string::npos);
        }
    }
}

}  // namespace s3tug::host
