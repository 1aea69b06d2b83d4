#include "host/small_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "support/temp_folder.h"

namespace s3tug::host {

TEST_SUITE("host/small_file") {
    TEST_CASE("a file up to the limit is read whole, one byte more is refused") {
        const test::TempFolder folder;
        for (const std::size_t size : {0UL, 1UL, 4095UL, 4096UL, 4097UL, 20000UL}) {
            CAPTURE(size);
            const std::string content(size, 'x');
            const std::string path = folder.write("f", content);
            const auto whole = read_small_file(path, size);
            REQUIRE(whole.ok());
            CHECK(*whole == content);
            if (size == 0) continue;
            const auto cut = read_small_file(path, size - 1);
            REQUIRE_FALSE(cut.ok());
            CHECK(cut.error().kind == ErrorKind::cannot_read);
            CHECK(cut.error().message.find(path) != std::string::npos);
        }
    }

    TEST_CASE("no file is no error, and files of size 0 that yield bytes are read") {
        const auto missing = read_small_file("/nonexistent/file", 10);
        REQUIRE(missing.ok());
        CHECK_FALSE(missing->has_value());
        const auto null_device = read_small_file("/dev/null", 10);
        REQUIRE(null_device.ok());
        CHECK(*null_device == "");
        const auto proc = read_small_file("/proc/self/stat", 4096);
        REQUIRE(proc.ok());
        CHECK((*proc)->size() > 20);
    }

    TEST_CASE("a folder, a pipe without a writer and an endless device are refused, not waited for") {
        const test::TempFolder folder;
        REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
        for (const std::string& path : {folder.path(), folder.path("pipe"), std::string("/dev/zero")}) {
            CAPTURE(path);
            const auto read = read_small_file(path, 1000);
            REQUIRE_FALSE(read.ok());
            CHECK(read.error().kind == ErrorKind::cannot_read);
        }
    }
}

}  // namespace s3tug::host
