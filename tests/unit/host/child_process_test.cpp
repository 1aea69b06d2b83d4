#include "host/child_process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "host/unique_fd.h"
#include "support/temp_folder.h"

namespace s3tug::host {

namespace {

const Environment path_only({{"PATH", "/usr/bin:/bin"}, {"GIVEN", "yes"}});

Result<std::string> shell(const std::string& script, ChildLimits limits = {seconds(60), 1000, {}}) {
    return run_for_output({"sh", "-c", script}, path_only, limits);
}

}  // namespace

TEST_SUITE("host/child_process") {
    TEST_CASE("stdout is given, stdin is empty, stderr is dropped, the environment is the one handed in") {
        const test::TempFolder folder;  // our own stdin has data, as in `s3tug put -`
        const UniqueFd data(::open(folder.write("data", "canary").c_str(), O_RDONLY | O_CLOEXEC));
        const UniqueFd saved(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
        REQUIRE(::dup2(data.get(), STDIN_FILENO) == STDIN_FILENO);
        const auto out = shell("cat; echo canary >&2; echo $GIVEN; echo ${HOME:-none}");
        if (saved.valid()) ::dup2(saved.get(), STDIN_FILENO);
        REQUIRE(out.ok());
        CHECK(*out == "yes\nnone\n");
    }

    TEST_CASE("arguments reach the program as they are") {
        const auto out = run_for_output({"printf", "%s|", "a b", "$HOME", "*", ""}, path_only, {seconds(60), 1000, {}});
        REQUIRE(out.ok());
        CHECK(*out == "a b|$HOME|*||");
    }

    TEST_CASE("no descriptor of ours is inherited") {
        const UniqueFd open_file(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
        REQUIRE(open_file.valid());
        const auto out = shell("ls /proc/self/fd | wc -l");
        REQUIRE(out.ok());
        CHECK(*out == "4\n");  // 0, 1, 2 and the folder that ls reads
    }

    TEST_CASE("what goes wrong is an error without arguments and output") {
        struct Row {
            std::string script;
            std::string_view says;
        };
        for (const Row& row : {Row{"echo canary; exit 3", "status 3"}, Row{"echo canary; kill -9 $$", "signal 9"},
                               Row{"while :; do echo canary; done", "more than 1000 bytes"}}) {
            CAPTURE(row.script);
            const auto out = shell(row.script);
            REQUIRE_FALSE(out.ok());
            CHECK(out.error().kind == ErrorKind::no_credentials);
            CHECK(out.error().message.find(row.says) != std::string::npos);
            CHECK(out.error().message.find("canary") == std::string::npos);
        }
        const auto missing = run_for_output({"/nonexistent/tool", "canary"}, path_only, {seconds(60), 1000, {}});
        REQUIRE_FALSE(missing.ok());
        CHECK(missing.error().message.find("/nonexistent/tool") != std::string::npos);
        CHECK(missing.error().message.find("canary") == std::string::npos);
        CHECK_FALSE(run_for_output({}, path_only, {seconds(60), 1000, {}}).ok());
    }

    TEST_CASE("one that hangs is killed when its time is over, with its pipe open or closed") {
        for (const std::string script : {"exec sleep 600", "exec >&-; exec sleep 600"}) {
            CAPTURE(script);
            const auto out = shell(script, {milliseconds(20), 1000, {}});
            REQUIRE_FALSE(out.ok());
            CHECK(out.error().message.find("20ms") != std::string::npos);
        }
    }

    TEST_CASE("an interrupt ends the waiting") {
        const auto out = shell("exec sleep 600", {seconds(600), 1000, [] { return true; }});
        REQUIRE_FALSE(out.ok());
        CHECK(out.error().kind == ErrorKind::interrupted);
    }
}

}  // namespace s3tug::host
