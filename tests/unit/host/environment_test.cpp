#include "host/environment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

namespace s3tug::host {

TEST_SUITE("host/environment") {
    TEST_CASE("an empty variable is one that is not set") {
        const Environment given({{"A", "1"}, {"B", ""}});
        CHECK(given.get("A") == "1");
        CHECK_FALSE(given.get("B").has_value());
        CHECK_FALSE(given.get("C").has_value());
        CHECK(given.entries() == std::vector<std::string>{"A=1", "B="});
    }

    TEST_CASE("the process's own environment is read when asked") {
        const Environment own = Environment::system();
        ::setenv("S3TUG_TEST_VARIABLE", "x", 1);
        CHECK(own.get("S3TUG_TEST_VARIABLE") == "x");
        const auto entries = own.entries();
        CHECK(std::find(entries.begin(), entries.end(), "S3TUG_TEST_VARIABLE=x") != entries.end());
        const std::vector<std::string> names = own.names("S3TUG_TEST_");
        CHECK(std::find(names.begin(), names.end(), "S3TUG_TEST_VARIABLE") != names.end());
        ::unsetenv("S3TUG_TEST_VARIABLE");
        CHECK_FALSE(own.get("S3TUG_TEST_VARIABLE").has_value());
    }

    TEST_CASE("names are those that begin so and are set") {
        const Environment own(Environment::Variables{{"P_A", "1"}, {"P_EMPTY", ""}, {"P", "1"}, {"Q_P_A", "1"}});
        CHECK(own.names("P_") == std::vector<std::string>{"P_A"});
    }

    TEST_CASE("a leading ~ is the home folder, when there is an absolute one") {
        const Environment with_home(Environment::Variables{{"HOME", "/home/u"}});
        CHECK(with_home.expand_home("~/.aws/config") == "/home/u/.aws/config");
        CHECK(with_home.expand_home("~") == "/home/u");
        CHECK(with_home.expand_home("~other/x") == "~other/x");
        CHECK(with_home.expand_home("/a/~/b") == "/a/~/b");
        for (const Environment& without :
             {Environment(Environment::Variables{{"HOME", "relative"}}), Environment(Environment::Variables{})}) {
            CHECK_FALSE(without.home().has_value());
            CHECK(without.expand_home("~/x") == "~/x");
        }
    }
}

}  // namespace s3tug::host
