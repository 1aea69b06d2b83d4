#include "host/state_place.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temp_folder.h"

namespace s3tug::host {

namespace {

namespace fs = std::filesystem;

Environment with(const std::string& state_home, const std::string& home) {
    return Environment(Environment::Variables{{"XDG_STATE_HOME", state_home}, {"HOME", home}});
}

StatePlaceRequest usual(const test::TempFolder& folder) {
    StatePlaceRequest request;
    request.environment = with(folder.path("xdg"), folder.path("home"));
    return request;
}

StatePlaceRequest explicitly(const std::string& file) {
    StatePlaceRequest request;
    request.explicit_file = file;
    return request;
}

unsigned mode_of(const std::string& path) {
    struct stat facts {};
    REQUIRE(::lstat(path.c_str(), &facts) == 0);
    return facts.st_mode & 07777U;
}

std::string chosen(const StatePlaceChoice& choice) { return choice.place ? choice.place->file : "(none)"; }

std::string first_refusal(const StatePlaceChoice& choice) {
    return choice.refused.empty() ? "(none)" : choice.refused.front();
}

/// The folder below home is taken, and it is said why `place` is not.
void check_passed_over(const test::TempFolder& folder, const std::string& place, const std::string& why) {
    CAPTURE(why);
    const auto choice = choose_state_place(usual(folder), true);
    CHECK(chosen(choice) == folder.path("home/.local/state/s3tug/state.db"));
    CHECK(first_refusal(choice).starts_with(place + ": "));
    CHECK(first_refusal(choice).find(why) != std::string::npos);
}

}  // namespace

TEST_SUITE("host/state_place") {
    TEST_CASE("the order is XDG_STATE_HOME, home, /var/tmp; relative paths do not count") {
        using Folders = std::vector<std::string>;
        CHECK(state_folders(with("/x", "/home/u"), 1000) ==
              Folders{"/x/s3tug", "/home/u/.local/state/s3tug", "/var/tmp/s3tug-1000"});
        CHECK(state_folders(with("", "/home/u"), 7) == Folders{"/home/u/.local/state/s3tug", "/var/tmp/s3tug-7"});
        CHECK(state_folders(with("x", "u"), 0) == Folders{"/var/tmp/s3tug-0"});
    }

    TEST_CASE("looking makes nothing; making gives a folder that is ours alone, and a file that is ours alone") {
        const test::TempFolder folder;
        ::umask(0);
        const auto looked = choose_state_place(usual(folder), false);
        CHECK(chosen(looked) == folder.path("xdg/s3tug/state.db"));
        CHECK_FALSE(looked.place->file_exists);
        CHECK(fs::is_empty(folder.path()));

        const auto made = choose_state_place(usual(folder), true);
        CHECK(chosen(made) == folder.path("xdg/s3tug/state.db"));
        CHECK(mode_of(folder.path("xdg/s3tug")) == 0700);
        CHECK(mode_of(folder.path("xdg")) == 0700);
        CHECK_FALSE(fs::exists(made.place->file));
        CHECK(create_state_file(*made.place) == 0);
        CHECK(mode_of(made.place->file) == 0600);
        CHECK(create_state_file(*made.place) == 0);  // another process was faster
        CHECK(choose_state_place(usual(folder), false).place->file_exists);
        ::umask(022);
    }

    TEST_CASE("a broken place falls through to the next, and it is said why") {
        const test::TempFolder folder;
        fs::create_directories(folder.path("xdg"));
        const std::string place = folder.path("xdg/s3tug");
        std::string why;
        SUBCASE("its parent is a file") {
            fs::remove(folder.path("xdg"));
            folder.write("xdg", "");
            why = "not a folder";
        }
        SUBCASE("it is a file") {
            folder.write("xdg/s3tug", "");
            why = "link or not a folder";
        }
        SUBCASE("it is a link") {
            fs::create_directory(folder.path("elsewhere"));
            fs::create_directory_symlink(folder.path("elsewhere"), place);
            why = "link";
        }
        SUBCASE("it can be written by others") {
            fs::create_directory(place);
            REQUIRE(::chmod(place.c_str(), 0770) == 0);
            why = "mode 0770";
        }
        SUBCASE("the file is a link") {
            fs::create_directory(place);
            ::chmod(place.c_str(), 0700);
            folder.write("target", "");
            fs::create_symlink(folder.path("target"), place + "/state.db");
            why = "is a link";
        }
        SUBCASE("the file is a folder") {
            fs::create_directories(place + "/state.db");
            ::chmod(place.c_str(), 0700);
            why = "is a folder";
        }
        SUBCASE("the file is a pipe") {
            fs::create_directory(place);
            ::chmod(place.c_str(), 0700);
            REQUIRE(::mkfifo((place + "/state.db").c_str(), 0600) == 0);
            why = "not a regular file";
        }
        SUBCASE("the file can be written by others") {
            fs::create_directory(place);
            ::chmod(place.c_str(), 0700);
            folder.write("xdg/s3tug/state.db", "");
            ::chmod((place + "/state.db").c_str(), 0666);
            why = "mode 0666";
        }
        check_passed_over(folder, place, why);
    }

    TEST_CASE("a place that belongs to somebody else falls through, too; only root can make one") {
        if (::geteuid() != 0) return;
        const test::TempFolder folder;
        fs::create_directories(folder.path("xdg"));
        const std::string place = folder.path("xdg/s3tug");
        std::string why;
        SUBCASE("it belongs to somebody else") {
            fs::create_directory(place);
            REQUIRE(::chown(place.c_str(), 12345, 0) == 0);
            why = "user 12345";
        }
        SUBCASE("the file belongs to somebody else") {
            fs::create_directory(place);
            ::chmod(place.c_str(), 0700);
            folder.write("xdg/s3tug/state.db", "");
            REQUIRE(::chown((place + "/state.db").c_str(), 12345, 0) == 0);
            why = "user 12345";
        }
        SUBCASE("we are root in somebody else's home") {
            REQUIRE(::chown(folder.path("xdg").c_str(), 12345, 0) == 0);
            why = "we are root";
        }
        check_passed_over(folder, place, why);
    }

    TEST_CASE("a network file system is passed over") {
        const test::TempFolder folder;
        fs::create_directories(folder.path("xdg/s3tug"));
        ::chmod(folder.path("xdg/s3tug").c_str(), 0700);
        StatePlaceRequest request = usual(folder);
        request.fs_type = [&](int fd) -> std::optional<uint64_t> {
            const std::string path = fs::read_symlink(fmt::format("/proc/self/fd/{}", fd));
            return path == folder.path("xdg/s3tug") ? 0x6969U : 0xEF53U;
        };
        const auto choice = choose_state_place(request, true);
        CHECK(chosen(choice) == folder.path("home/.local/state/s3tug/state.db"));
        CHECK(first_refusal(choice).find("network") != std::string::npos);
    }

    TEST_CASE("which file systems are a network's") {
        // f_type as in linux/magic.h and statfs(2).
        for (const uint64_t network : {0x6969UL, 0xFF534D42UL, 0xFE534D42UL, 0x517BUL, 0x65735546UL, 0x01021997UL}) {
            CHECK(is_network_file_system(network));
        }
        for (const uint64_t local : {0xEF53UL, 0x01021994UL, 0x58465342UL, 0x9123683EUL, 0x794C7630UL, 0x2FC12FC1UL}) {
            CHECK_FALSE(is_network_file_system(local));  // ext4, tmpfs, xfs, btrfs, overlayfs, zfs
        }
    }

    TEST_CASE("an explicit file has no second choice; its folder is not made and may be a link") {
        const test::TempFolder folder;
        const auto missing = choose_state_place(explicitly(folder.path("no/state.db")), true);
        CHECK_FALSE(missing.place.has_value());
        CHECK(first_refusal(missing).find("No such file or directory") != std::string::npos);
        CHECK_FALSE(fs::exists(folder.path("no")));

        fs::create_directory(folder.path("real"));
        fs::create_directory_symlink(folder.path("real"), folder.path("link"));
        CHECK(chosen(choose_state_place(explicitly(folder.path("link/my.db")), true)) == folder.path("real/my.db"));
        for (const std::string& bad : {folder.path("real/"), folder.path("real")}) {
            CAPTURE(bad);
            CHECK(first_refusal(choose_state_place(explicitly(bad), true)).find("is a folder") != std::string::npos);
        }
        folder.write("target", "");
        fs::create_symlink(folder.path("target"), folder.path("real/my.db"));
        CHECK(first_refusal(choose_state_place(explicitly(folder.path("real/my.db")), true)).find("is a link") !=
              std::string::npos);
    }

    TEST_CASE("a file is set aside with its log and index, over an older one that was") {
        const test::TempFolder folder;
        const StatePlace place{folder.path(), folder.path("state.db"), true, true};
        folder.write("state.db", "new");
        folder.write("state.db-wal", "new wal");
        folder.write("state.db.bad", "old");
        folder.write("state.db.bad-shm", "old shm");
        CHECK(set_state_file_aside(place) == 0);
        CHECK_FALSE(fs::exists(place.file));
        CHECK_FALSE(fs::exists(place.file + "-wal"));
        std::ifstream bad(place.file + ".bad");
        CHECK(std::string(std::istreambuf_iterator<char>(bad), {}) == "new");
        CHECK(fs::exists(place.file + ".bad-wal"));
        CHECK_FALSE(fs::exists(place.file + ".bad-shm"));  // belonged to the older one
    }

    TEST_CASE("only what could be ours is taken for a damaged state file") {
        const test::TempFolder folder;
        std::string header =
            std::string("SQLite format 3\0", 16) + std::string(52, '\1') + "s3tg" + std::string(28, '\1');
        CHECK(looks_like_state_file(folder.write("ours", header)));
        header[68] = 'x';
        CHECK_FALSE(looks_like_state_file(folder.write("other", header)));
        CHECK(looks_like_state_file(folder.write("zeros", std::string(8192, '\0'))));
        CHECK_FALSE(looks_like_state_file(folder.write("letter", std::string(8192, 'x'))));
        CHECK_FALSE(looks_like_state_file(folder.write("short", "SQLite")));
        CHECK_FALSE(looks_like_state_file(folder.path("missing")));
    }
}

}  // namespace s3tug::host
