#include "host/credential_chain.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>

#include "support/temp_folder.h"

namespace s3tug::host {

namespace {

const WallTime noon = wall_from_unix_seconds(1'795'953'600);  // 2026-11-29T12:00:00Z

/// A home with the shared files and a helper that counts its runs and prints a file.
struct Home {
    test::TempFolder folder;
    Environment::Variables variables{{"HOME", folder.path()}, {"PATH", "/usr/bin:/bin"}};

    Home() {
        folder.write("helper", fmt::format("#!/bin/sh\necho x >> {0}/runs\ncat {0}/answer || exit 7\n", folder.path()));
        ::chmod(folder.path("helper").c_str(), 0700);
    }
    Home& set(const std::string& name, const std::string& value) {
        variables[name] = value;
        return *this;
    }
    Home& environment_keys(const std::string& id) {
        return set("AWS_ACCESS_KEY_ID", id).set("AWS_SECRET_ACCESS_KEY", "canary-env");
    }
    Home& config(const std::string& text) {
        folder.write(".aws/config", text);
        return *this;
    }
    Home& credentials(const std::string& text) {
        folder.write(".aws/credentials", text);
        return *this;
    }
    Home& answer(const std::string& id, const std::string& expiration) {
        folder.write(
            "answer",
            fmt::format(R"({{"Version":1,"AccessKeyId":"{}","SecretAccessKey":"canary-process","Expiration":"{}"}})",
                        id, expiration));
        return *this;
    }
    Home& use_helper() { return config(fmt::format("[default]\ncredential_process = {}\n", folder.path("helper"))); }
    [[nodiscard]] int runs() const {
        std::ifstream file(folder.path("runs"));
        int lines = 0;
        for (std::string line; std::getline(file, line);) ++lines;
        return lines;
    }
    [[nodiscard]] CredentialChain chain(const std::string& profile = {}) const {
        CredentialOptions options;
        options.profile = profile;
        return CredentialChain(Environment(variables), std::move(options));
    }
};

constexpr const char* two_profiles =
    "[default]\naws_access_key_id = DEFAULT\naws_secret_access_key = canary-1\n"
    "[work]\naws_access_key_id = WORK\naws_secret_access_key = canary-2\naws_session_token = canary-3\n";

std::string id_of(const Result<std::optional<wire::Credentials>>& result) {
    if (!result.ok()) return "error";
    return *result ? (*result)->access_key_id : "unsigned";
}

void check_no_secret(const Error& error) { CHECK(error.message.find("canary") == std::string::npos); }

}  // namespace

TEST_SUITE("host/credential_chain") {
    TEST_CASE("an explicit profile beats keys in the environment, those beat AWS_PROFILE") {
        Home home;
        home.credentials(two_profiles);
        CHECK(id_of(home.chain().current(noon)) == "DEFAULT");
        home.set("AWS_PROFILE", "work");
        CHECK(id_of(home.chain().current(noon)) == "WORK");
        home.environment_keys("ENV");
        CHECK(id_of(home.chain().current(noon)) == "ENV");
        CHECK(id_of(home.chain("default").current(noon)) == "DEFAULT");
        CHECK(id_of(home.chain("work").current(noon)) == "WORK");
    }

    TEST_CASE("all fields arrive, and the source can be shown") {
        Home home;
        home.credentials(two_profiles);
        const auto work = home.chain("work").current(noon);
        REQUIRE(work.ok());
        CHECK((*work)->secret_access_key == "canary-2");
        CHECK((*work)->session_token == "canary-3");
        CHECK_FALSE((*work)->expires_at.has_value());
        CHECK((*work)->source == "profile work in " + home.folder.path(".aws/credentials"));
        const auto env = home.environment_keys("ENV").set("AWS_SESSION_TOKEN", "canary-4").chain().current(noon);
        REQUIRE(env.ok());
        CHECK((*env)->secret_access_key == "canary-env");
        CHECK((*env)->session_token == "canary-4");
        CHECK((*env)->source == "environment");
    }

    TEST_CASE("in a profile: credentials file, then config file, then credential_process") {
        Home home;
        home.answer("PROCESS", "").use_helper();
        CHECK(id_of(home.chain().current(noon)) == "PROCESS");
        home.config(
            fmt::format("[default]\naws_access_key_id = CONFIG\naws_secret_access_key = canary\n"
                        "credential_process = {}\n",
                        home.folder.path("helper")));
        CHECK(id_of(home.chain().current(noon)) == "CONFIG");
        home.credentials(two_profiles);
        CHECK(id_of(home.chain().current(noon)) == "DEFAULT");
        CHECK(home.runs() == 1);
    }

    TEST_CASE("without signing nothing is looked for") {
        Home home;
        home.environment_keys("ENV").credentials("broken");
        CredentialOptions options;
        options.sign = false;
        CredentialChain chain(Environment(home.variables), options);
        CHECK(id_of(chain.current(noon)) == "unsigned");
        const auto again = chain.refresh({}, noon);
        REQUIRE(again.ok());
        CHECK_FALSE(*again);
    }

    TEST_CASE("when nothing is found the error lists the places and the cure") {
        Home home;
        const auto none = home.chain().current(noon);
        REQUIRE_FALSE(none.ok());
        CHECK(none.error().kind == ErrorKind::no_credentials);
        for (const std::string& part : {std::string("AWS_ACCESS_KEY_ID"), std::string("profile 'default'"),
                                        std::string("credential_process"), home.folder.path(".aws/credentials"),
                                        home.folder.path(".aws/config"), std::string("--no-sign-request")}) {
            CAPTURE(part);
            CHECK(none.error().message.find(part) != std::string::npos);
        }
        home.config("[profile p]\nregion = r\n");
        const auto explicitly = home.chain("p").current(noon);
        REQUIRE_FALSE(explicitly.ok());
        CHECK(explicitly.error().message.find("AWS_ACCESS_KEY_ID") == std::string::npos);
    }

    TEST_CASE("sources that are set up but not supported are named") {
        Home home;
        home.config("[profile sso]\nsso_session = corp\n[profile role]\nrole_arn = arn:x\nsource_profile = work\n");
        home.credentials("[role]\naws_access_key_id = SOURCE\naws_secret_access_key = canary\n");
        struct Row {
            const char* profile;
            const char* word;
        };
        for (const Row row : {Row{"sso", "sso_session"}, Row{"role", "role_arn"}}) {
            CAPTURE(row.profile);
            const auto found = home.chain(row.profile).current(noon);
            REQUIRE_FALSE(found.ok());
            CHECK(found.error().kind == ErrorKind::no_credentials);
            CHECK(found.error().message.find(row.word) != std::string::npos);
            CHECK(found.error().message.find("credential_process") != std::string::npos);
        }
        home.set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://x");
        CHECK(home.chain().current(noon).error().message.find("AWS_CONTAINER_CREDENTIALS_FULL_URI") !=
              std::string::npos);
    }

    TEST_CASE("half a pair, damaged keys, an unknown profile and a broken file are config errors without secrets") {
        struct Row {
            const char* what;
            Environment::Variables variables;
            const char* credentials;
            const char* says;
        };
        for (const Row& row : {
                 Row{"id alone", {{"AWS_ACCESS_KEY_ID", "canary"}}, two_profiles, "AWS_SECRET_ACCESS_KEY"},
                 Row{"secret alone", {{"AWS_SECRET_ACCESS_KEY", "canary"}}, two_profiles, "AWS_ACCESS_KEY_ID"},
                 Row{"line end in a variable",
                     {{"AWS_ACCESS_KEY_ID", "A"}, {"AWS_SECRET_ACCESS_KEY", "canary\n"}},
                     two_profiles,
                     "line end"},
                 Row{"half a pair in the file", {}, "[default]\naws_secret_access_key = canary\n", "credentials:1"},
                 Row{"broken file", {}, "[default]\ncanary\n", "credentials:2"},
                 Row{"unknown profile", {{"AWS_PROFILE", "wrok"}}, two_profiles, "'work'?"},
             }) {
            CAPTURE(row.what);
            Home home;
            home.credentials(row.credentials);
            for (const auto& [name, value] : row.variables) home.set(name, value);
            const auto found = home.chain().current(noon);
            REQUIRE_FALSE(found.ok());
            CHECK(found.error().kind == ErrorKind::config);
            CHECK(found.error().message.find(row.says) != std::string::npos);
            check_no_secret(found.error());
        }
    }

    TEST_CASE("a helper runs once, again from 5 minutes before the end, and not more often than every 30 s") {
        Home home;
        home.answer("FIRST", "2026-11-29T13:00:00Z").use_helper();
        CredentialChain chain = home.chain();
        for (int i = 0; i < 3; ++i) CHECK(id_of(chain.current(noon)) == "FIRST");
        CHECK(id_of(chain.current(noon + minutes(55) - seconds(1))) == "FIRST");
        CHECK(home.runs() == 1);

        home.answer("SECOND", "2026-11-29T14:00:00Z");
        CHECK(id_of(chain.current(noon + minutes(55))) == "SECOND");
        CHECK(home.runs() == 2);

        home.answer("SHORT", "2026-11-29T14:00:00Z");  // a helper that hands out what soon expires
        const WallTime late = noon + minutes(118);
        for (int i = 0; i < 3; ++i) CHECK(id_of(chain.current(late + seconds(i))) == "SHORT");
        CHECK(home.runs() == 3);
        CHECK(id_of(chain.current(late + seconds(30))) == "SHORT");
        CHECK(home.runs() == 4);
    }

    TEST_CASE("while the early refresh fails the valid keys are used; expired ones are never handed out") {
        Home home;
        home.answer("FIRST", "2026-11-29T13:00:00Z").use_helper();
        CredentialChain chain = home.chain();
        CHECK(id_of(chain.current(noon)) == "FIRST");
        home.folder.write("answer", "canary, not JSON");
        CHECK(id_of(chain.current(noon + minutes(57))) == "FIRST");
        CHECK(id_of(chain.current(noon + minutes(57) + seconds(1))) == "FIRST");
        CHECK(home.runs() == 2);
        const auto over = chain.current(noon + minutes(60));
        REQUIRE_FALSE(over.ok());
        CHECK(over.error().kind == ErrorKind::no_credentials);
        check_no_secret(over.error());
        CHECK_FALSE(chain.current(noon + minutes(60) + seconds(1)).ok());
        CHECK(home.runs() == 3);  // not once per item

        home.answer("STALE", "2026-11-29T13:00:00Z");
        const auto stale = chain.current(noon + minutes(61));
        REQUIRE_FALSE(stale.ok());
        CHECK(stale.error().kind == ErrorKind::credentials_refused);
        CHECK(stale.error().message.find("2026-11-29T13:00:00") != std::string::npos);

        home.answer("FRESH", "2026-11-29T15:00:00Z");
        CHECK(id_of(chain.current(noon + minutes(62))) == "FRESH");
    }

    TEST_CASE("refused keys: the file is read again, the helper runs again, the environment never changes") {
        Home home;
        home.credentials(two_profiles);
        CredentialChain by_file = home.chain();
        const wire::Credentials old = **by_file.current(noon);
        const auto same = by_file.refresh(old, noon);
        REQUIRE(same.ok());
        CHECK_FALSE(*same);
        home.credentials("[default]\naws_access_key_id = NEW\naws_secret_access_key = canary\n");
        const auto changed = by_file.refresh(old, noon + seconds(31));
        REQUIRE(changed.ok());
        CHECK(*changed);
        CHECK(id_of(by_file.current(noon + seconds(31))) == "NEW");
        const auto later = by_file.refresh(old, noon + seconds(31));  // another request that was sent with the old ones
        REQUIRE(later.ok());
        CHECK(*later);

        home.answer("P1", "").use_helper().credentials("");
        CredentialChain by_process = home.chain();
        const wire::Credentials p1 = **by_process.current(noon);
        home.answer("P2", "");
        CHECK(*by_process.refresh(p1, noon));
        CHECK(id_of(by_process.current(noon)) == "P2");
        CHECK(*by_process.refresh(p1, noon));
        CHECK(home.runs() == 2);

        home.environment_keys("ENV");
        CredentialChain by_environment = home.chain();
        CHECK_FALSE(*by_environment.refresh(**by_environment.current(noon), noon));
    }

    TEST_CASE("a refresh that fails says why, and a vain one is not repeated for each item") {
        Home home;
        home.answer("P1", "").use_helper();
        CredentialChain chain = home.chain();
        const wire::Credentials p1 = **chain.current(noon);
        home.folder.write("answer", "canary");
        for (int i = 0; i < 3; ++i) {
            const auto failed = chain.refresh(p1, noon);
            REQUIRE_FALSE(failed.ok());
            CHECK(failed.error().kind == ErrorKind::credentials_refused);
            CHECK(failed.error().message.find("credential_process") != std::string::npos);
            check_no_secret(failed.error());
        }
        CHECK(home.runs() == 2);
        home.answer("P1", "");
        for (int i = 0; i < 3; ++i) CHECK_FALSE(*chain.refresh(p1, noon + seconds(40)));
        CHECK(home.runs() == 3);
        home.answer("P2", "");
        CHECK(*chain.refresh(p1, noon + seconds(80)));
    }

    TEST_CASE("a helper that cannot run is an error that does not show its arguments") {
        Home home;
        for (const char* command : {"/nonexistent/helper canary", "sh -c 'exit 3' canary", "helper 'canary"}) {
            CAPTURE(command);
            home.config(fmt::format("[default]\ncredential_process = {}\n", command));
            const auto found = home.chain().current(noon);
            REQUIRE_FALSE(found.ok());
            CHECK(found.error().message.find("credential_process of profile 'default'") != std::string::npos);
            check_no_secret(found.error());
        }
    }

    TEST_CASE("a clock that was set back does not keep a helper from running") {
        Home home;
        home.answer("FIRST", "2026-11-29T12:01:00Z").use_helper();
        CredentialChain chain = home.chain();
        CHECK(id_of(chain.current(noon)) == "FIRST");
        home.answer("SECOND", "2026-11-29T18:00:00Z");
        CHECK(id_of(chain.current(noon - seconds(20))) == "SECOND");
    }
}

}  // namespace s3tug::host
