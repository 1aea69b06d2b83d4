#include "host/posix_folder.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <map>

#include "unit/host/file_support.h"

namespace s3tug::host {

namespace {

std::map<std::string, port::FolderEntry> entries(FilesInFolder& in, const std::string& path) {
    std::map<std::string, port::FolderEntry> found;
    auto folder = in.files.open_folder(path);
    REQUIRE(folder.ok());
    for (;;) {
        auto entry = (*folder)->next();
        REQUIRE(entry.ok());
        if (!*entry) return found;
        found[(*entry)->name] = **entry;
    }
}

Status write_below(FilesInFolder& in, const std::string& root, const std::string& name) {
    auto target = in.files.open_target(root + name, {.root_bytes = root.size()});
    if (!target) return std::move(target).error();
    if (Status written = (*target)->write_at(0, as_bytes("new")); !written) return written;
    return (*target)->commit({});
}

}  // namespace

TEST_SUITE("host/posix_folder") {
    TEST_CASE("a folder gives each name with its type, links with what they lead to") {
        FilesInFolder in;
        in.folder.write("file", "x");
        in.folder.write("bad\xff\n", "x");
        std::filesystem::create_directory(in.folder.path("sub"));
        REQUIRE(::mkfifo(in.folder.path("fifo").c_str(), 0600) == 0);
        std::filesystem::create_symlink("file", in.folder.path("to-file"));
        std::filesystem::create_symlink("sub", in.folder.path("to-sub"));
        std::filesystem::create_symlink("nowhere", in.folder.path("dangling"));
        std::filesystem::create_symlink("itself", in.folder.path("itself"));
        const auto found = entries(in, in.folder.path());
        CHECK(found.size() == 8);
        CHECK(found.at("file").type == port::FileType::regular);
        CHECK_FALSE(found.at("file").link);
        CHECK(found.at("bad\xff\n").type == port::FileType::regular);
        CHECK(found.at("sub").type == port::FileType::directory);
        CHECK(found.at("fifo").type == port::FileType::stream);
        CHECK((found.at("to-file").link && found.at("to-file").type == port::FileType::regular));
        CHECK((found.at("to-sub").link && found.at("to-sub").type == port::FileType::directory));
        CHECK(found.at("dangling").link);
        CHECK(found.at("dangling").trouble->kind == ErrorKind::not_found);
        CHECK(found.at("itself").trouble.has_value());
    }

    TEST_CASE("a folder that is not there, or is none, is an error; an empty one ends at once") {
        FilesInFolder in;
        in.folder.write("file", "x");
        std::filesystem::create_directory(in.folder.path("empty"));
        CHECK(in.files.open_folder(in.folder.path("none")).error().kind == ErrorKind::not_found);
        CHECK(in.files.open_folder(in.folder.path("file")).error().message.find("not a folder") != std::string::npos);
        CHECK(entries(in, in.folder.path("empty")).empty());
    }

    TEST_CASE("a folder is the same one by whatever name") {
        FilesInFolder in;
        std::filesystem::create_directory(in.folder.path("sub"));
        std::filesystem::create_symlink(".", in.folder.path("sub/again"));
        const auto first = in.files.open_folder(in.folder.path("sub"));
        const auto again = in.files.open_folder(in.folder.path("sub/again"));
        CHECK((*first)->at_open().inode == (*again)->at_open().inode);
        CHECK((*first)->at_open().device == (*again)->at_open().device);
    }

    TEST_CASE("a signal ends the walk through a folder") {
        FilesInFolder in;
        in.folder.write("file", "x");
        const auto folder = in.files.open_folder(in.folder.path());
        in.signal_number = 2;
        CHECK((*folder)->next().error().kind == ErrorKind::interrupted);
    }
}

TEST_SUITE("host/target_folders") {
    TEST_CASE("folders are made for a file of a tree, the named one too, and for no other file") {
        FilesInFolder in;
        const std::string root = in.folder.path("a/b/");
        CHECK(write_below(in, root, "c/d/file").ok());
        CHECK(write_below(in, root, "c/d/other").ok());
        CHECK(write_below(in, root, "top").ok());
        CHECK(content(root + "c/d/file") == "new");
        CHECK(in.names("a/b") == std::vector<std::string>{"c", "top"});
        CHECK_FALSE(in.files.open_target(in.folder.path("x/y"), {}).ok());
        CHECK_FALSE(std::filesystem::exists(in.folder.path("x")));
    }

    TEST_CASE("folders that were made for a file go with it when it does not come, and when nothing else is in them") {
        FilesInFolder in;
        const std::string root = in.folder.path("new/");
        const auto exists = [&](const char* name) { return std::filesystem::exists(in.folder.path(name)); };
        { CHECK(in.files.open_target(root + "a/x", {.root_bytes = root.size()}).ok()); }
        CHECK(!exists("new"));
        CHECK(write_below(in, root, "a/x").ok());  // and they are made again
        { CHECK(in.files.open_target(root + "b/x", {.root_bytes = root.size()}).ok()); }
        CHECK(!exists("new/b"));
        CHECK(exists("new/a/x"));
        {
            const auto goes = in.files.open_target(root + "c/x", {.root_bytes = root.size()});
            CHECK(write_below(in, root, "c/y").ok());
        }
        CHECK(exists("new/c/y"));
        {
            const auto stays = in.files.open_target(root + "d/x", {.resume = true, .root_bytes = root.size()});
            stays.value()->keep(true);
        }
        CHECK(exists("new/d"));
        {
            auto first = in.files.open_target(root + "e/x", {.root_bytes = root.size()});
            const auto second = in.files.open_target(root + "e/y", {.root_bytes = root.size()});
            first.value().reset();  // the folder was made for it, and the other one's unfinished file is in it
            CHECK(exists("new/e"));
        }
        CHECK(!exists("new/e"));
        std::filesystem::create_directory(in.folder.path("empty"));
        {
            CHECK(
                in.files.open_target(in.folder.path("empty/x"), {.root_bytes = in.folder.path("empty/").size()}).ok());
        }
        CHECK(exists("empty"));
    }

    TEST_CASE("a file where a folder must be, and a folder where a file must be, are errors") {
        FilesInFolder in;
        const std::string root = in.folder.path("r/");
        CHECK(write_below(in, root, "a").ok());
        CHECK(write_below(in, root, "d/x").ok());
        const Status below = write_below(in, root, "a/b");
        CHECK(below.error().kind == ErrorKind::cannot_write);
        CHECK(below.error().message.find("a file stands where a folder must be") != std::string::npos);
        CHECK(write_below(in, root, "d").error().kind == ErrorKind::cannot_write);
        in.folder.write("plain", "x");
        CHECK(write_below(in, in.folder.path("plain/"), "x").error().kind == ErrorKind::cannot_write);
        CHECK(content(root + "a") == "new");
    }

    TEST_CASE("links below the named folder are followed only where they stay in it") {
        FilesInFolder in;
        const std::string root = in.folder.path("r/");
        CHECK(write_below(in, root, "real/x").ok());
        std::filesystem::create_directory(in.folder.path("out"));
        in.folder.write("outside", "old");
        const auto link = [&](const std::string& target, const std::string& name) {
            std::filesystem::create_symlink(target, root + name);
        };
        link("real", "in");
        link(in.folder.path("out"), "away");
        link("../out", "up");
        link("nowhere", "dangling");
        link("../outside", "file");
        link("real/x", "inner-file");
        CHECK(write_below(in, root, "in/y").ok());
        CHECK(content(root + "real/y") == "new");
        CHECK(write_below(in, root, "inner-file").ok());
        CHECK(std::filesystem::is_symlink(root + "inner-file"));
        for (const char* name : {"away/x", "up/x", "dangling/x", "file", "dangling", "in/../../out/x"}) {
            CAPTURE(name);
            CHECK(write_below(in, root, name).error().kind == ErrorKind::cannot_write);
        }
        CHECK(in.names("out").empty());
        CHECK(content(in.folder.path("outside")) == "old");
    }

    TEST_CASE("the named folder itself may be a link, and a root that begins like another is not it") {
        FilesInFolder in;
        std::filesystem::create_directory(in.folder.path("real"));
        std::filesystem::create_directory(in.folder.path("real-other"));
        std::filesystem::create_symlink("real", in.folder.path("link"));
        std::filesystem::create_symlink("../real-other", in.folder.path("real/sly"));
        CHECK(write_below(in, in.folder.path("link/"), "x").ok());
        CHECK(content(in.folder.path("real/x")) == "new");
        CHECK_FALSE(write_below(in, in.folder.path("link/"), "sly/x").ok());
    }
}

}  // namespace s3tug::host
