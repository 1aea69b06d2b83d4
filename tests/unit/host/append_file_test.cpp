#include "host/append_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "support/temp_folder.h"

namespace s3tug::host {

namespace {

std::string content(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

}  // namespace

TEST_SUITE("host/append_file") {
    TEST_CASE("lines are added after what stands there, by several writers") {
        const test::TempFolder folder;
        const std::string path = folder.path("t");
        Result<AppendFile> one = AppendFile::open(path);
        Result<AppendFile> two = AppendFile::open(path);
        REQUIRE(one.ok());
        REQUIRE(two.ok());
        CHECK(one->write_line("a").ok());
        CHECK(two->write_line("b").ok());
        CHECK(one->write_line("").ok());
        CHECK(content(path) == "a\nb\n\n");
        struct stat status {};
        REQUIRE(::stat(path.c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0600);
    }

    TEST_CASE("what cannot be opened is told with path and reason, and a FIFO without a reader does not wait") {
        const test::TempFolder folder;
        const Result<AppendFile> missing = AppendFile::open(folder.path("no/t"));
        REQUIRE_FALSE(missing.ok());
        CHECK(missing.error().kind == ErrorKind::cannot_write);
        CHECK(missing.error().message == folder.path("no/t") + ": No such file or directory");
        REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0600) == 0);
        CHECK_FALSE(AppendFile::open(folder.path("fifo")).ok());
        CHECK_FALSE(AppendFile::open(folder.path()).ok());
    }

    TEST_CASE("a full disk is told") {
        Result<AppendFile> full = AppendFile::open("/dev/full");
        REQUIRE(full.ok());
        const Status written = full->write_line("a");
        REQUIRE_FALSE(written.ok());
        CHECK(written.error().message == "/dev/full: No space left on device");
    }
}

}  // namespace s3tug::host
